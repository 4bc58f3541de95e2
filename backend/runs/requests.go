package runs

import (
	"cmp"
	"errors"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/agentauth"
	"weft/backend/agentfiles"
	"weft/backend/agentterminals"
	"weft/backend/asking"
	"weft/backend/workspace"
)

// clientCapabilities is what Weft can do for an agent. It says nothing that is not served. The SDK's
// type does not know all of it. terminal_output is no method but output that an agent shows of terminals
// of its own.
var clientCapabilities = map[string]any{
	"fs":          map[string]bool{"readTextFile": true, "writeTextFile": true},
	"terminal":    true,
	"elicitation": map[string]any{"form": struct{}{}, "url": struct{}{}},
	"session":     map[string]any{"configOptions": map[string]any{"boolean": struct{}{}}},
	"auth":        map[string]any{"terminal": true},
	"_meta":       map[string]any{"terminal_output": true, agentauth.TerminalMeta: true, asking.PermitMeta: true},
}

// request serves one request of the agent. The lock is held, so that anything that
// takes time goes to a goroutine.
func (l *liveSession) request(in *acp.Inbound) {
	ctx := in.Request.Context()
	switch in.Method {
	case "session/request_permission":
		l.askPermission(in)
	case "elicitation/create":
		l.ask(in)
	case "fs/read_text_file":
		serve(l, in, func(p agentfiles.Read) (any, error) { return l.fileRequests().Read(ctx, &p) })
	case "fs/write_text_file":
		serve(l, in, func(p agentfiles.Write) (any, error) { return l.fileRequests().Write(ctx, &p) })
	case asking.PermitMethod:
		serve(l, in, func(p asking.ToPermit) (any, error) { return l.permits(ctx, p) })
	case "terminal/create":
		serve(l, in, func(p agentterminals.Create) (any, error) { return l.terminals.Create(ctx, &p) })
	default:
		method, req := in.Method, in.Request
		if !agentterminals.Serves(method) {
			l.s.Effect(func() { l.answer(req.NotFound()) })
			return
		}
		serve(l, in, func(p agentterminals.Ref) (any, error) { return l.terminals.Serve(ctx, method, p) })
	}
}

// respond answers a request of the agent after the step. The lock is held.
func (l *liveSession) respond(req *acp.Request, result any) {
	l.s.Effect(func() { l.s.w.answer(l, req, result) })
}

// refuse answers a request of the agent with an error after the step. The lock is held.
func (l *liveSession) refuse(req *acp.Request, code int, message string) {
	l.s.Effect(func() { l.s.w.refuse(l, req, code, message) })
}

// answer notes an answer that could not be given: the connection has ended, which shows elsewhere.
func (l *liveSession) answer(err error) {
	if err != nil && !errors.Is(err, acp.ErrClosed) && !errors.Is(err, acp.ErrAnswered) {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("a request of the agent could not be answered")
	}
}

// serve runs a request beside the fold and answers it.
func serve[P any](l *liveSession, in *acp.Inbound, do func(P) (any, error)) {
	req, params := in.Request, in.Request.Params
	l.s.w.Run(func() {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			l.answer(req.Error(acp.CodeInvalidParams, err.Error()))
			return
		}
		result, err := do(p)
		var refused *workspace.Error
		switch {
		case err == nil:
			l.answer(req.Result(result))
		case errors.As(err, &refused) && refused.Code == "not_found":
			// Some agents know this by its text.
			l.answer(req.ErrorData(acp.CodeNotFound, "Resource not found", map[string]string{"details": refused.Message}))
		case errors.Is(err, acp.ErrWithdrawn):
			l.answer(req.Cancelled())
		default:
			l.answer(req.Error(cmp.Or(agentterminals.Code(err), acp.CodeInternal), err.Error()))
		}
	})
}

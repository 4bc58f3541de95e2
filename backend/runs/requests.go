package runs

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agentauth"
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
func (l *link) request(in *acp.Inbound) {
	ctx := in.Request.Context()
	switch in.Method {
	case "session/request_permission":
		l.askPermission(in)
	case "elicitation/create":
		l.ask(in)
	case "fs/read_text_file":
		serve(l, in, func(p struct {
			Path  string `json:"path"`
			Line  *int   `json:"line"`
			Limit *int   `json:"limit"`
		},
		) (any, error) {
			if err := workspace.Check(p.Path); err != nil {
				return nil, err
			}
			done, err := l.consent(ctx, l.folder().Read(p.Path))
			defer func() { done(err) }()
			if err != nil {
				return nil, err
			}
			var text workspace.Text
			text, err = l.files.Read(p.Path, value(p.Line), value(p.Limit))
			if err == nil {
				l.s.Lock()
				l.noteRead(p.Path)
				l.s.at(p.Path, value(p.Line), value(p.Line)+max(value(p.Limit)-1, 0), false)
				l.s.Unlock()
			}
			if missing(err) && l.wantsEmptyForMissing() {
				err = nil
			}
			return text.Answer(), err
		})
	case "fs/write_text_file":
		serve(l, in, func(p struct {
			Path    string         `json:"path"`
			Content string         `json:"content"`
			Meta    jsontext.Value `json:"_meta"`
		},
		) (any, error) {
			if err := workspace.Check(p.Path); err != nil {
				return nil, err
			}
			text, formErr := l.files.Prepare(p.Path, p.Content, workspace.SaidIn(p.Meta), l.hasRead(p.Path))
			if formErr != nil {
				text = &workspace.Written{Text: p.Content}
			}
			done, err := l.consent(ctx, l.folder().Write(p.Path, text.Text))
			defer func() { done(err) }()
			if err == nil {
				err = formErr
			}
			if err != nil {
				return nil, err
			}
			err = l.files.Within(p.Path, func(ctx context.Context) error {
				return l.s.m.opt.Watch.Write(ctx, l.s.space.ID, p.Path, func() error { return l.files.Write(p.Path, text) })
			})
			if err == nil {
				l.s.Lock()
				l.s.at(p.Path, 0, 0, true)
				l.s.Unlock()
			}
			return struct{}{}, err
		})
	case asking.PermitMethod:
		serve(l, in, func(p asking.ToPermit) (any, error) { return l.permits(ctx, p) })
	default:
		l.terminalRequest(in)
	}
}

// respond answers a request of the agent after the step. The lock is held.
func (l *link) respond(req *acp.Request, result any) {
	l.s.Effect(func() { l.s.w.answer(l, req, result) })
}

// refuse answers a request of the agent with an error after the step. The lock is held.
func (l *link) refuse(req *acp.Request, code int, message string) {
	l.s.Effect(func() { l.s.w.refuse(l, req, code, message) })
}

// answer notes an answer that could not be given: the connection has ended, which shows elsewhere.
func (l *link) answer(err error) {
	if err != nil && !errors.Is(err, acp.ErrClosed) && !errors.Is(err, acp.ErrAnswered) {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("a request of the agent could not be answered")
	}
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return max(*n, 0)
}

// serve runs a request beside the fold and answers it.
func serve[P any](l *link, in *acp.Inbound, do func(P) (any, error)) {
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

func missing(err error) bool {
	var e *workspace.Error
	return errors.As(err, &e) && e.Code == "not_found"
}

// wantsEmptyForMissing is true for Gemini CLI, which reads a file before it writes it and takes every answer with an
// error, also that the file is not there (ACP File System), for a reason not to write: it could make no new file. Its
// reading tool looks for a file by itself first.
func (l *link) wantsEmptyForMissing() bool {
	return strings.Contains(strings.ToLower(l.caps.Name), "gemini")
}

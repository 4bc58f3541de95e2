package runs

import (
	"errors"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/workspace"
)

// clientCapabilities is what Weft can do for an agent. It says nothing that is not served below.
var clientCapabilities = sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}}

// request serves one request of the agent. The mutex is held, so that anything that
// takes time goes to a goroutine.
func (l *link) request(in *acp.Inbound) {
	switch in.Method {
	case "session/request_permission":
		l.askPermission(in)
	case "fs/read_text_file":
		serve(l, in, func(p struct {
			Path  string `json:"path"`
			Line  *int   `json:"line"`
			Limit *int   `json:"limit"`
		},
		) (any, error) {
			text, err := l.files.ReadText(p.Path, value(p.Line), value(p.Limit))
			return map[string]string{"content": text}, err
		})
	case "fs/write_text_file":
		serve(l, in, func(p struct {
			Path    string `json:"path"`
			Content string `json:"content"`
		},
		) (any, error) {
			return struct{}{}, l.s.m.opt.Watch.Write(l.s.space.ID, p.Path, func() error { return l.files.WriteText(p.Path, p.Content) })
		})
	default:
		l.answer(in.Request.NotFound())
	}
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

// serve runs a file request beside the fold and answers it.
func serve[P any](l *link, in *acp.Inbound, do func(P) (any, error)) {
	req, params := in.Request, in.Request.Params
	l.s.m.tasks.Go(func() {
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
		default:
			l.answer(req.Error(acp.CodeInternal, err.Error()))
		}
	})
}

package runs

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/files/workspace"
	"weft/backend/permission/actions"
	"weft/backend/space/agentfiles"
	"weft/backend/space/agentterminals"
	"weft/backend/space/requests"
	"weft/backend/space/turn"
)

// clientCapabilities are Weft's capabilities as an ACP client. It is a map because the SDK's type doesn't
// have all of them. terminal_output means that Weft shows the output of terminals that the agent runs
// itself.
var clientCapabilities = map[string]any{
	"fs":          map[string]bool{"readTextFile": true, "writeTextFile": true},
	"terminal":    true,
	"elicitation": map[string]any{"form": struct{}{}, "url": struct{}{}},
	"session":     map[string]any{"configOptions": map[string]any{"boolean": struct{}{}}, "notices": struct{}{}},
	"auth":        map[string]any{"terminal": true},
	"_meta":       map[string]any{"terminal_output": true, agentauth.TerminalMeta: true, requests.PermitMeta: true},
}

// agentRequests handles the requests from a session's agent.
type agentRequests struct{ *liveSession }

// request handles one request from the agent. The lock is held, so slow requests run in a
// goroutine.
func (l agentRequests) request(in *acp.Inbound) {
	ctx := in.Request.Context()
	switch in.Method {
	case "session/request_permission":
		l.askPermission(in)
	case "elicitation/create":
		l.ask(in)
	case "fs/read_text_file":
		serve(l.liveSession, in, func(p agentfiles.Read) (any, error) { return l.fileRequests().Read(ctx, &p) })
	case "fs/write_text_file":
		serve(l.liveSession, in, func(p agentfiles.Write) (any, error) { return l.fileRequests().Write(ctx, &p) })
	case requests.PermitMethod:
		serve(l.liveSession, in, func(p requests.ToPermit) (any, error) { return l.permits(ctx, p) })
	case "terminal/create":
		serve(l.liveSession, in, func(p agentterminals.Create) (any, error) { return l.terminals.Create(ctx, &p) })
	default:
		method, req := in.Method, in.Request
		if !agentterminals.Serves(method) {
			l.s.Effect(func() { l.logAnswer(req.NotFound()) })
			return
		}
		serve(l.liveSession, in, func(p agentterminals.Ref) (any, error) { return l.terminals.Serve(ctx, method, p) })
	}
}

// respond answers a request from the agent after the step. The lock is held.
func (l agentRequests) respond(req *acp.Request, result any) {
	l.s.Effect(func() { l.s.perform(answerRequest{l.liveSession, req, result}) })
}

// refuse answers a request from the agent with an error after the step. The lock is held.
func (l agentRequests) refuse(req *acp.Request, code int, message string) {
	l.s.Effect(func() { l.s.perform(refuseRequest{l.liveSession, req, code, message}) })
}

// logAnswer logs the error of answering a request, except after the end of the connection, which is reported elsewhere.
func (l *liveSession) logAnswer(err error) {
	if err != nil && !errors.Is(err, acp.ErrClosed) && !errors.Is(err, acp.ErrAnswered) {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("couldn't answer a request from the agent")
	}
}

// serve decodes the params of a request, calls do in a goroutine, and answers with its result.
func serve[P any](l *liveSession, in *acp.Inbound, do func(P) (any, error)) {
	req, params := in.Request, in.Request.Params
	l.s.w.Run(func() {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			l.logAnswer(req.Error(acp.CodeInvalidParams, err.Error()))
			return
		}
		result, err := do(p)
		var refused *workspace.Error
		switch {
		case err == nil:
			l.logAnswer(req.Result(result))
		case errors.As(err, &refused) && refused.Code == "not_found":
			// Some agents compare this text.
			l.logAnswer(req.ErrorData(acp.CodeNotFound, "Resource not found", map[string]string{"details": refused.Message}))
		case errors.Is(err, acp.ErrWithdrawn):
			l.logAnswer(req.Cancelled())
		default:
			l.logAnswer(req.Error(cmp.Or(agentterminals.Code(err), acp.CodeInternal), err.Error()))
		}
	})
}

// newInbox returns the inbox of a session, which holds its requests to the user.
func newInbox(s *Session) *requests.Inbox {
	return requests.NewInbox(requests.Session{
		Place: s.placeInSteps(), Turns: s.turns, Now: s.m.now, NewID: s.w.newID, Rules: s.m.opt.Rules, Trusts: s.options.Trusts,
		Let: func(kind string) { s.m.notes.Let(s.space.AgentID, kind) },
		TrustEdits: func() {
			if s.life.Live() != nil {
				s.options.TrustEdits()
			}
		},
	}, askStep{s}, s.space.Mode)
}

// askStep implements [requests.Step].
type askStep struct{ *Session }

// Turn implements [requests.Step].
func (s askStep) Turn() (turn *actions.Turn, open bool) {
	if s.run == nil {
		return nil, false
	}
	return &s.run.actions, !s.run.turn.Stopping()
}

// Resume implements [requests.Step].
func (s askStep) Resume() { s.run.currentFold() }

// Changed implements [requests.Step].
func (s askStep) Changed() { s.changed() }

// asker implements [requests.Asker].
type asker struct{ *liveSession }

// Answer implements [requests.Asker].
func (l asker) Answer(r *acp.Request, result any) {
	l.s.perform(answerRequest{l.liveSession, r, result})
}

// RespondCanceled implements [requests.Asker].
func (l asker) RespondCanceled(r *acp.Request) {
	l.s.perform(refuseRequest{l.liveSession, r, acp.CodeCancelled, "Request cancelled"})
}

// ask asks the user a question from the agent. The lock is held.
func (l agentRequests) ask(in *acp.Inbound) {
	e, err := requests.DecodeElicitation(in.Request.Params)
	if err != nil {
		l.refuse(in.Request, acp.CodeInvalidParams, err.Error())
		return
	}
	if !e.Answerable() {
		l.refuse(in.Request, acp.CodeInvalidParams, "a question needs a requestedSchema, which is an object, or a url")
		l.note(turn.NoForm)
		return
	}
	if e.SessionID != "" && l.session.Other(e.SessionID) {
		l.respond(in.Request, requests.CancelAction)
		return
	}
	if e.Tool = l.calls.IDs.Of(e.Tool); e.Tool != "" && (l.calls.Drafts.Drawn(e.Tool) || l.s.turns.With(e.Tool) == nil) {
		e.Tool = ""
	}
	q := requests.NewQuestion(asker(l), in.Request, &e)
	l.s.inbox.Questions.Ask(q, e.SessionID == "" && l.stage.Opening())
}

// askQuestions asks the user the questions in a permission request. They are shown in place of the agent's call, and
// rules don't answer them. The lock is held.
func (l agentRequests) askQuestions(in *acp.Inbound, req acp.PermissionRequest, list []acp.Question) {
	title, tool := "", ""
	if req.Tool != nil {
		if req.Tool.Title != nil {
			title = *req.Tool.Title
		}
		if !l.calls.Drafts.Drawn(req.Tool.ID) {
			tool = req.Tool.ID
		}
	}
	q := requests.NewPermissionQuestion(asker(l), in.Request, title, list, req.Options)
	q.Tool = tool
	l.s.inbox.Questions.Ask(q, false)
}

// AnswerQuestion sends the user's answer to a question. do is "accept" with the content of the form (an object; none for a
// URL), "decline", or "cancel" for no answer. Errors: not_waiting if the question isn't open, invalid.
func (rs Requests) AnswerQuestion(_ context.Context, spaceID, requestID, do string, content jsontext.Value) error {
	r := rs.m.open(spaceID)
	if r == nil {
		return requests.ErrNotWaiting
	}
	return r.Do(requests.AnswerQuestionCommand(r.inboxes, requestID, do, content))
}

// Asking implements [agentproc.Session].
func (l *liveSession) Asking() bool {
	l.s.Lock()
	defer l.s.Unlock()
	return l.s.inbox.Questions.Asking(asker{l})
}

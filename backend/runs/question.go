package runs

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/asking"
	"weft/backend/requests"
)

// ask puts an agent's question before the user. The lock is held.
func (l *liveSession) ask(in *acp.Inbound) {
	e, err := requests.DecodeElicitation(in.Request.Params)
	if err != nil {
		l.refuse(in.Request, acp.CodeInvalidParams, err.Error())
		return
	}
	if !e.Answerable() {
		l.refuse(in.Request, acp.CodeInvalidParams, "a question needs a requestedSchema, which is an object, or a url")
		l.note("The agent asked a question that cannot be answered: it has no form and no address.")
		return
	}
	if e.SessionID != "" && l.session.Other(e.SessionID) {
		l.respond(in.Request, requests.CancelAction)
		return
	}
	if e.Tool != "" && (l.calls.Drafts.Drawn(e.Tool) || l.s.turns.With(e.Tool) == nil) {
		e.Tool = ""
	}
	q := requests.NewQuestion[asking.Asker](asker{l}, in.Request, &e)
	l.s.desk.Questions.Ask(q, e.SessionID == "" && l.stage.Opening())
}

// askQuestions puts the questions of a permission request before the user, at the agent's own call, which is the question from then on. No
// rule answers them. The lock is held.
func (l *liveSession) askQuestions(in *acp.Inbound, req acp.PermissionRequest, list []acp.Question) {
	title, tool := "", ""
	if req.Tool != nil {
		if req.Tool.Title != nil {
			title = *req.Tool.Title
		}
		if !l.calls.Drafts.Drawn(req.Tool.ID) {
			tool = req.Tool.ID
		}
	}
	q := requests.NewPermissionQuestion[asking.Asker](asker{l}, in.Request, title, list, req.Options)
	q.Tool = tool
	l.s.desk.Questions.Ask(q, false)
}

// AnswerQuestion gives the user's answer to a question: accept with the content of the form (an object; none for an
// address), decline, or cancel, which says nothing. Errors: not_waiting where the question is not open (any more), invalid.
func (rs Requests) AnswerQuestion(_ context.Context, spaceID, requestID, do string, content jsontext.Value) error {
	r := rs.m.open(spaceID)
	if r == nil {
		return asking.ErrNotWaiting
	}
	return r.Do(asking.AnsweringQuestion(r.desks, requestID, do, content))
}

// Asking implements [agentproc.Session].
func (l *liveSession) Asking() bool {
	l.s.Lock()
	defer l.s.Unlock()
	return l.s.desk.Questions.Asking(asker{l})
}

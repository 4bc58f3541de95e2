package runs

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/owner"
	"weft/backend/requests"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// question is a question of an agent.
type question = requests.Question[*link]

// ask puts an agent's question before the user. The lock is held.
func (l *link) ask(in *acp.Inbound) {
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
	if e.SessionID != "" && l.acpID != "" && e.SessionID != l.acpID {
		l.respond(in.Request, requests.CancelAction)
		return
	}
	if e.Tool != "" && (l.gate.Drawn(e.Tool) || l.s.turns.With(e.Tool) == nil) {
		e.Tool = ""
	}
	l.pose(requests.NewQuestion(l, in.Request, &e), e.SessionID == "" && (l.phase == phaseStarting || l.phase == phaseSigningIn))
}

// askQuestions puts the questions of a permission request before the user, at the agent's own call, which is the question from then on. No
// rule answers them. The lock is held.
func (l *link) askQuestions(in *acp.Inbound, req acp.PermissionRequest, list []acp.Question) {
	title, tool := "", ""
	if req.Tool != nil {
		if req.Tool.Title != nil {
			title = *req.Tool.Title
		}
		if !l.gate.Drawn(req.Tool.ID) {
			tool = req.Tool.ID
		}
	}
	q := requests.NewPermissionQuestion(l, in.Request, title, list, req.Options)
	q.Tool = tool
	l.pose(q, false)
}

// pose shows a question. Outside of a turn only what a request of Weft's own needs is asked: while the agent starts or signs in. The lock is held.
func (l *link) pose(q *question, outside bool) {
	s := l.s
	q.ID = s.newID("ask")
	if l.posed[q.Tool] { // it has asked before
		q.Tool = ""
	}
	q.Call, q.At = cmp.Or(q.Tool, s.newID("question")), s.m.now()
	if q.Tool != "" && len(l.posed) < toolcalls.MaxCalls {
		if l.posed == nil {
			l.posed = map[string]bool{}
		}
		l.posed[q.Tool] = true
	}
	inTurn := s.run != nil && !s.run.stopping
	if outside && s.run == nil {
		s.turns.Aside()
	}
	s.turns.AskPermission(q.Patch(), q.ID, requests.QuestionOptions, nil, s.m.now())
	if !inTurn && (!outside || s.run != nil) {
		// There is no turn to ask the user in, but the question is shown all the same.
		s.endQuestion(q, q.Unanswered(requests.Stopped), true)
		return
	}
	s.questions.Add(q)
	s.changed()
}

// endQuestion ends a question in the transcript. Reply reports that the agent is answered after the step. The lock is held.
func (s *Session) endQuestion(q *question, end requests.QuestionEnd, reply bool) {
	s.questions.Remove(q)
	now := s.m.now()
	s.turns.ResolvePermission(q.ID, end.How, now)
	if end.Call != nil {
		s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: end.Call}, now)
	}
	if reply {
		q.From.respond(q.Request, end.Reply)
	}
}

// AnswerQuestion gives the user's answer to a question: accept with the content of the form (an object; none for an
// address), decline, or cancel, which says nothing. Errors: not_waiting where the question is not open (any more), invalid.
func (m *Manager) AnswerQuestion(_ context.Context, spaceID, requestID, do string, content jsontext.Value) error {
	r := m.open(spaceID)
	if r == nil {
		return errNotWaiting
	}
	return r.Do(r.answersQuestion(requestID, do, content))
}

// answersQuestion is the command that answers a question.
func (r *room) answersQuestion(requestID, do string, content jsontext.Value) owner.Command {
	return owner.Command{
		Final: true,
		Before: func() error {
			if _, q := r.question(requestID); q == nil {
				return errNotWaiting
			}
			return nil
		},
		Change: func() (then, undo func(), err error) {
			s, q := r.question(requestID)
			if q == nil {
				return nil, nil, errNotWaiting
			}
			return nil, nil, s.answerQuestion(q, do, content)
		},
	}
}

// question returns an open question and whose it is, nil if it is not open. The lock is held.
func (r *room) question(id string) (*Session, *question) {
	for _, s := range r.seats {
		if q := s.questions.Get(id); q != nil {
			return s, q
		}
	}
	return nil, nil
}

// answerQuestion is [Manager.AnswerQuestion] with the lock.
func (s *Session) answerQuestion(q *question, do string, content jsontext.Value) error {
	end, err := q.Answered(do, content)
	if err != nil {
		return err
	}
	s.endQuestion(q, end, false)
	s.endAside()
	s.After(func() { s.w.answer(q.From, q.Request, end.Reply) }) // stored before the agent learns of it
	s.changed()
	return nil
}

// answeredElsewhere ends the questions of a call that the agent has ended without their answers. The lock is held.
func (s *Session) answeredElsewhere(tool string) {
	for _, q := range s.questions.OfCall(tool) {
		s.endQuestion(q, q.Unanswered(requests.Withdrawn), true)
		s.changed()
	}
}

// withdrawQuestions answers all open questions with cancel. The lock is held.
func (s *Session) withdrawQuestions(why transcript.Resolution) {
	for _, q := range s.questions.List() {
		s.endQuestion(q, q.Unanswered(why), true)
		s.Touched()
	}
	s.endAside()
}

// endAside ends the message of questions outside of turns when none is open any more. The lock is held.
func (s *Session) endAside() {
	if s.questions.Len() == 0 {
		s.turns.EndAside(s.m.now())
	}
}

// started ends what was asked while the agent started or signed in. The lock is held.
func (l *link) started() {
	if l.s.run == nil {
		for _, q := range l.s.questions.From(l) {
			l.s.endQuestion(q, q.Unanswered(requests.Stopped), true)
			l.s.changed()
		}
	}
	l.s.endAside()
	l.s.Flush()
}

// completed takes elicitation/complete: what had to be done at an address is done. The lock is held.
func (l *link) completed(params jsontext.Value) {
	for _, q := range l.s.questions.Completed(l, params) {
		l.s.endQuestion(q, q.Completed(), true)
		l.s.endAside()
		l.s.changed()
	}
}

// questionWithdrawn ends a question that the agent took back. The lock is held.
func (s *Session) questionWithdrawn(r *acp.Request) {
	for _, q := range s.questions.OfRequest(r) {
		s.endQuestion(q, q.Unanswered(requests.Withdrawn), false)
		s.endAside()
		q.From.takeBack(r)
		s.changed()
	}
}

// Asking implements [agentproc.Session].
func (l *link) Asking() bool {
	l.s.Lock()
	defer l.s.Unlock()
	return len(l.s.questions.From(l)) > 0
}

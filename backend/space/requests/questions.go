package requests

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
	"weft/backend/space/toolcalls"
)

// Questions are the questions of a session's agent.
type Questions struct {
	session Session
	step    Step
	ended   func() // must be called when the call of a question has ended with it
	open    openQuestions
	shown   map[string]bool // calls of the turn that are shown as a question
}

// List returns the open questions, ordered by their ids.
func (q *Questions) List() []*Question { return q.open.List() }

// Shown reports whether a call of the agent is shown as a question.
func (q *Questions) Shown(call string) bool { return q.shown[call] }

// Forget clears the set of calls that are shown as questions, at the end of a turn or session.
func (q *Questions) Forget() { q.shown = nil }

// Ask shows a question, at the agent's own call if it has one, and asks the user. outside is true for questions that
// are necessary outside of a turn, while the agent starts or signs in. Other questions can't be asked there.
func (q *Questions) Ask(one *Question, outside bool) {
	one.ID = q.session.NewID("ask")
	if q.shown[one.Tool] { // it has asked before
		one.Tool = ""
	}
	one.Call, one.At = cmp.Or(one.Tool, q.session.NewID("question")), q.session.Now()
	if one.Tool != "" && len(q.shown) < toolcalls.MaxCalls {
		if q.shown == nil {
			q.shown = map[string]bool{}
		}
		q.shown[one.Tool] = true
	}
	turn, inTurn := q.step.Turn()
	if outside && turn == nil {
		q.session.Turns.Aside()
	}
	q.session.Turns.AskPermission(one.Patch(), one.ID, questionOptions, nil, q.session.Now())
	if !inTurn && (!outside || turn != nil) {
		// The user can't be asked outside of a turn, but the question is still shown.
		q.end(one, one.Unanswered(Stopped), true)
		q.ended()
		return
	}
	q.open.Add(one)
	q.step.Changed()
}

// end ends a question in the transcript. If reply is true, the agent gets the response after the step.
func (q *Questions) end(one *Question, end questionEnd, reply bool) {
	q.open.Remove(one)
	now := q.session.Now()
	q.session.Turns.ResolvePermission(one.ID, end.How, now)
	if end.Call != nil {
		q.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: end.Call}, now)
	}
	if reply {
		q.step.Effect(func() { one.From.Answer(one.Request, end.Reply) })
	}
}

// answer ends a question as the user decided.
func (q *Questions) answer(one *Question, do string, content jsontext.Value) error {
	end, err := one.Answered(do, content)
	if err != nil {
		return err
	}
	q.end(one, end, false)
	q.settle()
	q.step.After(func() { one.From.Answer(one.Request, end.Reply) }) // stored before the agent gets it
	q.step.Changed()
	return nil
}

// CallEnded ends the questions of a call that the agent has ended without waiting for their answers.
func (q *Questions) CallEnded(call string) {
	for _, one := range q.open.OfCall(call) {
		q.end(one, one.Unanswered(Withdrawn), true)
		q.ended()
		q.step.Changed()
	}
}

// withdrawAll ends all open questions. The agent gets "cancel".
func (q *Questions) withdrawAll(why transcript.Resolution) {
	for _, one := range q.open.List() {
		q.end(one, one.Unanswered(why), true)
		q.step.Touched()
	}
	q.settle()
}

// settle must be called after questions have ended. If none is open, it ends the message for questions outside of
// turns. A call in that message which the agent has named again in a turn ends with it, and so do the requests about
// that call.
func (q *Questions) settle() {
	if q.open.Len() == 0 {
		q.session.Turns.EndAside(q.session.Now())
	}
	q.ended()
}

// Started ends what the agent asked while it started or signed in.
func (q *Questions) Started(from Asker) {
	if turn, _ := q.step.Turn(); turn == nil {
		for _, one := range q.open.From(from) {
			q.end(one, one.Unanswered(Stopped), true)
			q.step.Changed()
		}
	}
	q.settle()
	q.step.Flush()
}

// Completed handles elicitation/complete: the user has completed what was requested at a URL.
func (q *Questions) Completed(from Asker, params jsontext.Value) {
	for _, one := range q.open.Completed(from, params) {
		q.end(one, one.Completed(), true)
		q.settle()
		q.step.Changed()
	}
}

// canceled ends a question that the agent has canceled.
func (q *Questions) canceled(r *acp.Request) {
	for _, one := range q.open.OfRequest(r) {
		q.end(one, one.Unanswered(Withdrawn), false)
		q.settle()
		q.step.Effect(func() { one.From.RespondCanceled(r) })
		q.step.Changed()
	}
}

// Asking reports whether a question of a session is open.
func (q *Questions) Asking(from Asker) bool { return len(q.open.From(from)) > 0 }

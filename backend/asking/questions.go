package asking

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/requests"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// Question is a question of an agent.
type Question = requests.Question[Asker]

// Questions are the questions of a session's agent.
type Questions struct {
	session Session
	step    Step
	ended   func() // must follow when the call of a question has ended with it
	open    requests.Questions[Asker]
	shown   map[string]bool // calls of the turn that are shown as the questions that they ask
}

// List returns the open questions, ordered by their ids.
func (q *Questions) List() []*Question { return q.open.List() }

// Shown reports whether a call of the agent is shown as the question that it asks.
func (q *Questions) Shown(call string) bool { return q.shown[call] }

// Forget forgets which calls are shown as questions: the turn, or the session, has ended.
func (q *Questions) Forget() { q.shown = nil }

// Ask shows a question, at the agent's own call if it has one, and asks the user. Outside is true for what a request of Weft's own needs outside of a
// turn, while the agent starts or signs in; nothing else is asked there.
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
	q.session.Turns.AskPermission(one.Patch(), one.ID, requests.QuestionOptions, nil, q.session.Now())
	if !inTurn && (!outside || turn != nil) {
		// There is no turn to ask the user in, but the question is shown all the same.
		q.end(one, one.Unanswered(requests.Stopped), true)
		q.ended()
		return
	}
	q.open.Add(one)
	q.step.Changed()
}

// end ends a question in the transcript. Reply reports that the agent is answered after the step.
func (q *Questions) end(one *Question, end requests.QuestionEnd, reply bool) {
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

// answer ends a question as the user says.
func (q *Questions) answer(one *Question, do string, content jsontext.Value) error {
	end, err := one.Answered(do, content)
	if err != nil {
		return err
	}
	q.end(one, end, false)
	q.settle()
	q.step.After(func() { one.From.Answer(one.Request, end.Reply) }) // stored before the agent learns of it
	q.step.Changed()
	return nil
}

// CallEnded ends the questions of a call that the agent has ended without their answers.
func (q *Questions) CallEnded(call string) {
	for _, one := range q.open.OfCall(call) {
		q.end(one, one.Unanswered(requests.Withdrawn), true)
		q.ended()
		q.step.Changed()
	}
}

// withdrawAll ends all open questions; the agent is told "cancel".
func (q *Questions) withdrawAll(why transcript.Resolution) {
	for _, one := range q.open.List() {
		q.end(one, one.Unanswered(why), true)
		q.step.Touched()
	}
	q.settle()
}

// settle follows when questions have ended: it ends the message of those outside of turns when none is open any more. A call in it that the agent
// has named again in a turn ends with it, and so do the requests about that.
func (q *Questions) settle() {
	if q.open.Len() == 0 {
		q.session.Turns.EndAside(q.session.Now())
	}
	q.ended()
}

// Started ends what was asked while the agent started or signed in.
func (q *Questions) Started(from Asker) {
	if turn, _ := q.step.Turn(); turn == nil {
		for _, one := range q.open.From(from) {
			q.end(one, one.Unanswered(requests.Stopped), true)
			q.step.Changed()
		}
	}
	q.settle()
	q.step.Flush()
}

// Completed takes elicitation/complete: what had to be done at an address is done.
func (q *Questions) Completed(from Asker, params jsontext.Value) {
	for _, one := range q.open.Completed(from, params) {
		q.end(one, one.Completed(), true)
		q.settle()
		q.step.Changed()
	}
}

// takenBack ends a question that the agent took back.
func (q *Questions) takenBack(r *acp.Request) {
	for _, one := range q.open.OfRequest(r) {
		q.end(one, one.Unanswered(requests.Withdrawn), false)
		q.settle()
		q.step.Effect(func() { one.From.TakeBack(r) })
		q.step.Changed()
	}
}

// Asking reports whether a question of a session is open.
func (q *Questions) Asking(from Asker) bool { return len(q.open.From(from)) > 0 }

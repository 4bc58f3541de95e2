package mentions

import (
	"time"

	"weft/backend/conversation/transcript"
)

// Run holds what a run needs for mentions: the mentions that led to it, and who waits for its reply.
type Run struct {
	Budget *Budget // of the user's prompt that led to the run
	Depth  int     // how many mentions led to it
	Words  Words   // its text in its own space, while another agent waits

	reply *ReplyWaiter // the waiting agent, or nil
}

// NewRun returns the state of a new run. If budget is nil, the user prompted the run, and it gets a new budget.
func NewRun(budget *Budget, depth int, reply *ReplyWaiter, now time.Time) Run {
	if budget == nil {
		budget = NewBudget(now)
	}
	return Run{Budget: budget, Depth: depth, reply: reply}
}

// Awaited reports whether another agent waits for the run's reply.
func (r *Run) Awaited() bool { return r.reply != nil }

// Said returns the update to add to the conversation: a copy as a thought if u is text of a member that speaks byTool,
// or else u. If an agent waits for the text, Said also adds it to Words; replies says that a run waits for any reply in
// the space.
func (r *Run) Said(u *transcript.Update, byTool, replies bool) *transcript.Update {
	switch {
	case u.Kind == transcript.UpdateTool:
		r.Words.Gap()
	case u.Kind != transcript.UpdateText || u.Block != nil:
	case u.Notice:
	case byTool:
		thought := *u
		thought.Kind = transcript.UpdateThought
		return &thought
	case (r.Awaited() || replies) && u.ParentToolCallID == "":
		r.Words.Of(u.MessageID)
		r.Words.Add(u.Text)
	}
	return u
}

// Ended returns a function that gives the waiting agent the run's outcome, or nil if none waits (anymore). The caller
// must call it once the end of the run is stored.
func (r *Run) Ended(done *transcript.RunCompleted, stopped bool) (tell func()) {
	w := r.reply
	if r.reply = nil; w == nil {
		return nil
	}
	failed := ""
	if done.Error != nil {
		failed = "It failed: " + done.Error.Message
	}
	said, err := Outcome(done.StopReason, stopped, failed, r.Words.String())
	return func() { w.Give(said, err) }
}

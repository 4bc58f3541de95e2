package mentions

import (
	"time"

	"weft/backend/transcript"
)

// Run is what a run has to do with mentions: which of them have led to it, and who waits for what it says.
type Run struct {
	Budget *Budget // of the prompt that it comes of
	Depth  int     // how many mentions have led to it
	Words  Words   // what it has said in its own space, while someone waits for it

	reply *ReplyWaiter // who waits for what comes of it, nil if nobody does
}

// NewRun returns what a run begins with. Without a budget it is of a prompt of the user and gets one of its own.
func NewRun(budget *Budget, depth int, reply *ReplyWaiter, now time.Time) Run {
	if budget == nil {
		budget = NewBudget(now)
	}
	return Run{Budget: budget, Depth: depth, reply: reply}
}

// Awaited reports whether another agent waits for what comes of the run.
func (r *Run) Awaited() bool { return r.reply != nil }

// Said takes an update of the agent, and returns it as the conversation is to have it: what a member says that speaks byTool is a thought of its own. What
// someone waits for is kept in Words; replies reports that someone waits for any reply in the space.
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

// Ended returns what tells the one that waits what has come of the run, nil if nobody waits (any more). It must be called once that is stored.
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

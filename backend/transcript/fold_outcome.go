package transcript

import "weft/backend/clip"

// complete ends a call that the agent reports as completed: as what its own result says.
func (m *toolCalls) complete(c *call, p *ToolPatch, now int64) {
	if p.Output != nil {
		c.facts.Output(p.Output)
	}
	why, failed := c.facts.Verdict(c.kind)
	switch {
	case !failed && c.end.stopped && !c.facts.Done(c.kind):
		c.finish(m.box, StatusCancelled, p, now) // nothing says that it came to its end
	case !failed:
		c.finish(m.box, StatusCompleted, p, now)
	case c.status != StatusFailed || p.Output != nil:
		m.refute(c, why, p, now)
	}
}

// refute ends a call as failed that was reported as completed. One that was stopped stays canceled: that its result is none is no failure.
func (m *toolCalls) refute(c *call, why string, p *ToolPatch, now int64) {
	if c.end.stopped {
		took := c.end.took
		c.finish(m.box, StatusCancelled, &ToolPatch{DurationMs: &took, Output: p.Output}, now)
		return
	}
	m.fail(c, why, p, now)
}

// fail ends a call as failed, and remembers it for what repeats it.
func (m *toolCalls) fail(c *call, why string, p *ToolPatch, now int64) {
	retryable := MayPass(why)
	if p.Retryable != nil {
		retryable = *p.Retryable
	}
	c.fail(m.box, why, retryable, p, now)
	m.failed.add(c)
}

// reconsider tells what is known by now of a call that had ended: its summary, or that it failed after all. P is the report that came
// after its end, nil if there is none.
func (m *toolCalls) reconsider(c *call, p *ToolPatch) {
	if m.late == c {
		m.late = nil
	}
	if !c.status.Ended() || c.end.reported != StatusCompleted {
		return
	}
	why, failed := c.facts.Verdict(c.kind)
	switch {
	case failed && c.status == StatusFailed && c.end.failure == clip.JSON(why, maxNote):
	case failed:
		m.refute(c, why, &ToolPatch{DurationMs: &c.end.took}, 0)
	case c.status == StatusFailed, c.status == StatusCancelled && c.end.stopped && c.facts.Done(c.kind):
		c.finish(m.box, StatusCompleted, &ToolPatch{DurationMs: &c.end.took}, 0)
	default:
		if summary, count := c.summary(p); summary != "" {
			m.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Summary: &summary, ResultCount: count})
		}
	}
}

// settleLate reconsiders the call of which output has come after its end, when something else comes.
func (m *toolCalls) settleLate(except *call) {
	if m.late != nil && m.late != except {
		m.reconsider(m.late, nil)
	}
}

// failedCalls remembers what the calls of a message asked for that have failed, so that a call that repeats one is known.
type failedCalls struct {
	asked map[failedCall]bool
}

type failedCall struct {
	kind  string
	input uint64 // as [results.Facts.InputKey] has it
}

// maxFailed is how many failed calls of a message are remembered for what repeats them.
const maxFailed = 1024

func (f *failedCalls) add(c *call) {
	if c.facts.InputKey() == 0 || len(f.asked) >= maxFailed {
		return
	}
	if f.asked == nil {
		f.asked = map[failedCall]bool{}
	}
	f.asked[failedCall{c.kind, c.facts.InputKey()}] = true
}

// has reports whether a call failed that asked for the same.
func (f *failedCalls) has(c *call) bool {
	return c.facts.InputKey() != 0 && f.asked[failedCall{c.kind, c.facts.InputKey()}]
}

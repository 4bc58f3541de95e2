package transcript

import "weft/backend/base/clip"

// complete ends a call that the agent reports as completed, according to the call's own result.
func (m *toolCalls) complete(c *call, p *ToolPatch, now int64) {
	if p.Output != nil {
		c.facts.Output(p.Output)
	}
	why, failed := c.facts.Verdict(c.kind)
	switch {
	case !failed && c.end.stopped && !c.facts.Done(c.kind):
		c.finish(m.box, StatusCancelled, p, now) // nothing says that it completed
	case !failed:
		c.finish(m.box, StatusCompleted, p, now)
	case c.status != StatusFailed || p.Output != nil:
		m.refute(c, why, p, now)
	}
}

// refute ends a call as failed although the agent reported it as completed. A stopped call stays canceled: a missing
// result is not a failure then.
func (m *toolCalls) refute(c *call, why string, p *ToolPatch, now int64) {
	if c.end.stopped {
		took := c.end.took
		c.finish(m.box, StatusCancelled, &ToolPatch{DurationMs: &took, Output: p.Output}, now)
		return
	}
	m.fail(c, why, p, now)
}

// fail ends a call as failed and remembers it, to recognize retries.
func (m *toolCalls) fail(c *call, why string, p *ToolPatch, now int64) {
	retryable := MayPass(why)
	if p.Retryable != nil {
		retryable = *p.Retryable
	}
	c.fail(m.box, why, retryable, p, now)
	m.failed.add(c)
}

// reconsider updates the end of a call after late output: its summary, or that it failed. p is the late report, or nil.
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

// settleLate reconsiders the call with late output once a report about something else arrives.
func (m *toolCalls) settleLate(except *call) {
	if m.late != nil && m.late != except {
		m.reconsider(m.late, nil)
	}
}

// failedCalls remembers the failed calls of a message, to recognize calls that retry one.
type failedCalls struct {
	asked map[failedCall]bool
}

type failedCall struct {
	kind  string
	input uint64 // as [results.Facts.InputKey] has it
}

// maxFailed is the number of failed calls that are remembered per message.
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

// has reports whether a call with the same kind and arguments failed.
func (f *failedCalls) has(c *call) bool {
	return c.facts.InputKey() != 0 && f.asked[failedCall{c.kind, c.facts.InputKey()}]
}

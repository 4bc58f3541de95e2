package transcript

import "weft/backend/clip"

// outcome ends a call that the agent reports as completed: as what its own result says.
func (f *Fold) outcome(c *call, p *ToolPatch, now int64) {
	c.reported = StatusCompleted
	if p != nil && p.Output != nil {
		c.facts.Output(p.Output)
	}
	why, failed := c.facts.Verdict(c.kind)
	switch {
	case !failed:
		f.end(c, StatusCompleted, p, now)
	case c.status != StatusFailed || p != nil && p.Output != nil:
		f.refuted(c, why, p, now)
	}
}

// refuted ends a call as failed that was reported as completed. One that was stopped stays cancelled: that its result is none is no failure.
func (f *Fold) refuted(c *call, why string, p *ToolPatch, now int64) {
	if c.stopped {
		took := c.took
		end := &ToolPatch{DurationMs: &took}
		if p != nil {
			end.Output = p.Output
		}
		f.end(c, StatusCancelled, end, now)
		return
	}
	retryable := MayPass(why)
	if p != nil && p.Retryable != nil {
		retryable = *p.Retryable
	}
	f.fail(c, why, retryable, p, now)
	f.noteFailed(c)
}

// reconsider tells what is known by now of a call that had ended: its summary, or that it failed after all.
func (f *Fold) reconsider(c *call, p *ToolPatch) {
	if f.late == c {
		f.late = nil
	}
	if !c.status.Ended() || c.reported != StatusCompleted {
		return
	}
	why, failed := c.facts.Verdict(c.kind)
	switch {
	case failed && c.status == StatusFailed && c.failure == clip.JSON(why, maxNote):
	case failed:
		f.refuted(c, why, &ToolPatch{DurationMs: &c.took}, 0)
	case c.status == StatusFailed:
		f.end(c, StatusCompleted, &ToolPatch{DurationMs: &c.took}, 0)
	default:
		if summary, count := f.summary(c, p); summary != "" {
			f.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Summary: &summary, ResultCount: count})
		}
	}
}

// settleLate reconsiders the call of which output has come after its end, when something else comes.
func (f *Fold) settleLate(except *call) {
	if f.late != nil && f.late != except {
		f.reconsider(f.late, nil)
	}
}

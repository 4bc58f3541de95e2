package transcript

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/fault"
)

// callEnd is how a call has ended: what its agent reported, and what is shown of that.
type callEnd struct {
	reported Status  // its end, as the agent reported it last; "" if it has not
	failure  string  // why it failed, as it is shown
	took     int64   // ms
	summary  *string // by a tool that knows, nil if there is none
	retried  bool    // it repeats a call that failed
	unheard  bool    // its agent reported no result
	stopped  bool    // with its turn, which was stopped
	refused  bool    // by the user, whose answer was that there is none: its agent offers no other
}

// noResult is the summary of a call that its agent has left open.
var noResult = fault.Text("No result reported")

// finish writes that a call has ended with s, which is not [StatusFailed]. P is the report of that, nil if there is none.
func (c *call) finish(o *Outbox, s Status, p *ToolPatch, now int64) {
	c.settle(o, true)
	c.end.took = c.times.took(p, now)
	var output jsontext.Value
	var ref *Ref
	if p != nil && p.Output != nil {
		output, ref = c.setOutput(o, p.Output)
	}
	c.status = s
	if s == StatusCompleted {
		b := &ToolCallEnd{At: c.at, ToolCallID: c.id, Status: s, DurationMs: c.end.took, WasRetried: c.end.retried, Output: output, OutputRef: ref}
		b.Summary, b.ResultCount = c.summary(p)
		o.add(b)
		return
	}
	b := NotDone(c.at, c.id, s)
	b.DurationMs, b.WasRetried, b.Output, b.OutputRef = c.end.took, c.end.retried, output, ref
	if s == StatusCancelled && c.end.unheard {
		b.Error, b.Summary = noResult, noResult
	}
	o.add(b)
}

// NotDone returns the end of a call that was canceled or rejected, as s says. It is an error to who knows nothing else of a call than its start, its end
// and its error.
func NotDone(at At, id string, s Status) *ToolCallError {
	b := &ToolCallError{At: at, ToolCallID: id, Status: s, Error: "The call was canceled."}
	if s == StatusRejected {
		b.Error = "The call was rejected."
	}
	return b
}

// fail writes that a call has failed, and why. P is the report of that, nil if there is none.
func (c *call) fail(o *Outbox, why string, retryable bool, p *ToolPatch, now int64) {
	c.settle(o, true)
	c.end.took, c.end.failure = c.times.took(p, now), clip.JSON(why, maxNote)
	b := &ToolCallError{At: c.at, ToolCallID: c.id, Error: c.end.failure, Retryable: retryable, WasRetried: c.end.retried, DurationMs: c.end.took}
	if c.end.reported == StatusCompleted {
		b.Reported = c.end.reported
	}
	if p != nil && p.Output != nil {
		b.Output, b.OutputRef = c.setOutput(o, p.Output)
	}
	c.status = StatusFailed
	o.add(b)
}

// explain keeps what the agent reports of a call that was rejected, and stays that: its words are no failure.
func (c *call) explain(o *Outbox, p *ToolPatch) {
	if p.Output == nil {
		return
	}
	b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
	b.Output, b.OutputRef = c.setOutput(o, p.Output)
	o.add(b)
}

// summary returns what a completed call has come to, and how many results it has found, nil where that is not known.
func (c *call) summary(p *ToolPatch) (string, *int) {
	summary, count := c.facts.Summary(c.kind)
	if c.end.summary != nil {
		summary = clip.JSON(*c.end.summary, maxNote)
	}
	if p != nil && p.ResultCount != nil {
		count = p.ResultCount
	}
	return summary, count
}

// failureText returns why a call failed that the report p ends.
func (c *call) failureText(p *ToolPatch) string {
	if p.Error != nil && *p.Error != "" {
		return clip.JSON(*p.Error, maxNote)
	}
	if p.Output != nil {
		c.facts.Output(p.Output)
	}
	if text := c.facts.ErrorText(c.kind); text != "" {
		return clip.JSON(text, maxNote)
	}
	return fault.Text("The tool failed and gave no reason.")
}

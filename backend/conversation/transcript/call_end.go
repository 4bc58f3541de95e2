package transcript

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// callEnd records how a call ended: what its agent reported, and what is shown.
type callEnd struct {
	reported   Status  // the end that the agent last reported; "" if none
	failure    string  // the error, as shown
	took       int64   // ms
	summary    *string // from the tool itself, or nil
	retried    bool    // it repeats a call that failed
	unreported bool    // its agent reported no result
	stopped    bool    // its turn was stopped
	refused    bool    // the user canceled the request, because the agent offers no option to refuse
}

// noResult is the summary of a call that its agent left open.
var noResult = fault.Text("No result reported")

// finish ends a call with s, which is not [StatusFailed]. p is the report that ends it, or nil.
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
	if s == StatusCancelled && c.end.unreported {
		b.Error, b.Summary = noResult, noResult
	}
	o.add(b)
}

// NotDone returns the end of a call that was canceled or rejected. It is a [ToolCallError], so that readers that know
// only the start, end and error events don't take it for a success.
func NotDone(at At, id string, s Status) *ToolCallError {
	b := &ToolCallError{At: at, ToolCallID: id, Status: s, Error: "The call was canceled."}
	if s == StatusRejected {
		b.Error = "The call was rejected."
	}
	return b
}

// fail ends a call as failed. p is the report that ends it, or nil.
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

// explain stores the agent's output for a rejected call. The call stays rejected; the output is not an error.
func (c *call) explain(o *Outbox, p *ToolPatch) {
	if p.Output == nil {
		return
	}
	b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
	b.Output, b.OutputRef = c.setOutput(o, p.Output)
	o.add(b)
}

// summary returns the summary and the number of results of a completed call. The number is nil if unknown.
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

// failureText returns the error of a call that p ends as failed.
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

package transcript

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// requests maps the ids of a message's open permission requests to their calls.
type requests map[string]*call

// waiting is an open permission request of a call.
type waiting struct {
	request string
	options []PermissionOption
}

// effect reports whether r allows the call or rejects it. It may do neither.
func (w *waiting) effect(r Resolution) (allows, rejects bool) {
	if r.By != nil {
		return r.By.Effect == "allow", r.By.Effect == "reject"
	}
	for _, o := range w.options {
		if r.Outcome == "selected" && o.ID == r.OptionID {
			return strings.HasPrefix(o.Kind, "allow"), strings.HasPrefix(o.Kind, "reject")
		}
	}
	return false, false
}

// open writes that a call waits for a request. reading is as in [Fold.AskPermission].
func (r requests) open(o *Outbox, c *call, w waiting, reading jsontext.Value) {
	c.waits = append(c.waits, w)
	r[w.request] = c
	b := &PermissionRequest{At: c.at, ToolCallID: c.id, RequestID: w.request, Options: w.options}
	b.Reading, b.ReadingRef = o.reading(reading, w.options)
	o.add(b)
}

// resolve writes the end of a request. It returns its call, nil if the request is not open, and whether the call is
// rejected.
func (r requests) resolve(o *Outbox, id string, res Resolution, now int64) (c *call, rejected bool) {
	c = r[id]
	if c == nil {
		return nil, false
	}
	i := slices.IndexFunc(c.waits, func(w waiting) bool { return w.request == id })
	w := c.waits[i]
	c.waits = slices.Delete(c.waits, i, i+1)
	allows, rejects := w.effect(res)
	c.end.refused = res.Outcome == "cancelled" && res.By == nil
	if allows && len(c.waits) == 0 && (c.status == StatusPending || c.status == StatusRunning && c.kind != KindDisplay) {
		c.status, c.times.running = StatusRunning, now // some agents don't report it, or reported it before they asked
	}
	r.close(o, c, w.request, res, rejects)
	return c, rejects
}

// withdraw ends the open requests of a call that ended without an answer.
func (r requests) withdraw(o *Outbox, c *call) {
	for len(c.waits) > 0 {
		id := c.waits[0].request
		c.waits = c.waits[1:]
		r.close(o, c, id, Resolution{Outcome: "cancelled", By: &By{Who: "agent"}}, false)
	}
}

// close writes the end of a request for which its call no longer waits.
func (r requests) close(o *Outbox, c *call, id string, res Resolution, rejected bool) {
	delete(r, id)
	status := c.status
	switch {
	case status.Ended():
	case rejected:
		status = StatusRejected
	case len(c.waits) > 0:
		status = StatusWaiting
	}
	o.add(&PermissionResolved{At: c.at, ToolCallID: c.id, RequestID: id, Outcome: res.Outcome, OptionID: res.OptionID, Status: status, By: res.By})
}

package transcript

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript/results"
)

// call is the fold's state of one tool call. Its methods change the state and write the change to an outbox.
type call struct {
	at     At
	id     string
	kind   string
	parent string // id of the parent call
	name   callName
	look   callLook
	status Status // as shown, except StatusWaiting
	times  callTimes
	waits  []waiting // its open permission requests, oldest first
	facts  results.Facts
	input  callInput
	output callOutput
	end    callEnd
}

// callLook is how a call is drawn.
type callLook struct {
	visibility string         // "" in full
	drawn      jsontext.Value // of a display
}

// callTimes records when a call started, in unix ms.
type callTimes struct {
	created int64 // of its first report
	running int64 // when it first ran, 0 if it has not run
}

// took returns the duration of a call that ends now: the one in p, or else the time since the call started. p may be
// nil.
func (t callTimes) took(p *ToolPatch, now int64) int64 {
	if p != nil && p.DurationMs != nil {
		return *p.DurationMs
	}
	since := t.created
	if t.running != 0 {
		since = t.running
	}
	return max(0, now-since)
}

// start writes the start of a call. p is the first report about it. parent is the id of the parent call, or nil.
func (c *call) start(o *Outbox, p *ToolPatch, parent *string) {
	o.begin()
	b := &ToolCallStart{At: c.at, ToolCallID: c.id, Kind: "other", Status: StatusPending}
	if p.Status != nil && *p.Status != StatusPending {
		// If the first report says that the call has ended, the call has run.
		b.Status, c.status, c.times.running = StatusRunning, StatusRunning, c.times.created
	}
	if p.Title != nil {
		b.Title, b.TitleRef = o.label(*p.Title)
		c.name.setTitle(b.Title, p.Called)
	}
	if p.Kind != nil && *p.Kind != "" {
		b.Kind = clip.JSON(*p.Kind, 64)
	}
	c.kind = b.Kind
	if p.Name != nil && *p.Name != "" {
		c.name.setReported(*p.Name)
	} else if _, ok := c.name.derive(c.kind); ok {
		b.NameDerived = true
	}
	b.ToolName = c.name.tool
	b.Visibility = shown(p.Visibility)
	c.look.visibility = b.Visibility
	if parent != nil {
		b.ParentToolCallID, c.parent = *parent, *parent
	}
	if p.Input != nil {
		b.Input, b.InputRef = c.setInput(o, p.Input)
	}
	if p.Locations != nil {
		b.Locations, b.LocationsRef = c.setLocations(o, *p.Locations)
	}
	if p.Content != nil {
		b.Content, b.ContentRef = c.setContent(o, *p.Content)
	}
	o.add(b)
	if p.Output != nil && (p.Status == nil || !p.Status.Ended()) {
		u := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
		u.Output, u.OutputRef = c.setOutput(o, p.Output)
		o.add(u)
	}
}

// update writes the fields that p mentions, except the status. parent is the id of the parent call, or nil if p doesn't
// say.
func (c *call) update(o *Outbox, p *ToolPatch, parent *string) {
	b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
	// The input is complete if the agent announces the call, changes its status, or streamed the input until now.
	whole := p.Announced || p.Status != nil && *p.Status != c.status || c.input.streamed
	changed := false
	if p.Name != nil && *p.Name != "" {
		c.name.setReported(*p.Name)
		name := c.name.tool
		b.ToolName, changed = &name, true
	}
	if p.Title != nil {
		var title string
		title, b.TitleRef = o.label(*p.Title)
		c.name.setTitle(title, p.Called)
		b.Title, changed = &title, true
	}
	if p.Kind != nil {
		kind := clip.JSON(*p.Kind, 64)
		b.Kind, c.kind, changed = &kind, kind, true
	}
	if name, ok := c.name.derive(c.kind); ok {
		b.ToolName, b.NameDerived, changed = &name, true, true
	}
	if p.Visibility != "" && shown(p.Visibility) != c.look.visibility {
		b.Visibility, c.look.visibility, changed = p.Visibility, shown(p.Visibility), true
	}
	if parent != nil && *parent != c.parent {
		b.ParentToolCallID, c.parent, changed = parent, *parent, true
	}
	switch {
	case p.Input == nil:
	case p.InputDelta != "": // the delta has this input, and the start of the next field
		c.facts.Input(p.Input)
	case !c.growInput(o, p):
		b.Input, b.InputRef = c.setInput(o, p.Input)
		changed = true
	}
	if p.Locations != nil {
		list, ref := c.setLocations(o, *p.Locations)
		b.LocationsRef, changed = ref, true
		if ref == nil {
			b.Locations = &list
		}
	}
	if p.Content != nil {
		list, ref := c.setContent(o, *p.Content)
		b.ContentRef, changed = ref, true
		if ref == nil {
			b.Content = &list
		}
	}
	if p.Output != nil && !c.endsWith(p) {
		b.Output, b.OutputRef = c.setOutput(o, p.Output)
		changed = true
	}
	if changed {
		o.addUpdate(b, whole)
	}
}

// endsWith reports whether p ends the call in a way that is new.
func (c *call) endsWith(p *ToolPatch) bool {
	return p.Status != nil && p.Status.Ended() && *p.Status != c.status
}

// draw writes how a call is drawn. It is large, so it gets a separate event.
func (c *call) draw(o *Outbox, p *ToolPatch) {
	if p.Drawn == nil || len(p.Drawn) > MaxDrawn || bytes.Equal(p.Drawn, c.look.drawn) {
		return
	}
	c.look.drawn = p.Drawn
	o.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Drawn: p.Drawn})
}

// advance moves a call that has not ended to the status s. While the call waits for the user, it is still shown as
// waiting.
func (c *call) advance(o *Outbox, s Status, now int64) {
	if s == StatusRunning && c.times.running == 0 {
		c.times.running = now
	}
	c.settle(o, false)
	c.status = s
	if len(c.waits) > 0 {
		return
	}
	if b := o.mergeIntoStart(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Status: &s}, true); b != nil {
		o.add(b)
		o.markUrgent()
	}
}

// mayContinue reports whether a call that is open at the end of a turn may still end: it waits for the user, is a
// display, or was started in the background.
func (c *call) mayContinue() bool {
	return len(c.waits) > 0 || c.kind == KindDisplay || c.end.summary != nil || c.output.terminals > 0
}

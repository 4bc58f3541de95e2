package transcript

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/transcript/jsondelta"
	"weft/backend/transcript/results"
)

// call is what the fold remembers of a tool call.
type call struct {
	at      At
	id      string
	kind    string
	title   string
	called  string // the agent's title, where that is another one
	parent  string // id of the call that it belongs to
	created int64  // unix ms of the first sign of it
	running int64  // unix ms when it first ran, 0 if it has not
	status  Status // as shown, but for waiting
	waits   []waiting
	facts   results.Facts
	retried bool
	unheard bool   // it has ended as its agent has told no result
	stopped bool   // it has ended with its turn, which was stopped
	looks   string // its visibility, "" in full
	name    string // of its tool, as told or derived
	named   nameFrom

	reported Status         // its end, as the agent reported it last; "" if it has not
	failure  string         // why it failed, as it was told
	took     int64          // ms, of an ended one
	told     *string        // the summary, by a tool that knows
	drawn    jsontext.Value // how it is drawn, of a display

	terminals int   // that it has
	shown     int64 // bytes of the output of a display-only one

	inputRef, contentRef, locationsRef, outputRef *Ref
	content                                       []Content // as last sent; only references of large ones
	streamed                                      bool      // its input came as deltas

	input   jsontext.Value // as last sent by the agent, of an open call
	growing jsondelta.Object
	unsent  bool // the input is in deltas only
}

type waiting struct {
	request string
	options []PermissionOption
}

// tool folds one report about a tool call and returns what is remembered of it.
func (f *Fold) tool(p *ToolPatch, now int64) *call {
	id := boundID(p.ID)
	c := f.calls[id]
	f.settleLate(c)
	if c != nil && p.Summary != nil {
		c.told = p.Summary
	}
	if c == nil {
		c = f.start(id, p, now)
		c.told = p.Summary
	} else {
		if p.Again && c.status.Ended() {
			f.beginAgain(c, now)
		}
		f.update(c, p)
	}
	f.drawn(c, p)
	if p.WasRetried != nil && !c.status.Ended() {
		c.retried = c.retried || *p.WasRetried
	}
	f.deltas(c, p)
	if p.Content != nil {
		f.terminals.named(f, c, *p.Content)
	}
	if p.Status != nil {
		f.status(c, *p.Status, p, now)
	}
	return c
}

// drawn tells how a call is drawn, in an event of its own: it is large.
func (f *Fold) drawn(c *call, p *ToolPatch) {
	if p.Drawn == nil || len(p.Drawn) > MaxDrawn || bytes.Equal(p.Drawn, c.drawn) {
		return
	}
	c.drawn = p.Drawn
	f.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Drawn: p.Drawn})
}

func (f *Fold) start(id string, p *ToolPatch, now int64) *call {
	f.newItem()
	c := &call{at: At{MessageID: f.ID, Segment: f.segments - 1, Item: f.items - 1}, id: id, created: now, status: StatusPending}
	f.calls[id] = c
	f.remember(c)
	b := &ToolCallStart{At: c.at, ToolCallID: id, Kind: "other", Status: StatusPending}
	if p.Status != nil && *p.Status != StatusPending {
		// A call that is first heard of when it has ended did run before.
		b.Status, c.status, c.running = StatusRunning, StatusRunning, now
	}
	if p.Title != nil {
		b.Title, b.TitleRef = f.box.label(*p.Title)
		c.title, c.called = b.Title, p.Called
	}
	if p.Kind != nil && *p.Kind != "" {
		b.Kind = clip.JSON(*p.Kind, 64)
	}
	c.kind = b.Kind
	if p.Name != nil && *p.Name != "" {
		c.name, c.named = clip.JSON(*p.Name, maxID), nameTold
	} else if _, ok := c.derive(); ok {
		b.NameDerived = true
	}
	b.ToolName = c.name
	b.Visibility = shown(p.Visibility)
	c.looks = b.Visibility
	if parent := f.parentOf(id, p); parent != nil {
		b.ParentToolCallID, c.parent = *parent, *parent
	}
	if p.Input != nil {
		b.Input, b.InputRef = f.box.value(p.Input)
		c.inputRef = b.InputRef
		c.remember(p.Input)
		c.facts.Input(p.Input)
	}
	if p.Locations != nil {
		b.Locations, b.LocationsRef = boundedList(f.box, *p.Locations)
		c.locationsRef = b.LocationsRef
		c.locatedAt(*p.Locations)
	}
	if p.Content != nil {
		c.facts.Content(parts(*p.Content))
		c.content = f.box.content(*p.Content)
		b.Content, b.ContentRef = boundedList(f.box, c.content)
		c.contentRef = b.ContentRef
	}
	f.box.add(b)
	if p.Output != nil && (p.Status == nil || !p.Status.Ended()) {
		u := &ToolCallUpdate{At: c.at, ToolCallID: id}
		f.output(c, p, &u.Output, &u.OutputRef)
		f.box.add(u)
	}
	return c
}

// remember keeps the list of open calls short: ended ones are swept when it has doubled.
func (f *Fold) remember(c *call) {
	if len(f.open) == cap(f.open) && len(f.open) >= 64 {
		live := make([]*call, 0, len(f.open))
		for _, o := range f.open {
			if !o.status.Ended() {
				live = append(live, o)
			}
		}
		f.open = append(make([]*call, 0, 2*len(live)+64), live...)
	}
	f.open = append(f.open, c)
}

// update sends the fields that the report mentions, but for the status.
func (f *Fold) update(c *call, p *ToolPatch) {
	b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
	changed := false
	if p.Name != nil && *p.Name != "" {
		c.name, c.named = clip.JSON(*p.Name, maxID), nameTold
		name := c.name
		b.ToolName, changed = &name, true
	}
	if p.Title != nil {
		var title string
		title, b.TitleRef = f.box.label(*p.Title)
		b.Title, c.title, c.called, changed = &title, title, p.Called, true
	}
	if p.Kind != nil {
		kind := clip.JSON(*p.Kind, 64)
		b.Kind, c.kind, changed = &kind, kind, true
	}
	if name, ok := c.derive(); ok {
		b.ToolName, b.NameDerived, changed = &name, true, true
	}
	if p.Visibility != "" && shown(p.Visibility) != c.looks {
		b.Visibility, c.looks, changed = p.Visibility, shown(p.Visibility), true
	}
	if parent := f.parentOf(c.id, p); parent != nil && *parent != c.parent {
		b.ParentToolCallID, c.parent, changed = parent, *parent, true
	}
	switch {
	case p.Input == nil:
	case p.InputDelta != "": // the fragments say as much, and what of the next field is written already
		c.facts.Input(p.Input)
	case !f.grows(c, p):
		f.input(c, p.Input, b)
		changed = true
	}
	if p.Locations != nil {
		old := c.locationsRef
		list, ref := boundedList(f.box, *p.Locations)
		c.locatedAt(*p.Locations)
		b.LocationsRef, c.locationsRef, changed = ref, ref, true
		if ref == nil {
			b.Locations = &list
		}
		f.box.supersede(old)
	}
	if p.Content != nil {
		f.replaceContent(c, *p.Content, b)
		changed = true
	}
	ends := p.Status != nil && p.Status.Ended()
	if p.Output != nil && (!ends || c.status == *p.Status) {
		f.output(c, p, &b.Output, &b.OutputRef)
		changed = true
	}
	late := c.status.Ended() && (p.Content != nil || p.Output != nil || p.Summary != nil) && (!ends || c.status == *p.Status)
	if late && c.reported == StatusCompleted {
		defer f.reconsider(c, p)
	}
	if !changed {
		return
	}
	if last := len(f.box.out.Bodies) - 1; last >= 0 {
		if prev, ok := f.box.out.Bodies[last].(*ToolCallUpdate); ok && prev.At == c.at && prev.Status == nil && prev.Drawn == nil && f.box.open == nil {
			merge(prev, b)
			return
		}
	}
	f.box.add(b)
}

// grows sends what an input has grown by, nothing if it is the same. It reports false if the input has to be sent
// whole.
func (f *Fold) grows(c *call, p *ToolPatch) bool {
	if !c.unsent && !c.streamed && c.input != nil && bytes.Equal(c.input, p.Input) {
		return true // it has been sent
	}
	if p.Announced || p.Status != nil && *p.Status != c.status || p.Output != nil || p.OutputDelta != "" ||
		c.status.Ended() || c.streamed || len(c.waits) > 0 {
		return false
	}
	fragment, ok := c.growing.Grow(c.input, p.Input)
	if !ok {
		return false
	}
	c.input, c.unsent = p.Input, true
	f.inputDelta(c, string(fragment))
	return true
}

// input sends an input whole.
func (f *Fold) input(c *call, input jsontext.Value, b *ToolCallUpdate) {
	old := c.inputRef
	b.Input, b.InputRef = f.box.value(input)
	c.inputRef = b.InputRef
	f.box.supersede(old)
	c.facts.Input(input)
	c.growing, c.unsent, c.streamed = jsondelta.Object{}, false, false
	c.remember(input)
}

func (c *call) locatedAt(list []Location) {
	if len(list) > 0 {
		c.facts.At(list[0].Path)
	}
}

// parts is a list of content as [results.Facts] takes it.
func parts(list []Content) iter.Seq[results.Part] {
	return func(yield func(results.Part) bool) {
		for i := range list {
			c := &list[i]
			if !yield(results.Part{Type: c.Type, Text: c.Text, Path: c.Path, OldText: c.OldText, NewText: c.NewText}) {
				return
			}
		}
	}
}

// remember keeps an input for comparison with the next one.
func (c *call) remember(input jsontext.Value) {
	if c.input = input; len(input) > jsondelta.MaxSize || c.status.Ended() {
		c.input = nil
	}
}

// settle sends the input whole of which only the growth was sent, and lets it go when the call has ended.
func (f *Fold) settle(c *call, ends bool) {
	if c.unsent {
		b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
		f.input(c, c.input, b)
		f.box.add(b)
	}
	if ends {
		c.input, c.growing = nil, jsondelta.Object{}
	}
}

func (f *Fold) replaceContent(c *call, list []Content, b *ToolCallUpdate) {
	oldRef, old := c.contentRef, c.content
	c.facts.Content(parts(list))
	c.content = f.box.content(list)
	sent, ref := boundedList(f.box, c.content)
	b.ContentRef, c.contentRef = ref, ref
	if ref == nil {
		b.Content = &sent
	}
	f.box.supersede(oldRef)
	for i := range old {
		f.box.supersede(old[i].Ref)
		f.box.supersede(old[i].OldRef)
		f.box.supersede(old[i].NewRef)
	}
}

func (f *Fold) output(c *call, p *ToolPatch, value *jsontext.Value, ref **Ref) {
	old := c.outputRef
	c.facts.Output(p.Output)
	*value, *ref = f.box.value(p.Output)
	c.outputRef = *ref
	f.box.supersede(old)
}

// merge lays b over prev: both change the same call, and nobody has seen prev yet.
func merge(prev, b *ToolCallUpdate) {
	if b.ToolName != nil {
		prev.ToolName, prev.NameDerived = b.ToolName, b.NameDerived
	}
	if b.Title != nil {
		prev.Title, prev.TitleRef = b.Title, b.TitleRef
	}
	if b.Kind != nil {
		prev.Kind = b.Kind
	}
	if b.ParentToolCallID != nil {
		prev.ParentToolCallID = b.ParentToolCallID
	}
	if b.Input != nil || b.InputRef != nil {
		prev.Input, prev.InputRef = b.Input, b.InputRef
	}
	if b.Output != nil || b.OutputRef != nil {
		prev.Output, prev.OutputRef = b.Output, b.OutputRef
	}
	if b.Content != nil || b.ContentRef != nil {
		prev.Content, prev.ContentRef = b.Content, b.ContentRef
	}
	if b.Locations != nil || b.LocationsRef != nil {
		prev.Locations, prev.LocationsRef = b.Locations, b.LocationsRef
	}
	if b.Summary != nil {
		prev.Summary, prev.ResultCount = b.Summary, b.ResultCount
	}
	if b.Exit != nil {
		prev.Exit = b.Exit
	}
	if b.Error != nil {
		prev.Error = b.Error
	}
	if b.Visibility != "" {
		prev.Visibility = b.Visibility
	}
}

func (f *Fold) deltas(c *call, p *ToolPatch) {
	if p.InputDelta != "" {
		c.streamed = true
		f.inputDelta(c, p.InputDelta)
	}
	if p.OutputDelta != "" {
		c.shown += int64(len(p.OutputDelta))
		c.facts.Streamed(p.OutputDelta)
		f.box.extend(p.OutputDelta, func(b Body) bool {
			d, ok := b.(*ToolOutputDelta)
			return ok && d.At == c.at && d.TerminalID == ""
		}, func(rest int) Body {
			return &ToolOutputDelta{At: c.at, ToolCallID: c.id, Offset: c.shown - int64(rest)}
		})
		if c.status.Ended() && p.Exit == nil {
			f.late = c
			if f.ended {
				f.settleLate(nil)
			}
		}
	}
	if p.Exit != nil {
		c.facts.Exited(p.Exit.Code, p.Exit.Signal)
		defer f.reconsider(c, nil)
		exit := *p.Exit
		exit.Signal = clip.JSON(exit.Signal, 64)
		f.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Exit: &exit})
	}
}

func (f *Fold) inputDelta(c *call, fragment string) {
	f.box.extend(fragment, func(b Body) bool {
		d, ok := b.(*ToolInputDelta)
		return ok && d.At == c.at
	}, func(int) Body { return &ToolInputDelta{At: c.at, ToolCallID: c.id} })
}

// status moves a call to s. An ended call is not opened again, a rejection outlives the
// failure that it causes, and otherwise the agent's last word wins.
func (f *Fold) status(c *call, s Status, p *ToolPatch, now int64) {
	switch {
	case s == c.status:
	case !s.Ended():
		if c.status.Ended() {
			return
		}
		if s == StatusRunning && c.running == 0 {
			c.running = now
		}
		f.settle(c, false)
		c.status = s
		if len(c.waits) == 0 {
			f.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Status: &s})
			f.box.urgent = true
		}
	case s == StatusFailed && c.status == StatusRejected:
		text := f.failureText(c, p)
		b := &ToolCallUpdate{At: c.at, ToolCallID: c.id, Error: &text}
		if p.Output != nil {
			f.output(c, p, &b.Output, &b.OutputRef)
		}
		f.box.add(b)
	case s == StatusFailed && c.status == StatusCancelled && !c.unheard: // it was stopped, which is no failure
	case s == StatusFailed:
		c.reported = s
		f.withdraw(c)
		text := f.failureText(c, p)
		retryable := MayPass(text)
		if p.Retryable != nil {
			retryable = *p.Retryable
		}
		f.settle(c, true)
		f.noteRetry(c, p)
		f.fail(c, text, retryable, p, now)
		f.noteFailed(c)
	default:
		f.withdraw(c)
		f.settle(c, true)
		f.noteRetry(c, p)
		if s == StatusCompleted {
			f.outcome(c, p, now)
			return
		}
		c.reported = s
		f.end(c, s, p, now)
	}
}

// noteRetry finds out whether a call that ends repeats one that had failed: the tool says so, or the
// arguments are those of a call of the same kind.
func (f *Fold) noteRetry(c *call, p *ToolPatch) {
	switch {
	case p.WasRetried != nil:
		c.retried = c.retried || *p.WasRetried
	case c.facts.InputKey() != 0:
		c.retried = c.retried || f.failed[failedCall{c.kind, c.facts.InputKey()}]
	}
}

// maxFailed is how many failed calls of a message are remembered for what repeats them.
const maxFailed = 1024

func (f *Fold) noteFailed(c *call) {
	if c.facts.InputKey() == 0 || len(f.failed) >= maxFailed {
		return
	}
	if f.failed == nil {
		f.failed = map[failedCall]bool{}
	}
	f.failed[failedCall{c.kind, c.facts.InputKey()}] = true
}

type failedCall struct {
	kind  string
	input uint64
}

func (f *Fold) end(c *call, s Status, p *ToolPatch, now int64) {
	f.settle(c, true)
	c.took = c.duration(p, now)
	b := &ToolCallEnd{At: c.at, ToolCallID: c.id, Status: s, DurationMs: c.took, WasRetried: c.retried}
	if p != nil && p.Output != nil {
		f.output(c, p, &b.Output, &b.OutputRef)
	}
	c.status = s
	switch {
	case s == StatusCompleted:
		b.Summary, b.ResultCount = f.summary(c, p)
	case s == StatusCancelled && c.unheard:
		b.Summary = noResult
	}
	f.box.add(b)
}

func (f *Fold) fail(c *call, text string, retryable bool, p *ToolPatch, now int64) {
	f.settle(c, true)
	c.took, c.failure = c.duration(p, now), clip.JSON(text, maxNote)
	b := &ToolCallError{At: c.at, ToolCallID: c.id, Error: c.failure, Retryable: retryable, WasRetried: c.retried, DurationMs: c.took}
	if c.reported == StatusCompleted {
		b.Reported = c.reported
	}
	if p != nil && p.Output != nil {
		f.output(c, p, &b.Output, &b.OutputRef)
	}
	c.status = StatusFailed
	f.box.add(b)
}

func (c *call) duration(p *ToolPatch, now int64) int64 {
	if p != nil && p.DurationMs != nil {
		return *p.DurationMs
	}
	since := c.created
	if c.running != 0 {
		since = c.running
	}
	return max(0, now-since)
}

func (f *Fold) summary(c *call, p *ToolPatch) (string, *int) {
	summary, count := c.facts.Summary(c.kind)
	if c.told != nil {
		summary = clip.JSON(*c.told, maxNote)
	}
	if p != nil && p.ResultCount != nil {
		count = p.ResultCount
	}
	return summary, count
}

func (f *Fold) failureText(c *call, p *ToolPatch) string {
	if p != nil && p.Error != nil && *p.Error != "" {
		return clip.JSON(*p.Error, maxNote)
	}
	if p != nil && p.Output != nil {
		c.facts.Output(p.Output)
	}
	if text := c.facts.ErrorText(c.kind); text != "" {
		return clip.JSON(text, maxNote)
	}
	return "The tool failed and gave no reason."
}

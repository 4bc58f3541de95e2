package toolcalls

import (
	"slices"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// Changes shows what the calls of a run change: agents that send a patch mostly tell neither a diff nor a title, and diffs of a part
// of a file come without its place. It is not safe for concurrent use.
type Changes struct {
	folder string // absolute
	open   Open
	calls  map[string]*change
	lines  lines
	looks  int // until now
}

// change is what is known of the patch in a call, and of its looks.
type change struct {
	made    *patched             // nil until the first look at it is done
	look    int                  // by which that was found
	pending int                  // looks that are not done
	latest  transcript.ToolPatch // reported since the first of these
}

// NewChanges returns the changes of a session that works in a folder. Open has what the agent has reported of its open calls; the caller keeps it.
func NewChanges(folder string, open Open) *Changes {
	return &Changes{folder: folder, open: open, calls: map[string]*change{}}
}

// Forget is for the end of a run.
func (c *Changes) Forget() {
	clear(c.calls)
	c.lines = lines{}
}

// Reported says what a report is.
type Reported struct {
	Asking   bool             // it is a permission request
	Replayed bool             // the agent replays it: the files have gone on since
	Fixed    bool             // the call is shown by Weft itself, with a title and changes of its own
	Own      bool             // the agent is Weft's own, which tells where its diffs are
	Place    permission.Place // where the agent works
}

// Report returns what an agent reports of a call as the user can read it, as far as no file has to be read for it. If one has to, look says which;
// [Changes.Done] then returns the rest. The report itself is not changed.
func (c *Changes) Report(p *transcript.ToolPatch, as Reported) (now *transcript.ToolPatch, look *Look) {
	if known := c.calls[p.ID]; known != nil && known.pending > 0 {
		known.latest = *Over(&known.latest, p)
	}
	l := &Look{told: p, as: as, folder: c.folder}
	now = p
	if p.Content != nil && !as.Own && !as.Replayed {
		now = c.withLines(p, l)
	}
	var made *patched
	if !as.Fixed {
		if made = c.patchOf(p, l); l.files != nil {
			made = nil // what is known is of earlier arguments
		}
		now = c.legible(now, made, as, false)
	}
	if l.files == nil && len(l.parts) == 0 {
		return now, nil
	}
	known := c.calls[p.ID]
	if known == nil {
		if len(c.calls) >= MaxCalls {
			return now, nil
		}
		known = &change{}
		c.calls[p.ID] = known
	}
	if known.pending++; known.pending == 1 {
		known.latest = *p
	}
	c.looks++
	l.number = c.looks
	return now, l
}

// Done takes a look whose files were read. It returns what is to be shown of the call beside what [Changes.Report] has returned, nil for nothing.
func (c *Changes) Done(l *Look) *transcript.ToolPatch {
	c.lines.learn(l)
	known := c.calls[l.told.ID]
	if known == nil {
		return nil // of an earlier run
	}
	known.pending--
	base := *Over(l.told, &known.latest)
	if known.pending == 0 {
		known.latest = transcript.ToolPatch{}
	}
	now := &base
	if base.Content != nil && len(l.parts) > 0 {
		now = c.withLines(now, nil)
	}
	if l.made != nil && l.number > known.look {
		l.made.since(known.made)
		known.made, known.look = l.made, l.number
	}
	if l.files != nil && known.look == l.number {
		now = c.legible(now, known.made, l.as, true)
	}
	late := transcript.ToolPatch{ID: l.told.ID}
	if now.Content != base.Content {
		late.Content = now.Content
	}
	if now.Locations != base.Locations {
		late.Locations = now.Locations
	}
	if now.Kind != base.Kind {
		late.Kind = now.Kind
	}
	if now.Title != base.Title {
		late.Title, late.Called = now.Title, now.Called
	}
	if late.Content == nil && late.Locations == nil && late.Kind == nil && late.Title == nil {
		return nil
	}
	if call := c.open[late.ID]; call != nil {
		patchCall(&call.Call, &late, maxInput)
	}
	return &late
}

// Over returns a report with what was found out later.
func Over(p, late *transcript.ToolPatch) *transcript.ToolPatch {
	if late == nil {
		return p
	}
	told := *p
	if late.Content != nil {
		told.Content = late.Content
	}
	if late.Locations != nil {
		told.Locations = late.Locations
	}
	if late.Kind != nil {
		told.Kind = late.Kind
	}
	if late.Title != nil {
		told.Title, told.Called = late.Title, late.Called
	}
	return &told
}

// Asked returns the call that a permission request is about, with what rules and the card have to know of a patch. P is the request as the user
// reads it.
func (c *Changes) Asked(p *transcript.ToolPatch, as Reported) permission.Call {
	call := c.open.With(p)
	known := c.calls[p.ID]
	if known == nil || known.made == nil || as.Fixed {
		return call
	}
	call.Misfits = known.made.misfits
	if known.made.shown {
		call.Diffs, call.Texts = nil, nil
		for _, d := range known.made.diffs {
			call.Diffs, call.Texts = append(call.Diffs, d.Path), append(call.Texts, d.OldText, d.NewText)
		}
	}
	return call
}

// legible returns a report with the diffs of a patch, nil for none, and with a title in place of one that says less than Weft knows. Late says that the call has
// been reported again since, so that only the patch is news.
func (c *Changes) legible(p *transcript.ToolPatch, made *patched, as Reported, late bool) *transcript.ToolPatch {
	told := p
	if made != nil {
		patched := *p
		told = &patched
		c.withPatch(told, made, as.Asking)
	}
	called, wanted := c.wantsTitle(told)
	if !wanted {
		return told
	}
	title := ""
	switch {
	case made != nil:
		title = made.title
	case !late:
		call := c.open.With(told)
		call.Title = called
		title = titleOf(permission.Describe(&call, as.Place), &call)
	}
	known := c.open[p.ID]
	if title == "" || title == called || p.Title == nil && known != nil && title == known.Title {
		return told
	}
	titled := *told
	titled.Called, titled.Title = called, &title
	return &titled
}

// maxTitled is how large arguments may be that are read again for a title while they grow, in bytes.
const maxTitled = 4 << 10

// wantsTitle returns the title that the agent gives a call now. Wanted says that it says little, and that the report may say more.
func (c *Changes) wantsTitle(p *transcript.ToolPatch) (called string, wanted bool) {
	known := c.open[p.ID]
	switch {
	case p.Title != nil:
		called = *p.Title
	case known == nil:
	case known.Titled:
		called = known.Called
	default:
		called = known.Title
	}
	if called == "" || !saysLittle(called) {
		return called, false
	}
	return called, p.Title != nil || p.Announced || p.Locations != nil || p.Content != nil || p.Kind != nil || p.Input != nil && len(p.Input) <= maxTitled ||
		p.Input != nil && p.Status != nil && (known == nil || *p.Status != transcript.StatusPending)
}

// markNew notes which files are new where the agent shows diffs of its own, with an empty text before them.
func markNew(p *transcript.ToolPatch, made *patched) {
	if p.Content == nil {
		return
	}
	content := slices.Clone(*p.Content)
	for i := range content {
		d := &content[i]
		d.NewFile = d.NewFile || d.Type == "diff" && d.OldText == "" && slices.ContainsFunc(made.diffs, func(m transcript.Content) bool {
			return m.NewFile && m.Path == d.Path
		})
	}
	p.Content = &content
}

// withPatch adds what a patch changes, unless the agent shows that itself.
func (c *Changes) withPatch(p *transcript.ToolPatch, made *patched, asking bool) {
	if p.Kind != nil && (*p.Kind == "other" || *p.Kind == "") {
		p.Kind = &made.kind
	}
	isDiff := func(c transcript.Content) bool { return c.Type == "diff" }
	call := c.open[p.ID]
	made.theirs = made.theirs || p.Content != nil && slices.ContainsFunc(*p.Content, isDiff) || !made.shown && !made.before && call != nil && len(call.Diffs) > 0
	// What a request shows of itself is more than the part that its call has shown before.
	better := asking && len(p.Input) > 0 && p.Content == nil && len(made.misfits) == 0
	if len(made.diffs) == 0 || made.theirs && !better || made.shown && p.Content == nil {
		markNew(p, made)
		return
	}
	content := slices.Clone(made.diffs)
	if p.Content != nil {
		content = append(content, *p.Content...)
	}
	p.Content, made.shown = &content, true
	if p.Locations == nil && (call == nil || len(call.Paths) == 0) {
		list := make([]transcript.Location, len(made.diffs))
		for i := range made.diffs {
			list[i].Path = made.diffs[i].Path
		}
		p.Locations = &list
	}
}

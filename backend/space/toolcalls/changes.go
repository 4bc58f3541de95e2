package toolcalls

import (
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// Changes shows what the calls of a run change. Agents that send a patch usually send neither a diff nor a title, and
// diffs of a part of a file have no line number. It is not safe for concurrent use.
type Changes struct {
	folder string // absolute
	open   Open
	calls  map[string]*change
	lines  lines
	looks  int // number of looks so far
}

// change is the state of a call with a patch.
type change struct {
	made    *patched             // nil until its first look is done
	look    int                  // number of the look that found made
	pending int                  // looks that aren't done
	latest  transcript.ToolPatch // reported since the first pending look
}

// NewChanges returns the changes of a session in a folder. open contains the agent's open calls; the caller maintains
// it.
func NewChanges(folder string, open Open) *Changes {
	return &Changes{folder: folder, open: open, calls: map[string]*change{}}
}

// Forget must be called at the end of a run.
func (c *Changes) Forget() {
	clear(c.calls)
	c.lines = lines{}
}

// Reported describes the origin of a report.
type Reported struct {
	Asking   bool             // it is a permission request
	Replayed bool             // the agent replays it, so the files may have changed since
	Fixed    bool             // Weft shows the call with a title and changes of its own
	Own      bool             // the agent is Weft's own, which sends the lines of its diffs
	Place    permission.Place // where the agent works
}

// Report returns an agent's report of a call in the form for the user, as far as no file has to be read. If a file has
// to be read, it also returns a look; pass it to [Changes.Done] after [Look.Read] to get the rest. p isn't changed.
func (c *Changes) Report(p *transcript.ToolPatch, as Reported) (now *transcript.ToolPatch, look *Look) {
	if known := c.calls[p.ID]; known != nil && known.pending > 0 {
		known.latest = *Over(&known.latest, p)
	}
	l, now, made := c.look(p, as)
	c.lines.reads += len(l.parts)
	if !as.Fixed {
		if l.files != nil {
			made = nil // the known patch is of earlier arguments
		}
		now = c.legible(now, made, as, false)
	}
	if l.reads() == 0 {
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

// Look returns what [Changes.Report] would have to read, or nil. It changes nothing.
func (c *Changes) Look(p *transcript.ToolPatch, as Reported) *Look {
	if l, _, _ := c.look(p, as); l.reads() > 0 {
		return l
	}
	return nil
}

// look returns what has to be read for a report, the report with the known lines of its diffs, and the known patch in
// its arguments. It changes nothing.
func (c *Changes) look(p *transcript.ToolPatch, as Reported) (l *Look, now *transcript.ToolPatch, made *patched) {
	l = &Look{told: p, as: as, folder: c.folder}
	now = p
	if p.Content != nil && !as.Own && !as.Replayed {
		now = c.withLines(p, l)
	}
	if !as.Fixed {
		made = c.patchOf(p, l)
	}
	return l, now, made
}

// Done takes a look after its files have been read. It returns what to show of the call in addition to the result of
// [Changes.Report], or nil.
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

// Over returns a report with later findings applied.
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

// Asked returns the call of a permission request, with what rules and the card need to know about a patch. p is the
// request in the form for the user.
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

// Describes reports whether [Changes.Report] describes the call of a report, to give it a title.
func (c *Changes) Describes(p *transcript.ToolPatch) bool {
	_, wanted := c.wantsTitle(p)
	return wanted
}

// Foresee returns what [Changes.Asked] will return for a request that has not been reported yet, as far as it says
// where the call leads. read is what was read for its look, or nil. It changes nothing.
func (c *Changes) Foresee(p *transcript.ToolPatch, as Reported, read *Snapshot) permission.Call {
	call := c.open.With(p)
	var made *patched
	if known := c.calls[p.ID]; known != nil {
		made = known.made
	}
	if l := c.Look(p, as); l != nil && l.From(read) && l.made != nil {
		made = l.made
	}
	if made == nil || as.Fixed || len(made.diffs) == 0 {
		return call
	}
	call.Diffs = nil
	for i := range made.diffs {
		call.Diffs = append(call.Diffs, made.diffs[i].Path)
	}
	return call
}

// legible returns a report with the diffs of a patch, if made isn't nil, and with a better title if Weft knows more
// than the title says. late reports that the call has been reported again since, so that only the patch is new.
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

// maxTitled is the size limit, in bytes, up to which growing arguments are read again for a title.
const maxTitled = 4 << 10

// wantsTitle returns the agent's present title of a call. wanted reports that it says little, and that the report may
// allow a better one.
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

// markNew marks the new files if the agent shows diffs itself, with an empty old text.
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

// withPatch adds the diffs of a patch, unless the agent shows them itself.
func (c *Changes) withPatch(p *transcript.ToolPatch, made *patched, asking bool) {
	if p.Kind != nil && (*p.Kind == "other" || *p.Kind == "") {
		p.Kind = &made.kind
	}
	isDiff := func(c transcript.Content) bool { return c.Type == "diff" }
	call := c.open[p.ID]
	made.theirs = made.theirs || p.Content != nil && slices.ContainsFunc(*p.Content, isDiff) || !made.shown && !made.before && call != nil && len(call.Diffs) > 0
	// The request itself shows more than the partial arguments of the call before.
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

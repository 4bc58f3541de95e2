package runs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// legible is what an agent tells of a call of its own as the user can read it: with the changes of a patch as diffs, and with a title in place of
// raw arguments; asking says that it is asked about. The mutex is held.
func (l *link) legible(p *transcript.ToolPatch, asking bool) *transcript.ToolPatch {
	p = l.withLines(p)
	if l.gate.Get(p.ID) != nil || l.config.Own() {
		return p
	}
	made := l.patchOf(p, asking)
	raw := p.Title != nil && isRaw(*p.Title)
	if made == nil && !raw {
		return p
	}
	told := *p
	if made != nil {
		l.withPatch(&told, made, asking)
	}
	if !raw && (made == nil || p.Title == nil || !isToolName(*p.Title) || made.isFile(*p.Title)) {
		return &told
	}
	title := ""
	if made != nil {
		title = made.title
	} else {
		call := l.calls.With(p)
		title = titleOf(permission.Describe(&call, l.s.place()), &call)
	}
	if title != "" && title != *p.Title {
		told.Called, told.Title = *p.Title, &title
	}
	return &told
}

// withPatch adds what a patch changes, unless the agent shows that itself.
func (l *link) withPatch(p *transcript.ToolPatch, made *patched, asking bool) {
	if p.Kind != nil && (*p.Kind == "other" || *p.Kind == "") {
		p.Kind = &made.kind
	}
	isDiff := func(c transcript.Content) bool { return c.Type == "diff" }
	call := l.calls[p.ID]
	made.theirs = made.theirs || p.Content != nil && slices.ContainsFunc(*p.Content, isDiff) || !made.shown && !made.before && call != nil && len(call.Diffs) > 0
	// What a request shows of itself is more than the part that its call has shown before.
	better := asking && len(p.Input) > 0 && p.Content == nil && len(made.misfits) == 0
	if len(made.diffs) == 0 || made.theirs && !better || made.shown && p.Content == nil {
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

// legibleRequest is legible for a request for permission about the call, with what rules and the card need of a patch. The mutex is held.
func (l *link) legibleRequest(p *transcript.ToolPatch) (*transcript.ToolPatch, permission.Call) {
	p = l.legible(p, true)
	call := l.calls.With(p)
	if made := l.patches[p.ID]; made != nil && l.gate.Get(p.ID) == nil {
		call.Misfits = made.misfits
		if made.shown {
			call.Diffs, call.Texts = nil, nil
			for _, d := range made.diffs {
				call.Diffs, call.Texts = append(call.Diffs, d.Path), append(call.Texts, d.OldText, d.NewText)
			}
		}
	}
	return p, call
}

var (
	// rawTitle is a title that is arguments, alone or behind the name of a tool: `apply_patch: {"input":"*** Begin Pa…`, `read({"path": …`.
	rawTitle = regexp.MustCompile(`^(?:[\w./-]{1,64}(?: ?[:(] ?| ))?(?:\{\s*(?:"|\}|$)|\[\s*(?:[{"\[]|$)|"?\*\*\* (?:Begin Patch|Add File|Update File|Delete File))`)
	// toolTitle is a title that begins with the name of a tool, which is no word.
	toolTitle = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+): (.+)$`)
	toolName  = regexp.MustCompile(`^[A-Za-z][\w./-]{0,63}$`)
)

func isRaw(title string) bool {
	title = strings.TrimSpace(title)
	return rawTitle.MatchString(title) || toolTitle.MatchString(title)
}

// isToolName reports whether a title says no more than which tool it is.
func isToolName(title string) bool {
	title = strings.TrimSpace(title)
	return title == "" || toolName.MatchString(title)
}

// isFile reports whether a title is one of the patch's files, which says as much as a title of Weft's.
func (p *patched) isFile(title string) bool {
	title = strings.TrimSpace(title)
	return slices.ContainsFunc(p.names, func(name string) bool { return name == title || strings.HasSuffix(name, "/"+title) })
}

// titleOf says what a call is about, in a line. It is "" where that is not known.
func titleOf(sub *permission.Subject, call *permission.Call) string {
	if sub.Line != "" {
		return firstLine(sub.Line)
	}
	if m := toolTitle.FindStringSubmatch(strings.TrimSpace(call.Title)); m != nil && !rawTitle.MatchString(strings.TrimSpace(call.Title)) {
		if sub.Kind == "execute" {
			return firstLine(m[2])
		}
		return "" // words of the agent
	}
	verb := map[string]string{"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search", "fetch": "Fetch"}[sub.Kind]
	about := wantedBy(call)
	switch {
	case verb == "":
	case sub.Kind == "fetch" && about.URL != "":
		return "Fetch " + firstLine(about.URL)
	case sub.Kind == "search" && about.what() != "":
		return "Search for " + firstLine(about.what())
	case len(sub.Files) == 1:
		return verb + " " + sub.Files[0].Named
	case len(sub.Files) > 1:
		return verb + " " + strconv.Itoa(len(sub.Files)) + " files"
	}
	name, _, _ := strings.Cut(strings.TrimSpace(call.Title), ":")
	if name, _, _ = strings.Cut(name, "("); toolName.MatchString(strings.TrimSpace(name)) {
		return strings.TrimSpace(name)
	}
	return ""
}

// wanted is what a call without a command and files says that it wants.
type wanted struct {
	Pattern string `json:"pattern"`
	Query   string `json:"query"`
	Regex   string `json:"regex"`
	URL     string `json:"url"`
}

func (w *wanted) what() string {
	for _, s := range []string{w.Pattern, w.Regex, w.Query} {
		if s != "" {
			return s
		}
	}
	return ""
}

func wantedBy(call *permission.Call) (w wanted) {
	_ = json.Unmarshal(call.Input, &w) // what has another form says none of these
	return w
}

func firstLine(s string) string {
	line, more, found := strings.Cut(strings.TrimSpace(s), "\n")
	if found && strings.TrimSpace(more) != "" {
		return line + " …"
	}
	return line
}

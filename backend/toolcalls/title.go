package toolcalls

import (
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json"

	"weft/backend/permission"
)

var (
	// rawTitle is a title that is arguments, alone or behind the name of a tool: `apply_patch: {"input":"*** Begin Pa…`, `read({"path": …`.
	rawTitle = lazyregexp.New(`^(?:[\w./-]{1,64}(?: ?[:(] ?| ))?(?:\{\s*(?:"|\}|$)|\[\s*(?:[{"\[]|$)|"?\*\*\* (?:Begin Patch|Add File|Update File|Delete File))`)
	// toolTitle is a title that begins with the name of a tool, which is no word.
	toolTitle = lazyregexp.New(`^([A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+): (.+)$`)
	toolName  = lazyregexp.New(`^[A-Za-z][\w./-]{0,63}$`)
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

// titleOf returns what a call is about in a line, "" if that is not known.
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

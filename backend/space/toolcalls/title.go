package toolcalls

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/lazyregexp"
	"weft/backend/permission"
)

var (
	// rawTitle matches a title that consists of arguments, alone or after the name of a tool: `apply_patch:
	// {"input":"*** Begin Pa…`, `read({"path": …`.
	rawTitle = lazyregexp.New(`^(?:[\w./-]{1,64}(?: ?[:(] ?| ))?(?:\{\s*(?:"|\}|$)|\[\s*(?:[{"\[]|$)|"?\*\*\* (?:Begin Patch|Add File|Update File|Delete File))`)
	// toolTitle matches a title that begins with the name of a tool, which isn't a word.
	toolTitle = lazyregexp.New(`^([A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+): (.+)$`)
	toolName  = lazyregexp.New(`^[A-Za-z][\w./-]{0,63}$`)
	// kindOnly matches a title that only says what kind of call it is: "Edit file", "Run shell command".
	kindOnly = lazyregexp.New(`(?i)^(?:read|view|open|edit|write|create|update|change|modify|delete|remove|move|rename)(?:ing)? (?:(?:a|an|the|one|new|\d+) )*files?$|^(?:run|running|execute|executing) (?:(?:a|the|bash|shell|terminal) )*command$|^approve (?:mcp )?tool call$`)
	// plainPath matches a path by features that only paths have.
	plainPath = lazyregexp.New(`^[^\s:*?"<>|]*[/\\][^\s:*?"<>|]*$|^[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7}$`)
)

// saysLittle reports whether Weft may know more about a call than its title says.
func saysLittle(title string) bool {
	title = strings.TrimSpace(title)
	return isRaw(title) || isToolName(title) || kindOnly.MatchString(title) || plainPath.MatchString(title)
}

func isRaw(title string) bool {
	title = strings.TrimSpace(title)
	return rawTitle.MatchString(title) || toolTitle.MatchString(title)
}

// WellTitled reports whether the title of a call says what it does. Then the title of a permission request is no
// better; that is often only about the request ("Approve MCP tool call").
func (c *OpenCall) WellTitled() bool {
	return c.Titled || c.Title != "" && !saysLittle(c.Title)
}

// isToolName reports whether a title is only the name of a tool.
func isToolName(title string) bool {
	title = strings.TrimSpace(title)
	return title == "" || toolName.MatchString(title)
}

// titleOf returns what a call is about on one line, or "".
func titleOf(sub *permission.Subject, call *permission.Call) string {
	if sub.Line != "" {
		return firstLine(sub.Line)
	}
	if m := toolTitle.FindStringSubmatch(strings.TrimSpace(call.Title)); m != nil && !rawTitle.MatchString(strings.TrimSpace(call.Title)) {
		if sub.Kind == "execute" {
			return firstLine(m[2])
		}
		return "" // the agent's own words
	}
	// The window translates the verbs (frontend/src/views/tools/callWords.ts).
	verb := map[string]string{"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search", "fetch": "Fetch"}[sub.Kind]
	about, named := wantedBy(call), namedOnce(sub)
	if sub.Kind == "edit" && about.whole() {
		verb = "Write"
	}
	switch {
	case verb == "":
	case sub.Kind == "fetch" && about.URL != "":
		return "Fetch " + firstLine(about.URL)
	case sub.Kind == "search" && about.what() != "":
		return "Search for " + firstLine(about.what())
	case sub.Kind == "fetch":
	case len(named) == 1:
		return verb + " " + named[0]
	case len(named) > 1:
		return verb + " " + strconv.Itoa(len(named)) + " files"
	case plainPath.MatchString(strings.TrimSpace(call.Title)) && sub.Kind != "search":
		return verb + " " + strings.TrimSpace(call.Title)
	}
	name, _, _ := strings.Cut(strings.TrimSpace(call.Title), ":")
	if name, _, _ = strings.Cut(name, "("); toolName.MatchString(strings.TrimSpace(name)) {
		return strings.TrimSpace(name)
	}
	return ""
}

// namedOnce returns the distinct files that a call names, relative to the folder.
func namedOnce(sub *permission.Subject) (list []string) {
	for i := range sub.Files {
		if name := shortIn(sub.Folder, sub.Files[i].Named); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// wanted is the target of a call without a command and files.
type wanted struct {
	Pattern string `json:"pattern"`
	Query   string `json:"query"`
	Regex   string `json:"regex"`
	URL     string `json:"url"`

	Content   jsontext.Value `json:"content"`
	FileText  jsontext.Value `json:"file_text"`
	OldString jsontext.Value `json:"old_string"`
	OldText   jsontext.Value `json:"oldText"`
	Edits     jsontext.Value `json:"edits"`
}

// whole reports whether a call that changes a file contains its whole text.
func (w *wanted) whole() bool {
	return len(w.Content)+len(w.FileText) > 0 && len(w.OldString)+len(w.OldText)+len(w.Edits) == 0
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
	_ = json.Unmarshal(call.Input, &w) // values of another type are ignored
	return w
}

func firstLine(s string) string {
	line, more, found := strings.Cut(strings.TrimSpace(s), "\n")
	if found && strings.TrimSpace(more) != "" {
		return line + " …"
	}
	return line
}

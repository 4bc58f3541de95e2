package permission

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"weft/backend/base/fault"

	"weft/backend/permission/shell"
)

// Effect is what a rule does to the requests that it matches.
type Effect string

// Effects.
const (
	Allow  Effect = "allow"
	Reject Effect = "reject"
)

// Scope is where a rule applies.
type Scope string

// Scopes.
const (
	InSpace    Scope = "space"
	InFolder   Scope = "folder" // in every space with that folder
	Everywhere Scope = "everywhere"
)

// Rule is a permanent decision of the user about commands (Command), files (Path), a tool (Tool), or everything of a
// kind (Kind).
type Rule struct {
	ID      string
	Effect  Effect
	Scope   Scope
	SpaceID string // for InSpace
	Folder  string // for InFolder: absolute, cleaned
	AgentID string // empty for any agent
	Kind    string // kind of tool, empty for any
	Command string // words of a command, as written in a shell. An allow rule covers its known forms; a reject rule everything that begins with it
	Path    string // glob with slashes, relative to the folder of the space
	Tool    string // a tool that Weft runs for agents: its name, or "server/name"
	Enabled bool
}

// Kinds are the tool kinds of the protocol (ACP, Tool Calls, ToolKind).
var Kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

func knownKind(kind string) bool {
	for _, k := range Kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// maxRuleText limits each text of a rule, in bytes.
const maxRuleText = 1 << 10

func invalid(template fault.Template, values ...any) error {
	return fault.New(fault.Invalid, template, values...)
}

// Clean returns the rule in its stored form, or a [fault.Error] if it is invalid.
func (r Rule) Clean() (Rule, error) {
	r.Command, r.Path, r.Tool = strings.TrimSpace(r.Command), strings.TrimSpace(r.Path), strings.TrimSpace(r.Tool)
	switch {
	case r.Effect != Allow && r.Effect != Reject:
		return r, invalid("A rule must allow or reject.")
	case r.Kind != "" && !knownKind(r.Kind):
		return r, invalid("Unknown kind of tool: {{kind}}.", quoted(r.Kind))
	case r.Command == "" && r.Path == "" && r.Kind == "" && r.Tool == "":
		return r, invalid("Choose what the rule covers: a kind of tool, a tool, commands or files.")
	case r.Tool != "" && r.Kind+r.Command+r.Path != "":
		return r, invalid("A rule for a tool can't cover anything else. Add two rules.")
	case r.Command != "" && r.Path != "":
		return r, invalid("A rule covers commands or files, not both. Add two rules.")
	case len(r.Command) > maxRuleText || len(r.Path) > maxRuleText || len(r.Tool) > maxRuleText:
		return r, invalid("This is too long for a rule.")
	case !utf8.ValidString(r.Command+r.Path+r.Tool) || strings.ContainsAny(r.Command+r.Path+r.Tool, "\x00\n\r"):
		return r, invalid("A rule must be one line of text.")
	}
	switch r.Scope {
	case InSpace:
		if r.Folder = ""; r.SpaceID == "" {
			return r, invalid("Choose a space for the rule.")
		}
	case InFolder:
		if r.SpaceID = ""; !filepath.IsAbs(r.Folder) {
			return r, invalid("The folder of a rule must be an absolute path.")
		}
		r.Folder = filepath.Clean(r.Folder)
	case Everywhere:
		r.SpaceID, r.Folder = "", ""
	default:
		return r, invalid("A rule applies in a space, in a folder, or everywhere.")
	}
	if r.Command != "" {
		if r.Kind != "" && r.Kind != "execute" {
			return r, invalid("Only tools of the kind “execute” run commands.")
		}
		if _, err := shell.FixedWords(r.Command); err != nil {
			return r, err
		}
	}
	if r.Path != "" {
		return r.cleanPath()
	}
	return r, nil
}

func (r Rule) cleanPath() (Rule, error) {
	if r.Kind != "" && !touchesFiles(r.Kind) {
		return r, invalid("File patterns apply only to tools that read, edit, delete, move or search.")
	}
	glob := filepath.ToSlash(r.Path)
	for strings.HasPrefix(glob, "./") {
		glob = strings.TrimLeft(glob[2:], "/")
	}
	if path.IsAbs(glob) || filepath.IsAbs(r.Path) || strings.HasPrefix(glob, "~") {
		return r, invalid("Enter file patterns relative to the folder, such as src/** or *.md.")
	}
	for part := range strings.SplitSeq(glob, "/") {
		if part == ".." {
			return r, invalid("A rule can't leave the folder with “..”.")
		}
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	if glob == "" || !doublestar.ValidatePattern(glob) {
		return r, invalid("Invalid file pattern. Try src/**, **/*.md or a name.")
	}
	r.Path = glob
	return r, nil
}

// Same reports whether two rules are equal apart from ID and Enabled.
func (r Rule) Same(o Rule) bool {
	r.ID, r.Enabled = o.ID, o.Enabled
	return r == o
}

// About returns what the rule is about, in a word or two.
func (r Rule) About() string {
	switch {
	case r.Tool != "":
		return r.Tool
	case r.Command != "":
		return r.Command
	case r.Path != "" && r.Kind != "":
		return r.Kind + " " + r.Path
	case r.Path != "":
		return r.Path
	}
	return r.Kind
}

func touchesFiles(kind string) bool {
	switch kind {
	case "read", "edit", "delete", "move", "search":
		return true
	}
	return false
}

func quoted(s string) string { return "“" + s + "”" }

// Mode is how a space handles permission requests.
type Mode string

// Modes.
const (
	AskAlways   Mode = "ask"       // allow rules are ignored, reject rules apply
	FollowRules Mode = "rules"     // the default
	ReadOnly    Mode = "read-only" // changes are rejected
)

// Valid reports whether m is one of the modes.
func (m Mode) Valid() bool { return m == AskAlways || m == FollowRules || m == ReadOnly }

// Refuses reports whether the mode rejects tools of that kind, whatever the rules say.
func (m Mode) Refuses(kind string) bool {
	if m != ReadOnly {
		return false
	}
	switch kind {
	case "edit", "delete", "move", "execute":
		return true
	}
	return false
}

// follows reports whether allow rules may decide about tools of that kind. A read-only space asks about tools of an
// unknown kind, because they could do anything.
func (m Mode) follows(kind string) bool {
	switch m {
	case AskAlways:
		return false
	case ReadOnly:
		return kind == "read" || kind == "search" || kind == "fetch" || kind == "think"
	case FollowRules:
	}
	return true
}

package actions

import (
	"path/filepath"
	"slices"

	"weft/backend/base/pathname"
	"weft/backend/permission"
	"weft/backend/permission/files"
)

// Kinds of actions that are compared.
const (
	Read    = "read"
	Edit    = "edit"
	Execute = "execute"
	Other   = "other" // equal to nothing else
)

// Action is what an agent does, asks to do, or lets Weft do.
type Action struct {
	Kind    string
	Files   []string // as [Path] returns them
	Changes []Change
	Runs    []Run  // commands
	Said    string // command line, if Weft is asked to run one command
	Refused bool   // by the user, a rule or a mode
}

// Path returns a path in a space's folder in the form in which actions compare paths.
func Path(folder, path string) string {
	path, _ = files.PlainPath(path)
	path, _ = pathname.From(folder, path)
	return filepath.Clean(path)
}

// Kind returns the kind of action for a kind of tool. Everything that changes files is an edit.
func Kind(tool string) string {
	if tool == "delete" || tool == "move" {
		return Edit
	}
	return tool
}

// Acts reports whether tools of a kind change something.
func Acts(tool string) bool { return tool == Execute || Kind(tool) == Edit }

// Requested returns what an agent's permission request is about, or nil if that can't be compared with anything that
// Weft does. shown are the changes that the request shows.
func Requested(c *permission.Call, sub *permission.Subject, shown []Change) *Action {
	a := &Action{}
	switch {
	case c.Long || len(sub.Writes) > 0 && sub.Line == "":
		return nil
	case sub.Line != "" || len(sub.Commands) > 0:
		if len(shown) > 0 {
			return nil
		}
		a.Kind = Execute
		if a.Runs = runsOf(sub.Place, c.Input); len(a.Runs) == 0 {
			return nil
		}
		return a
	case sub.Kind == Edit:
		a.Kind = Edit
	case sub.Kind == Read && len(shown) == 0:
		a.Kind = Read
	default:
		return nil
	}
	for _, path := range slices.Concat(c.Paths, c.Diffs) {
		a.addFile(sub.Folder, path)
	}
	for _, f := range sub.Files { // named by its arguments
		a.addFile(sub.Folder, f.Named)
	}
	a.Changes = slices.Clone(shown)
	for i := range a.Changes {
		a.Changes[i].Path = Path(sub.Folder, a.Changes[i].Path)
	}
	if a.Kind == Edit && len(shown) == 0 {
		c, ok := changeOf(c.Input)
		if !ok || len(a.Files) == 0 {
			return nil // its form of changes can't be compared
		}
		if c != (Change{}) {
			c.Path = a.Files[0]
			a.Changes = []Change{c}
		}
	}
	return a
}

func (a *Action) addFile(folder, path string) {
	if path = Path(folder, path); !slices.Contains(a.Files, path) {
		a.Files = append(a.Files, path)
	}
}

// About returns what a call is about for [Turn.Knows]: a command, or files regardless of the operation.
func About(c *permission.Call, sub *permission.Subject) *Action {
	a := &Action{Kind: Kind(sub.Kind)}
	if sub.Line != "" {
		a.Runs = runsOf(sub.Place, c.Input)
	}
	for i := range sub.Files {
		a.Files = append(a.Files, Path(sub.Folder, sub.Files[i].Named))
	}
	return a
}

// OldText returns the text that the file of an edit had when Weft was asked to write it.
func (a *Action) OldText() string {
	if a.Kind != Edit {
		return ""
	}
	return a.Changes[0].Old
}

// Unchanged reports whether an edit by Weft wouldn't change its file.
func (a *Action) Unchanged() bool {
	return a.Kind == Edit && len(a.Changes) == 1 && !a.Changes[0].Fresh && a.Changes[0].Old == a.Changes[0].New
}

// WritesSame reports whether both actions ask Weft to write the same text to the same file.
func (a *Action) WritesSame(b *Action) bool {
	return a.Kind == Edit && b.Kind == Edit && len(a.Changes) == 1 && len(b.Changes) == 1 && a.Changes[0].Path == b.Changes[0].Path && a.Changes[0].New == b.Changes[0].New
}

// Equal reports whether two requests of an agent are about the same action.
func (a *Action) Equal(b *Action) bool {
	return a.Kind != "" && a.Kind == b.Kind && slices.Equal(a.Runs, b.Runs) && slices.Equal(a.Files, b.Files) && slices.Equal(a.Changes, b.Changes)
}

// same reports whether b, a request of an agent, is about exactly what Weft has asked about in a.
func (a *Action) same(b *Action) bool {
	if a.Kind != b.Kind || a.Kind == "" || !slices.Equal(a.Runs, b.Runs) || !slices.Equal(a.Files, b.Files) {
		return false
	}
	if a.Kind != Edit {
		return true
	}
	for i := range b.Changes {
		if !b.Changes[i].Gives(a.Changes[0].New, func() string { return a.Changes[0].Old }) {
			return false
		}
	}
	return true
}

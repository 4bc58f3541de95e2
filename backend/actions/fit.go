package actions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
)

// Fit says how certain it is that what Weft is asked to do is done for a call that the agent shows.
type Fit int

// The higher, the more certain.
const (
	NoFit   Fit = iota
	MayBe       // the call doesn't say what it does, but of which kind that is
	IsAbout     // it is about the same file or command, and doesn't show, or not only, what is done with it
	Shows       // it shows just this
)

// FitOf returns how a call of the agent fits what Weft is asked to do in a folder. Shown are the changes that the call shows.
func (a *Action) FitOf(call *permission.Call, shown []Change, folder string) Fit {
	switch a.Kind {
	case Execute:
		return a.fitOfCommand(call, shown, folder)
	case Read:
		return a.fitOfRead(call, shown, folder)
	case Edit:
		return a.fitOfEdit(call, shown, folder)
	}
	return NoFit
}

func (a *Action) fitOfCommand(call *permission.Call, shown []Change, folder string) Fit {
	if len(a.Runs) != 1 || len(shown) > 0 || call.Long {
		return NoFit
	}
	runs, said := namedRuns(folder, call.Input)
	switch {
	case len(runs) == 1 && runs[0] == a.Runs[0]:
		return Shows
	case a.runsAny(runs), slices.ContainsFunc(said, a.holds):
		return IsAbout
	case len(runs) > 0 || call.Kind != Execute:
		return NoFit
	}
	line, whole := spoken(call.Title, true)
	if line == "" {
		var isCut bool
		line, isCut = cutShort(strings.Trim(call.Title, "` "))
		whole = !isCut
	}
	if r, _, ok := RunOf(folder, "", line, nil, nil); whole && ok && r.Command == a.Runs[0].Command || a.holds(line) {
		return IsAbout
	}
	if Bare(call) {
		return MayBe
	}
	return NoFit
}

// holds reports whether a line is a part of the command: agents put their own around what the model has written.
func (a *Action) holds(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= minPart && strings.ContainsAny(line, " \t\n") && strings.Contains(a.Said, line)
}

// minPart is how long a line must be that is looked for in another one, in bytes.
const minPart = 4

func (a *Action) fitOfRead(call *permission.Call, shown []Change, folder string) Fit {
	if call.Kind != Read || len(shown) > 0 || len(a.Files) != 1 {
		return NoFit
	}
	paths := pathsOf(call, folder)
	switch {
	case len(paths) == 1 && paths[0] == a.Files[0]:
		return Shows
	case slices.Contains(paths, a.Files[0]):
		return IsAbout
	}
	return NoFit
}

func (a *Action) fitOfEdit(call *permission.Call, shown []Change, folder string) Fit {
	if len(a.Files) != 1 {
		return NoFit
	}
	file := a.Files[0]
	if a.ShownAmong(shown, folder) {
		if len(shown) == 1 {
			return Shows
		}
		return IsAbout
	}
	if kind := Kind(call.Kind); kind != Edit && kind != Other && kind != "" {
		return NoFit
	}
	paths := pathsOf(call, folder)
	switch {
	case slices.Contains(paths, file):
		return IsAbout
	case len(paths) > 0:
		return NoFit
	case namesFile(call.Title, filepath.Base(file)):
		return IsAbout
	case Kind(call.Kind) == Edit && Bare(call):
		return MayBe
	}
	return NoFit
}

// ShownAmong reports whether the one change of an edit is among those that a call shows.
func (a *Action) ShownAmong(shown []Change, folder string) bool {
	return len(a.Files) == 1 && len(a.Changes) == 1 && slices.ContainsFunc(shown, func(c Change) bool {
		return Path(folder, c.Path) == a.Files[0] && c.Gives(a.Changes[0].New, a.OldText)
	})
}

// ShowsFile reports whether a change of the file of an edit is among those that a call shows.
func (a *Action) ShowsFile(shown []Change, folder string) bool {
	return slices.ContainsFunc(shown, func(c Change) bool { return slices.Contains(a.Files, Path(folder, c.Path)) })
}

// namesFile reports whether a word of a title is the name of a file, or a path that ends with it.
func namesFile(title, name string) bool {
	return slices.ContainsFunc(strings.Fields(title), func(word string) bool {
		word = strings.Trim(word, "`'\"“”:,()")
		return word == name || strings.HasSuffix(word, "/"+name) || strings.HasSuffix(word, `\`+name)
	})
}

// pathsOf returns the files that a call names: at its locations, in its changes and among its arguments.
func pathsOf(call *permission.Call, folder string) (list []string) {
	add := func(path string) {
		if path = Path(folder, path); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	for _, path := range slices.Concat(call.Paths, call.Diffs) {
		add(path)
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(call.Input, &members) != nil {
		return list
	}
	for name, value := range members {
		switch simplified(name) {
		case "path", "filepath", "file", "filename", "abspath", "absolutepath", "targetfile", "notebookpath":
			var path string
			if json.Unmarshal(value, &path) == nil && path != "" {
				add(path)
			}
		}
	}
	return list
}

package actions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
)

// Fit tells how certain it is that an operation of Weft belongs to a call that the agent shows.
type Fit int

// Higher values are more certain.
const (
	NoFit   Fit = iota
	MayBe       // the call only shows the kind of action
	IsAbout     // it is about the same file or command, but doesn't show exactly this action
	Shows       // it shows exactly this action
)

// FitOf returns how well an agent's call fits an operation of Weft in a folder. shown are the changes that the call
// shows.
func (a *Action) FitOf(call *permission.Call, shown []Change, at permission.Place) Fit {
	switch a.Kind {
	case Execute:
		return a.fitOfCommand(call, shown, at)
	case Read:
		return a.fitOfRead(call, shown, at)
	case Edit:
		return a.fitOfEdit(call, shown, at)
	}
	return NoFit
}

func (a *Action) fitOfCommand(call *permission.Call, shown []Change, at permission.Place) Fit {
	if len(a.Runs) != 1 || len(shown) > 0 || call.Long {
		return NoFit
	}
	runs, said := namedRuns(at, call.Input)
	switch {
	case len(runs) == 1 && runs[0] == a.Runs[0]:
		return Shows
	case a.runsAny(runs), slices.ContainsFunc(said, a.holds):
		return IsAbout
	case len(runs) > 0 || call.Kind != Execute:
		return NoFit
	}
	line, whole := announced(call.Title, true)
	if line == "" {
		var isCut bool
		line, isCut = trimEllipsis(strings.Trim(call.Title, "` "))
		whole = !isCut
	}
	if r, _, ok := RunOf(at, "", line, nil, nil); whole && ok && r.Command == a.Runs[0].Command || a.holds(line) {
		return IsAbout
	}
	if Bare(call) {
		return MayBe
	}
	return NoFit
}

// holds reports whether a line is part of the command. Agents add their own text around what the model has written.
func (a *Action) holds(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= minPart && strings.ContainsAny(line, " \t\n") && strings.Contains(a.Said, line)
}

// minPart is the minimum length of a line that holds searches, in bytes.
const minPart = 4

func (a *Action) fitOfRead(call *permission.Call, shown []Change, at permission.Place) Fit {
	if call.Kind != Read || len(shown) > 0 || len(a.Files) != 1 {
		return NoFit
	}
	paths := pathsOf(call, at.Folder)
	switch {
	case len(paths) == 1 && paths[0] == a.Files[0]:
		return Shows
	case slices.Contains(paths, a.Files[0]):
		return IsAbout
	}
	return NoFit
}

func (a *Action) fitOfEdit(call *permission.Call, shown []Change, at permission.Place) Fit {
	if len(a.Files) != 1 {
		return NoFit
	}
	file := a.Files[0]
	if a.ShownAmong(shown, at.Folder) {
		if len(shown) == 1 {
			return Shows
		}
		return IsAbout
	}
	if kind := Kind(call.Kind); kind != Edit && kind != Other && kind != "" {
		return NoFit
	}
	paths := pathsOf(call, at.Folder)
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

// ShownAmong reports whether the single change of an edit is among the changes that a call shows.
func (a *Action) ShownAmong(shown []Change, folder string) bool {
	return len(a.Files) == 1 && len(a.Changes) == 1 && slices.ContainsFunc(shown, func(c Change) bool {
		return Path(folder, c.Path) == a.Files[0] && c.Gives(a.Changes[0].New, a.OldText)
	})
}

// ShowsFile reports whether a call shows any change of the edit's file.
func (a *Action) ShowsFile(shown []Change, folder string) bool {
	return slices.ContainsFunc(shown, func(c Change) bool { return slices.Contains(a.Files, Path(folder, c.Path)) })
}

// namesFile reports whether a title contains the name of a file, or a path that ends with it.
func namesFile(title, name string) bool {
	return slices.ContainsFunc(strings.Fields(title), func(word string) bool {
		word = strings.Trim(word, "`'\"“”:,()")
		return word == name || strings.HasSuffix(word, "/"+name) || strings.HasSuffix(word, `\`+name)
	})
}

// pathsOf returns the files that a call names: in its locations, changes and arguments.
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

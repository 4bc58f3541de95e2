package tools

import (
	"embed"
	"encoding/json"
	"slices"
	"sync"
)

//go:embed *.json
var builtinFiles embed.FS

// spaceToolNames are the names of the tools for spaces. User-defined tools can't have these names.
var spaceToolNames = []string{"listSpaces", "readSpaceMessages", "getMyRuns", "sendSpaceMessage"}

// historyToolNames are the names of the tools for earlier conversations. User-defined tools can't have these names
// either.
var historyToolNames = []string{"searchHistory", "readConversation"}

// Builtin is a built-in display tool, with the arguments that its component knows and requires.
type Builtin struct {
	Definition
	known, required []string
}

var reading struct {
	once sync.Once
	list []Builtin
}

// Builtins returns the built-in display tools. They are decoded once, because Builtins is called at every update of a
// tool call. Callers must not change them.
func Builtins() []Builtin {
	reading.once.Do(func() { reading.list = readBuiltins() })
	return reading.list
}

func readBuiltins() []Builtin {
	files, err := builtinFiles.ReadDir(".")
	if err != nil {
		panic(err) // a programming error
	}
	out := make([]Builtin, 0, len(files))
	for _, f := range files {
		text, err := builtinFiles.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		d, problems := readDefinition(f.Name(), text)
		if len(problems) > 0 {
			panic(problems[0].String())
		}
		var schema struct{ Required []string }
		if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
			panic(err)
		}
		out = append(out, Builtin{Definition: d, known: properties(d.InputSchema), required: schema.Required})
	}
	return out
}

// builtinOf returns the built-in display tool with the name, or nil.
func builtinOf(name string) *Builtin {
	all := Builtins()
	i := slices.IndexFunc(all, func(b Builtin) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// reserved reports whether one of Weft's own tools has the name.
func reserved(name string) bool {
	return slices.Contains(spaceToolNames, name) || slices.Contains(historyToolNames, name) || builtinOf(name) != nil
}

// ReservedNames returns the names of Weft's own tools.
func ReservedNames() []string {
	names := slices.Concat(spaceToolNames, historyToolNames)
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	return names
}

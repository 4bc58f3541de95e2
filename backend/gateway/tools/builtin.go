package tools

import (
	"embed"
	"encoding/json"
	"slices"
	"sync"
)

//go:embed *.json
var builtinFiles embed.FS

// spaceToolNames are the names of the tools that see and write to spaces, which no definition of the user's may have.
var spaceToolNames = []string{"listSpaces", "readSpaceMessages", "getMyRuns", "sendSpaceMessage"}

// historyToolNames are the names of the tools that search and read earlier conversations, for which the same holds.
var historyToolNames = []string{"searchHistory", "readConversation"}

// Builtin is a display tool that comes with Weft, and the arguments that its component knows and needs.
type Builtin struct {
	Definition
	known, required []string
}

var reading struct {
	once sync.Once
	list []Builtin
}

// Builtins returns the display tools that come with Weft. They are read once, as they are asked for with every update of a tool call. Nobody changes them.
func Builtins() []Builtin {
	reading.once.Do(func() { reading.list = readBuiltins() })
	return reading.list
}

func readBuiltins() []Builtin {
	files, err := builtinFiles.ReadDir(".")
	if err != nil {
		panic(err) // they are part of the program
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

// builtinOf is the display tool of Weft with that name, nil if there is none.
func builtinOf(name string) *Builtin {
	all := Builtins()
	i := slices.IndexFunc(all, func(b Builtin) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// reserved reports whether a name is that of one of Weft's own tools.
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

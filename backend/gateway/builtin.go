package gateway

import (
	"embed"
	"encoding/json"
	"slices"
	"sync"
)

//go:embed tools/*.json
var builtinFiles embed.FS

// builtin is a display tool that comes with Weft, and the arguments that its component knows and needs.
type builtin struct {
	Definition
	known, required []string
}

var reading struct {
	once sync.Once
	list []builtin
}

// builtins are read once, as they are asked for with every update of a tool call. Nobody changes them.
func builtins() []builtin {
	reading.once.Do(func() { reading.list = readBuiltins() })
	return reading.list
}

func readBuiltins() []builtin {
	files, err := builtinFiles.ReadDir("tools")
	if err != nil {
		panic(err) // they are part of the program
	}
	out := make([]builtin, 0, len(files))
	for _, f := range files {
		text, err := builtinFiles.ReadFile("tools/" + f.Name())
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
		out = append(out, builtin{Definition: d, known: properties(d.InputSchema), required: schema.Required})
	}
	return out
}

// builtinOf is the display tool of Weft with that name, nil if there is none.
func builtinOf(name string) *builtin {
	all := builtins()
	i := slices.IndexFunc(all, func(b builtin) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// reserved reports whether a name is that of one of Weft's own tools.
func reserved(name string) bool {
	return slices.Contains(spaceToolNames, name) || builtinOf(name) != nil
}

// reservedNames are the names of Weft's own tools.
func reservedNames() []string {
	names := slices.Clone(spaceToolNames)
	for _, b := range builtins() {
		names = append(names, b.Name)
	}
	return names
}

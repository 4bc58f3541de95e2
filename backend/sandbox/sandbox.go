// Package sandbox makes command lines that run a program in a sandbox: the file system read-only but for one folder, the user's secrets hidden,
// processes and, by choice, the network apart. Or it takes nothing from the program but the right to write one folder. Bubblewrap does either; where it is
// missing, Landlock can still do the latter. See docs/decisions/0018-sandbox.md.
//
// It starts nothing but a short probe.
package sandbox

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"weft/backend/fault"
)

// Plan says what a sandboxed program may do.
type Plan struct {
	Folder   string   // absolute; of the space
	ReadOnly bool     // the folder, too, can't be written, and neither can its git folder, wherever that is
	SealOnly bool     // with ReadOnly: nothing else is taken from the program, but Weft's own files and what acts for it outside
	Offline  bool     // no network, not even this machine's
	Agent    string   // whose own folders in the home are writable: an id of homes.json, or ""
	Home     string   // the user's home if ""
	Writable []string // more that is writable: absolute paths
	Hidden   []string // more that is hidden: absolute paths, such as Weft's data folder
	Visible  []string // below Hidden, readable all the same: where Weft installs agents, sockets
}

// Command is a program as it is started in a sandbox.
type Command struct {
	Path        string
	Args        []string
	Env         []string     // variables that it gets, in the form of os.Environ
	Restriction *Restriction // that a process takes on before it starts the program; nil: none
	End         func()       // must be called once the program has ended, or wasn't started; nil: nothing must
}

// Restriction is what the kernel denies a program by Landlock.
type Restriction struct {
	// Sealed are folders and files that can't be written. Nothing can be made, removed or moved in the folders above them either.
	Sealed []string `json:"sealed,omitempty"`
	// Writable are below Sealed, or where they can't be seen from the folder above, and can be written all the same.
	Writable []string `json:"writable,omitempty"`
	// Scoped denies signals to programs outside and, by their abstract names, their sockets.
	Scoped bool `json:"scoped,omitempty"`
}

// Error is a failure that a user can act on.
type Error = fault.Error

// Unsupported is the code of the error where no sandbox can be had, whatever the user installs.
const Unsupported = "sandbox_unsupported"

//go:embed hidden.json
var hiddenJSON []byte

//go:embed homes.json
var homesJSON []byte

// GatewaySocket is the name of the file, in the data folder, where agents without a network reach Weft's own tools.
const GatewaySocket = "gateway.sock"

//go:embed sockets.json
var socketsJSON []byte

var tables = sync.OnceValue(func() (t struct {
	hidden  []string // below the home
	homes   map[string][]string
	sockets struct{ Hidden, Needed, Watched []string }
},
) {
	for name, table := range map[string]struct {
		text []byte
		into any
	}{"hidden.json": {hiddenJSON, &t.hidden}, "homes.json": {homesJSON, &t.homes}, "sockets.json": {socketsJSON, &t.sockets}} {
		if err := json.Unmarshal(table.text, table.into); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // shipped with the binary and tested
		}
	}
	return t
})

// Known returns the agent of homes.json that one of the words of a launch means ("pi-acp", "/opt/bin/claude-agent-acp"),
// "" if none does.
func Known(words ...string) string {
	for _, word := range words {
		name := strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))
		for {
			if tables().homes[name] != nil {
				return name
			}
			i := strings.LastIndexByte(name, '-')
			if i < 0 {
				break
			}
			name = name[:i]
		}
	}
	return ""
}

// Own returns the folders and files in the home that an agent, as [Known] names it, keeps for itself. It may write them in a sandbox, too.
func Own(agent, home string) (paths []string) {
	for _, name := range tables().homes[agent] {
		paths = append(paths, filepath.Join(home, name))
	}
	return paths
}

// Package sandbox makes command lines that run a program in a sandbox: with a file system that is read-only except for
// one folder, the user's secrets hidden, its own processes and, optionally, no network. Alternatively it only keeps
// the program from writing to one folder. Bubblewrap does both; without it, Landlock can do the latter. See
// docs/decisions/0018-sandbox.md.
//
// The package starts nothing except a short probe.
//
// wrap_linux.go and mounts_linux.go make bubblewrap's command line, seal_linux.go a read-only space, sockets_linux.go
// and bus_linux.go decide what stays reachable, and landlock_linux.go is for machines without bubblewrap. hidden.json
// lists what is hidden, sockets.json the sockets, homes.json the folders of the agents themselves.
package sandbox

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"weft/backend/base/fault"
)

// Plan is what a sandboxed program may do.
type Plan struct {
	Folder   string   // the space's folder, absolute
	ReadOnly bool     // the folder and its git folder, wherever that is, are read-only too
	SealOnly bool     // with ReadOnly: apart from that, only Weft's own files and services that act outside of the sandbox are inaccessible
	Offline  bool     // no network, not even localhost
	Agent    string   // id in homes.json of the agent whose own folders in the home are writable, or ""
	Home     string   // "" for the user's home
	Writable []string // further writable absolute paths
	Hidden   []string // further hidden absolute paths, such as Weft's data folder
	Visible  []string // paths below Hidden that are readable anyway: installed agents, sockets
}

// Command is a program as it must be started to run in a sandbox.
type Command struct {
	Path        string
	Args        []string
	Env         []string     // additional environment variables, in the form of os.Environ
	Restriction *Restriction // a process must take it before it starts the program; nil for none
	End         func()       // must be called when the program has ended or wasn't started; nil for nothing
}

// Restriction is what the kernel denies a program through Landlock.
type Restriction struct {
	// Sealed are folders and files that can't be written. Nothing can be created, removed or moved in the folders
	// above them either.
	Sealed []string `json:"sealed,omitempty"`
	// Writable are paths that can be written although they are below Sealed, or in a folder that can't be listed.
	Writable []string `json:"writable,omitempty"`
	// Scoped denies signals to programs outside of the sandbox, and connections to their abstract sockets.
	Scoped bool `json:"scoped,omitempty"`
}

// Error is an error that the user can act on.
type Error = fault.Error

// Unsupported is the error code if no sandbox is possible, whatever the user installs.
const Unsupported = "sandbox_unsupported"

//go:embed hidden.json
var hiddenJSON []byte

//go:embed homes.json
var homesJSON []byte

// GatewaySocket is the name of the file in the data folder through which agents without a network reach Weft's own
// tools.
const GatewaySocket = "gateway.sock"

//go:embed sockets.json
var socketsJSON []byte

var tables = sync.OnceValue(func() (t struct {
	hidden  []string // relative to the home
	homes   map[string][]string
	sockets struct{ Hidden, Needed, Watched []string }
},
) {
	for name, table := range map[string]struct {
		text []byte
		into any
	}{"hidden.json": {hiddenJSON, &t.hidden}, "homes.json": {homesJSON, &t.homes}, "sockets.json": {socketsJSON, &t.sockets}} {
		if err := json.Unmarshal(table.text, table.into); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // embedded and tested
		}
	}
	return t
})

// Known returns the agent in homes.json that matches one of the words of a command line ("pi-acp",
// "/opt/bin/claude-agent-acp"), or "".
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

// Own returns the agent's own folders and files in the home, which it may also write in a sandbox. agent is a name
// from [Known].
func Own(agent, home string) (paths []string) {
	for _, name := range tables().homes[agent] {
		paths = append(paths, filepath.Join(home, name))
	}
	return paths
}

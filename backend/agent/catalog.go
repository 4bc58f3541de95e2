package agent

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"weft/backend/base/fault"
)

// Entry is a published agent: how to start it in ACP mode, and how to install it.
type Entry struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Homepage    string `json:"homepage"`
	Command     string `json:"command"`
	// OlderCommands are earlier names of the command.
	OlderCommands []string `json:"olderCommands"`
	Args          []string `json:"args"`
	// OlderArgs are the arguments of older versions, or nil if they are the same.
	OlderArgs []string          `json:"olderArgs"`
	Env       map[string]string `json:"env"`
	// Install is a command line that installs the agent. InstallPage is a page with instructions, for agents without
	// one command. Exactly one of them is set.
	Install     string `json:"install"`
	InstallPage string `json:"installPage"`
	// Process is "perSpace" for an agent that can't run several sessions at once, or that uses the MCP servers of one
	// session for all sessions of a folder. Otherwise it is empty.
	Process string `json:"process"`
	// NotGoModule is the Go module of another program with the same name.
	NotGoModule string `json:"notGoModule"`
}

//go:embed catalog.json
var catalogJSON []byte

var readCatalog = sync.OnceValue(func() []Entry {
	var list []Entry
	if err := json.Unmarshal(catalogJSON, &list); err != nil {
		panic(fmt.Sprintf("catalog.json: %v", err)) // embedded and tested
	}
	return list
})

// ProcessOf returns [Entry.Process] of a published agent, or "" if there is none with that id.
func ProcessOf(id string) string {
	for _, e := range readCatalog() {
		if e.ID == id {
			return e.Process
		}
	}
	return ""
}

// Beginnings of hints; a command or a page follows.
const (
	installWith = "Install it with "
	installAt   = "Install it as described at "
)

// CorrectCommand is the hint for a program that isn't an agent.
const CorrectCommand = "Install it, or correct the command"

// InstallHint returns how to install the agent, as half a sentence: "Install it with `…`".
func (e Entry) InstallHint() string {
	switch {
	case e.Install != "":
		return fault.Text(installWith+"{{command}}", "`"+e.Install+"`")
	case e.InstallPage != "":
		return fault.Text(installAt+"{{page}}", e.InstallPage)
	}
	return ""
}

// commands returns all possible names of the agent's program, newest first.
func (e Entry) commands() []string {
	return append([]string{e.Command}, e.OlderCommands...)
}

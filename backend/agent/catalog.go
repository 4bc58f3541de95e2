package agent

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"weft/backend/fault"
)

// Entry is one published agent: how its ACP mode is started and how one gets it.
type Entry struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Homepage    string `json:"homepage"`
	Command     string `json:"command"`
	// OlderCommands are names that the same agent had before.
	OlderCommands []string `json:"olderCommands"`
	Args          []string `json:"args"`
	// OlderArgs are what older versions took instead of Args; nil if nothing else.
	OlderArgs []string          `json:"olderArgs"`
	Env       map[string]string `json:"env"`
	// Install is a command line that installs the agent; InstallPage says how
	// where there is no one command. One of them is set.
	Install     string `json:"install"`
	InstallPage string `json:"installPage"`
	// Process is "perSpace" for an agent that cannot serve several sessions at once, or uses the MCP servers of one for all of a folder; else empty.
	Process string `json:"process"`
	// NotGoModule names another program of the same name, by its Go module.
	NotGoModule string `json:"notGoModule"`
}

//go:embed catalog.json
var catalogJSON []byte

var readCatalog = sync.OnceValue(func() []Entry {
	var list []Entry
	if err := json.Unmarshal(catalogJSON, &list); err != nil {
		panic(fmt.Sprintf("catalog.json: %v", err)) // shipped with the binary and tested
	}
	return list
})

// ProcessOf returns [Entry.Process] of a published agent, "" also where there is none of that id.
func ProcessOf(id string) string {
	for _, e := range readCatalog() {
		if e.ID == id {
			return e.Process
		}
	}
	return ""
}

// What hints begin with: a command follows, or a page.
const (
	installWith = "Install it with "
	installAt   = "Install it as described at "
)

// CorrectCommand is the hint of a program that isn't an agent.
const CorrectCommand = "Install it, or correct the command"

// InstallHint says in half a sentence how to get the agent: "Install it with `…`".
func (e Entry) InstallHint() string {
	switch {
	case e.Install != "":
		return fault.Text(installWith+"{{command}}", "`"+e.Install+"`")
	case e.InstallPage != "":
		return fault.Text(installAt+"{{page}}", e.InstallPage)
	}
	return ""
}

// commands gives all names that the agent's program may have, newest first.
func (e Entry) commands() []string {
	return append([]string{e.Command}, e.OlderCommands...)
}

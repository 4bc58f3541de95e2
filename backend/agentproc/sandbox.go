package agentproc

import (
	"os"
	"path/filepath"

	"weft/backend/agent"
	"weft/backend/sandbox"
	"weft/backend/settings"
)

// Private are Weft's own files, which no sandbox shows: who can read them has the user's keys, and who can write them decides in the user's place.
type Private struct {
	DataDir  string // Weft's own folder
	Settings string // the settings file, "" if it is in none
}

// Sandbox returns the sandbox of an agent in a space with a folder, nil if it runs without one. In a read-only space that is also one that the user hasn't chosen: it takes
// from the agent only the right to write the folder, where the machine can do that. Weft's own agents don't need it, because they ask Weft for all that they do.
func (w Private) Sandbox(config agent.Config, folder string, readOnly bool) *sandbox.Plan {
	if plan := w.chosen(config, folder, readOnly); plan != nil || !readOnly || config.Own() || sandbox.CanSeal() != nil {
		return plan
	}
	p := w.plan(config, folder)
	p.ReadOnly, p.SealOnly = true, true
	return p
}

// chosen returns the sandbox that the user has chosen for an agent, nil if none.
func (w Private) chosen(config agent.Config, folder string, readOnly bool) *sandbox.Plan {
	box := config.Sandbox
	if box == nil {
		return nil
	}
	p := w.plan(config, folder)
	p.ReadOnly, p.Offline, p.Writable = readOnly, box.Network == settings.NetworkBlocked, box.Writable
	if p.Offline {
		p.Visible = append(p.Visible, GatewaySocket(w.DataDir))
	}
	return p
}

// plan returns what all sandboxes of an agent have in common.
func (w Private) plan(config agent.Config, folder string) *sandbox.Plan {
	p := &sandbox.Plan{
		Folder: folder, Agent: Known(config), Hidden: []string{w.DataDir}, Visible: []string{filepath.Join(w.DataDir, "agents")},
	}
	if w.Settings != "" {
		p.Hidden = append(p.Hidden, w.Settings)
	}
	if exe, err := os.Executable(); err == nil { // weft mcp-stdio
		p.Visible = append(p.Visible, exe)
	}
	return p
}

// Known names the agent, as the sandbox knows them, whose own folders in the home this one uses; "" if it is none of those.
func Known(config agent.Config) string {
	return sandbox.Known(append([]string{config.ID, config.Command}, config.Args...)...)
}

// OwnFolders returns the folders and files in the home folder that the agent keeps for itself, such as its plans. It has none if there is no home folder.
func OwnFolders(config agent.Config) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return sandbox.Own(Known(config), home)
}

// GatewaySocket is where agents without a network reach Weft's own tools. dataDir is Weft's own folder.
func GatewaySocket(dataDir string) string { return filepath.Join(dataDir, sandbox.GatewaySocket) }

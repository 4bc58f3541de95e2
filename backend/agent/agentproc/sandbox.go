package agentproc

import (
	"os"
	"path/filepath"

	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/settings"
)

// Private are Weft's own files, which every sandbox hides: reading them reveals the user's keys, and writing them
// allows acting in the user's place.
type Private struct {
	DataDir  string // Weft's own folder
	Settings string // the settings file, or ""
}

// Sandbox returns the sandbox of an agent in a space with a folder, or nil if it runs without one. In a read-only
// space, an agent for which the user chose no sandbox gets one that only denies writing to the folder, if the machine
// supports that. Weft's own agents don't need it, because they ask Weft for everything that they do.
func (w Private) Sandbox(config agent.Config, folder string, readOnly bool) *sandbox.Plan {
	if plan := w.chosen(config, folder, readOnly); plan != nil || !readOnly || config.Own() || sandbox.CanSeal() != nil {
		return plan
	}
	p := w.plan(config, folder)
	p.ReadOnly, p.SealOnly = true, true
	return p
}

// chosen returns the sandbox that the user has chosen for an agent, or nil.
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

// plan returns the common part of all sandboxes of an agent.
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

// Known returns the agent, among those that package sandbox knows, whose own folders in the home this agent uses, or
// "".
func Known(config agent.Config) string {
	return sandbox.Known(append([]string{config.ID, config.Command}, config.Args...)...)
}

// OwnFolders returns the agent's own files and folders in the home folder, such as its plans. It returns none if there
// is no home folder.
func OwnFolders(config agent.Config) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return sandbox.Own(Known(config), home)
}

// GatewaySocket returns the socket through which agents without a network reach Weft's own tools. dataDir is Weft's
// own folder.
func GatewaySocket(dataDir string) string { return filepath.Join(dataDir, sandbox.GatewaySocket) }

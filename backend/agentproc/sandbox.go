package agentproc

import (
	"os"
	"path/filepath"

	"weft/backend/agent"
	"weft/backend/sandbox"
	"weft/backend/settings"
)

// Sandbox returns the sandbox of an agent for a folder, nil if it runs without one. dataDir is Weft's own folder.
func Sandbox(dataDir string, config agent.Config, folder string, readOnly bool) *sandbox.Plan {
	box := config.Sandbox
	if box == nil {
		return nil
	}
	p := &sandbox.Plan{
		Folder: folder, ReadOnly: readOnly, Offline: box.Network == settings.NetworkBlocked,
		Agent: Known(config), Writable: box.Writable,
		Hidden: []string{dataDir}, Visible: []string{filepath.Join(dataDir, "agents")},
	}
	if p.Offline {
		p.Visible = append(p.Visible, GatewaySocket(dataDir))
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
func GatewaySocket(dataDir string) string { return filepath.Join(dataDir, "gateway.sock") }

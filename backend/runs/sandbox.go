package runs

import (
	"os"
	"path/filepath"
	"reflect"

	"weft/backend/agent"
	"weft/backend/permission"
	"weft/backend/sandbox"
	"weft/backend/settings"
)

// plan is the sandbox of an agent for a folder, nil where it runs without one.
func (m *Manager) plan(config agent.Config, folder string, readOnly bool) *sandbox.Plan {
	box := config.Sandbox
	if box == nil {
		return nil
	}
	p := &sandbox.Plan{
		Folder: folder, ReadOnly: readOnly, Offline: box.Network == settings.NetworkBlocked,
		Agent: homeOf(config), Writable: box.Writable,
		Hidden: []string{m.opt.DataDir}, Visible: []string{filepath.Join(m.opt.DataDir, "agents")},
	}
	if p.Offline {
		p.Visible = append(p.Visible, GatewaySocket(m.opt.DataDir))
	}
	if exe, err := os.Executable(); err == nil { // weft mcp-stdio
		p.Visible = append(p.Visible, exe)
	}
	return p
}

// homeOf names the agent whose own folders in the home are an agent's, as the sandbox knows them.
func homeOf(config agent.Config) string {
	return sandbox.Known(append([]string{config.ID, config.Command}, config.Args...)...)
}

// GatewaySocket is where agents without a network reach Weft's own tools.
func GatewaySocket(dataDir string) string { return filepath.Join(dataDir, "gateway.sock") }

// outgrown reports whether the agent's process is in a sandbox that no longer fits the space's mode: what a folder is
// mounted as can't change. The session's mutex is held.
func (l *link) outgrown() bool {
	p := l.plan
	return p != nil && p.ReadOnly != (l.s.mode == permission.ReadOnly)
}

// boxedAnew reports whether the user has changed the sandbox of the agent, or turned it on or off, since its process was started.
func (l *link) boxedAnew() bool {
	now, err := l.s.m.opt.Agent(l.config.ID)
	return err == nil && !reflect.DeepEqual(l.plan, l.s.m.plan(now, l.s.space.Folder, l.plan != nil && l.plan.ReadOnly))
}

// refit tells a turn that works on in a sandbox that no longer fits that the mode holds for the agent's own files and
// commands only from the next prompt on.
func (s *Session) refit() {
	s.Lock()
	l := s.link
	if l == nil || s.run == nil || !l.outgrown() {
		s.Unlock()
		return
	}
	s.Unlock()
	l.put(func() {
		l.note("The sandbox of " + l.config.Name + " follows the new mode from the next prompt on. Stop the agent if it should hold now.")
	})
}

package runs

import (
	"context"
	"os"
	"path/filepath"

	"weft/backend/agent"
	"weft/backend/secret"
	"weft/backend/transcript"
)

// Secret reads a secret that the settings name. Errors: *secret.Error.
func (m *Manager) Secret(ctx context.Context, ref string) (string, error) {
	return m.opt.Secrets.Get(ctx, secret.Ref(ref))
}

// redactor knows the secrets that were read; nil if none can be.
func (m *Manager) redactor() *secret.Redactor { return m.opt.Secrets.Redactor() }

// Environment returns an agent's own variables with their secrets. It blocks for the keychain at worst. Error: *Error with a code of package secret.
func (m *Manager) Environment(ctx context.Context, config agent.Config) (map[string]string, error) {
	return m.processes.Environment(ctx, config)
}

// ProtocolPath is where the traffic of a member's last session is kept, as a recording.
func (m *Manager) ProtocolPath(spaceID, memberID string) string {
	name := spaceID
	if id := transcript.MemberField(memberID); id != "" {
		name += "@" + id
	}
	return filepath.Join(m.opt.DataDir, "protocol", name+".jsonl")
}

// OpenProtocol opens what [Manager.ProtocolPath] names, with all of it that was said by now.
// The error is fs.ErrNotExist where there was no session yet.
func (m *Manager) OpenProtocol(spaceID, memberID string) (*os.File, error) {
	if s := m.known(spaceID, memberID); s != nil {
		s.Lock()
		l := s.life.Live()
		s.Unlock()
		if l != nil {
			l.conn.Log.Flush()
		}
	}
	return os.Open(m.ProtocolPath(spaceID, memberID))
}

// Watch is told what may change files. The zero value watches nothing.
type Watch struct {
	// BeforeTurn tells that a turn begins. ready is called before the agent gets the prompt, and may
	// block for a moment.
	BeforeTurn func(spaceID, runID, promptID string) (ready func(ctx context.Context))
	// AfterTurn tells that it is over. It must not block.
	AfterTurn func(spaceID, runID string)
	// Write writes a file for the agent, by calling do. It may wait for other writes of the file until ctx ends.
	Write func(ctx context.Context, spaceID, path string, do func() error) error
	// Tool hears what the agent reports about a tool call. It must not block.
	Tool func(spaceID string, patch *transcript.ToolPatch)
}

func (w *Watch) fill() {
	if w.BeforeTurn == nil {
		w.BeforeTurn = func(string, string, string) func(context.Context) { return func(context.Context) {} }
	}
	if w.AfterTurn == nil {
		w.AfterTurn = func(string, string) {}
	}
	if w.Write == nil {
		w.Write = func(_ context.Context, _, _ string, do func() error) error { return do() }
	}
	if w.Tool == nil {
		w.Tool = func(string, *transcript.ToolPatch) {}
	}
}

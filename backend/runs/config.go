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

// OpenProtocol opens what [Manager.ProtocolPath] names, with all of it that was said by now. Error: fs.ErrNotExist where there was no session yet.
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

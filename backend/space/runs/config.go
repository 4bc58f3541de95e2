package runs

import (
	"context"
	"os"
	"path/filepath"

	"weft/backend/agent"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
)

// Secret returns the secret for a reference in the settings. Errors: *secret.Error.
func (m *Manager) Secret(ctx context.Context, ref string) (string, error) {
	return m.opt.Secrets.Get(ctx, secret.Ref(ref))
}

// redactor returns the redactor of all secrets read so far. It is nil if there is no secret store.
func (m *Manager) redactor() *secret.Redactor { return m.opt.Secrets.Redactor() }

// Environment returns the environment variables configured for an agent, including secrets. It may block for the
// keychain. Error: *Error with a code of package secret.
func (m *Manager) Environment(ctx context.Context, config agent.Config) (map[string]string, error) {
	return m.processes.Environment(ctx, config)
}

// ProtocolPath returns the path of the protocol log of a member's last session.
func (m *Manager) ProtocolPath(spaceID, memberID string) string {
	name := spaceID
	if id := transcript.MemberField(memberID); id != "" {
		name += "@" + id
	}
	return filepath.Join(m.opt.DataDir, "protocol", name+".jsonl")
}

// OpenProtocol flushes and opens the file at [Manager.ProtocolPath]. Error: fs.ErrNotExist if there was no session yet.
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

package runs

import (
	"os"
	"path/filepath"

	"weft/backend/transcript"
)

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

package store

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Session is the ACP session that an agent keeps for a space.
type Session struct {
	SpaceID   string
	AgentID   string
	SessionID string // as the agent named it
	Cwd       string // absolute
	CreatedAt int64  // unix ms
}

// AddSession notes a session; the last one of an agent counts.
func (s *Store) AddSession(ctx context.Context, se Session) error {
	if se.CreatedAt == 0 {
		se.CreatedAt = s.opt.Now().UnixMilli()
	}
	return s.change(ctx, "note the agent's session", func(c *conn) error {
		return oneRow(c, se.SpaceID, "INSERT INTO session (sid, agent_id, acp_id, cwd, created_at) SELECT sid, ?, ?, ?, ? FROM space WHERE id = ?",
			se.AgentID, se.SessionID, se.Cwd, se.CreatedAt, se.SpaceID)
	})
}

// LastSession answers the last session of an agent in a space; ok is false if there is none.
func (s *Store) LastSession(_ context.Context, spaceID, agentID string) (se Session, ok bool, err error) {
	se = Session{SpaceID: spaceID, AgentID: agentID}
	err = s.read(func(c *conn) (err error) {
		ok, err = c.one(`SELECT acp_id, cwd, created_at FROM session WHERE sid = (SELECT sid FROM space WHERE id = ?) AND agent_id = ?
			ORDER BY n DESC LIMIT 1`, []any{spaceID, agentID}, &se.SessionID, &se.Cwd, &se.CreatedAt)
		return err
	})
	return se, ok, wrap(err, "read the agent's session")
}

// SessionSpaces answers in which spaces that are not deleted sessions of an agent are, by the agent's
// names of them.
func (s *Store) SessionSpaces(_ context.Context, agentID string) (spaces map[string]string, err error) {
	spaces = map[string]string{}
	err = s.read(func(c *conn) error {
		return c.each(`SELECT session.acp_id, space.id FROM session JOIN space USING (sid)
			WHERE session.agent_id = ? AND space.deleted_at = 0 ORDER BY session.n`, []any{agentID}, func(scan func(...any) error) (bool, error) {
			var acpID, spaceID string
			if err := scan(&acpID, &spaceID); err != nil {
				return false, err
			}
			spaces[acpID] = spaceID
			return true, nil
		})
	})
	return spaces, wrap(err, "read the agent's sessions")
}

// Run is one turn of an agent. Times are unix ms.
type Run struct {
	ID         string              `json:"id"`
	SpaceID    string              `json:"spaceId"`
	MessageID  string              `json:"messageId"`
	AgentID    string              `json:"agentId"`
	AgentName  string              `json:"agentName"`
	Model      string              `json:"model"`
	PromptID   string              `json:"promptId"` // the message that triggered it
	StartedAt  int64               `json:"startedAt"`
	EndedAt    int64               `json:"endedAt"` // 0 while it runs
	StopReason string              `json:"stopReason"`
	Usage      jsontext.Value      `json:"usage"`
	Error      *transcript.Failure `json:"error"`
}

// Runs answers the last runs of a space, newest first. It knows what is in the rows:
// events that are not folded yet are not in it.
func (s *Store) Runs(_ context.Context, spaceID string, limit int) ([]Run, error) {
	list := []Run{}
	err := s.read(func(c *conn) error {
		return c.each(`SELECT id, message_id, agent_id, agent_name, model, prompt_id, started_at, ended_at, stop_reason, usage, error
			FROM run WHERE sid = (SELECT sid FROM space WHERE id = ?) ORDER BY rid DESC LIMIT ?`, []any{spaceID, limit},
			func(scan func(...any) error) (bool, error) {
				r := Run{SpaceID: spaceID}
				var usage, failure []byte
				err := scan(&r.ID, &r.MessageID, &r.AgentID, &r.AgentName, &r.Model, &r.PromptID, &r.StartedAt, &r.EndedAt, &r.StopReason, &usage, &failure)
				if err != nil {
					return false, err
				}
				r.Usage = usage
				list = append(list, r)
				return true, decodeInto(failure, &list[len(list)-1].Error)
			})
	})
	return list, wrap(err, "list the runs")
}

// decodeInto reads JSON from a column; NULL leaves v as it is.
func decodeInto(b []byte, v any) error {
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, v, lenient)
}

// SetMeta keeps a value of the app itself under key.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	return s.change(ctx, "keep a value", func(c *conn) error {
		return c.exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
	})
}

// GetMeta answers what SetMeta kept; ok is false if there is nothing.
func (s *Store) GetMeta(_ context.Context, key string) (value string, ok bool, err error) {
	err = s.read(func(c *conn) (err error) {
		ok, err = c.one("SELECT value FROM meta WHERE key = ?", []any{key}, &value)
		return err
	})
	return value, ok, wrap(err, "read a value")
}

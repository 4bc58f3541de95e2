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
	MemberID  string // "": the first member
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
		return oneRow(c, se.SpaceID, "INSERT INTO session (sid, agent_id, member_id, acp_id, cwd, created_at) SELECT sid, ?, ?, ?, ?, ? FROM space WHERE id = ?",
			se.AgentID, memberOrMain(se.MemberID), se.SessionID, se.Cwd, se.CreatedAt, se.SpaceID)
	})
}

// LastSession answers the last session of a member with that agent; ok is false if there is none.
func (s *Store) LastSession(_ context.Context, spaceID, memberID, agentID string) (se Session, ok bool, err error) {
	se = Session{SpaceID: spaceID, AgentID: agentID, MemberID: memberID}
	err = s.read(func(c *conn) (err error) {
		ok, err = c.one(`SELECT acp_id, cwd, created_at FROM session WHERE sid = (SELECT sid FROM space WHERE id = ?) AND agent_id = ? AND member_id = ?
			ORDER BY n DESC LIMIT 1`, []any{spaceID, agentID, memberOrMain(memberID)}, &se.SessionID, &se.Cwd, &se.CreatedAt)
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
	MemberID   string              `json:"memberId"`
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
		return runRows(c, "WHERE space.id = ? ORDER BY rid DESC LIMIT ?", []any{spaceID, limit}, func(r Run) { list = append(list, r) })
	})
	return list, wrap(err, "list the runs")
}

func runRows(c *conn, where string, args []any, add func(Run)) error {
	return c.each(`SELECT run.id, space.id, message_id, run.agent_id, run.agent_name, member_id, model, prompt_id, started_at, ended_at, stop_reason, usage, error
		FROM run JOIN space USING (sid) `+where, args, func(scan func(...any) error) (bool, error) {
		var r Run
		var usage, failure []byte
		err := scan(&r.ID, &r.SpaceID, &r.MessageID, &r.AgentID, &r.AgentName, &r.MemberID, &r.Model, &r.PromptID, &r.StartedAt, &r.EndedAt, &r.StopReason, &usage, &failure)
		if err != nil {
			return false, err
		}
		r.Usage = usage
		err = decodeInto(failure, &r.Error)
		add(r)
		return true, err
	})
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

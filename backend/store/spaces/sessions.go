package spaces

import (
	"cmp"
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Sessions are the ACP sessions that agents keep for spaces.
type Sessions struct{ db *db.DB }

// NewSessions returns the sessions in d.
func NewSessions(d *db.DB) *Sessions { return &Sessions{d} }

// Session is an ACP session of an agent for a space.
type Session struct {
	SpaceID   string
	AgentID   string
	MemberID  string // "": the first member
	SessionID string // the id that the agent gave it
	Cwd       string // absolute
	CreatedAt int64  // unix ms
}

// Add stores a session. It replaces earlier sessions of the same member as the current one.
func (s *Sessions) Add(ctx context.Context, se Session) error {
	if se.CreatedAt == 0 {
		se.CreatedAt = s.db.Now()
	}
	return s.db.Change(ctx, "save the agent's session", func(c *db.Conn) error {
		return update(c, se.SpaceID, "INSERT INTO session (sid, agent_id, member_id, acp_id, cwd, created_at) SELECT sid, ?, ?, ?, ?, ? FROM space WHERE id = ?",
			se.AgentID, cmp.Or(se.MemberID, transcript.MainMember), se.SessionID, se.Cwd, se.CreatedAt, se.SpaceID)
	})
}

// Last returns the last session of a member with an agent. ok is false if there is none.
func (s *Sessions) Last(ctx context.Context, spaceID, memberID, agentID string) (se Session, ok bool, err error) {
	err = s.db.Read(ctx, "read the agent's session", func(c *db.Conn) error {
		se, ok, err = last(c, spaceID, memberID, agentID)
		return err
	})
	return se, ok, err
}

func last(c *db.Conn, spaceID, memberID, agentID string) (se Session, ok bool, err error) {
	se = Session{SpaceID: spaceID, AgentID: agentID, MemberID: memberID}
	ok, err = c.One(`SELECT acp_id, cwd, created_at FROM session WHERE sid = (SELECT sid FROM space WHERE id = ?) AND agent_id = ? AND member_id = ?
		ORDER BY n DESC LIMIT 1`, []any{spaceID, agentID, cmp.Or(memberID, transcript.MainMember)}, &se.SessionID, &se.Cwd, &se.CreatedAt)
	return se, ok, err
}

// OfAgent returns the spaces of an agent's sessions, by the id that the agent gave the session. Deleted spaces are left
// out.
func (s *Sessions) OfAgent(ctx context.Context, agentID string) (spaces map[string]string, err error) {
	spaces = map[string]string{}
	err = s.db.Read(ctx, "read the agent's sessions", func(c *db.Conn) error {
		return c.Each(`SELECT session.acp_id, space.id FROM session JOIN space USING (sid)
			WHERE session.agent_id = ? AND space.deleted_at = 0 ORDER BY session.n`, []any{agentID}, func(scan db.Scan) (bool, error) {
			var acpID, spaceID string
			if err := scan(&acpID, &spaceID); err != nil {
				return false, err
			}
			spaces[acpID] = spaceID
			return true, nil
		})
	})
	return spaces, err
}

// Own returns the ids that agents gave to the sessions of spaces, except imported spaces.
func (s *Sessions) Own(ctx context.Context) (map[string]bool, error) {
	ids := map[string]bool{}
	err := s.db.Read(ctx, "read the agents' sessions", func(c *db.Conn) error {
		list, err := db.List[string](c, "SELECT acp_id FROM session WHERE sid NOT IN (SELECT sid FROM imported)")
		for _, id := range list {
			ids[id] = true
		}
		return err
	})
	return ids, err
}

// OfSpace lists the sessions that agents keep for a space and that no other space uses, unless that one is deleted.
func (s *Sessions) OfSpace(ctx context.Context, spaceID string) ([]Session, error) {
	var list []Session
	err := s.db.Read(ctx, "read the agent's sessions", func(c *db.Conn) error {
		return c.Each(`SELECT x.agent_id, x.acp_id, max(x.cwd) FROM session x JOIN space USING (sid) WHERE space.id = ?1 AND NOT EXISTS
			(SELECT 1 FROM session y JOIN space o USING (sid) WHERE y.acp_id = x.acp_id AND y.agent_id = x.agent_id AND o.id <> ?1 AND o.deleted_at = 0)
			GROUP BY 1, 2 ORDER BY min(x.n)`, []any{spaceID}, func(scan db.Scan) (bool, error) {
			se := Session{SpaceID: spaceID}
			err := scan(&se.AgentID, &se.SessionID, &se.Cwd)
			list = append(list, se)
			return true, err
		})
	})
	return list, err
}

// ToFork returns the session of the space that a branch came from, if a fork of it would know exactly what the branch
// contains: nothing was added to that space since, and the branch adds at most the prompt in progress.
func (s *Sessions) ToFork(ctx context.Context, spaceID, memberID, agentID string) (se Session, ok bool, err error) {
	err = View(ctx, s.db, spaceID, "read the start of the branch", func(c *db.Conn, sid int64) error {
		var parent string
		ok, err = c.One(`SELECT p.id FROM space b JOIN space p ON p.id = b.origin JOIN message m ON m.sid = p.sid AND m.ord = b.origin_ord
			JOIN message o ON o.sid = b.sid AND o.ord = b.origin_ord
			WHERE b.sid = ?1 AND m.ended_at > 0 AND m.id = o.id AND m.stop_reason = o.stop_reason
			AND NOT EXISTS (SELECT 1 FROM message x WHERE x.sid = p.sid AND x.ord > b.origin_ord)
			AND NOT EXISTS (SELECT 1 FROM message x WHERE x.sid = b.sid AND x.ord > b.origin_ord + 2)`, []any{sid}, &parent)
		if err != nil || !ok {
			return err
		}
		se, ok, err = last(c, parent, memberID, agentID)
		return err
	})
	return se, ok, err
}

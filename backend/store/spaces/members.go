package spaces

import (
	"context"
	"strings"

	"weft/backend/store/db"
)

// How a member speaks in its space, and how far back it may read.
const (
	SpeaksDirect = "direct" // its text is its message
	SpeaksByTool = "tool"   // its text is reasoning; it writes messages with a tool
	ReadsAll     = "all"
	ReadsJoined  = "joined" // what was added after it joined
)

// Members are the agents in spaces.
type Members struct{ db *db.DB }

// NewMembers returns the members in d.
func NewMembers(d *db.DB) *Members { return &Members{d} }

// Member is an agent in a space.
type Member struct {
	SpaceID   string
	ID        string // [transcript.MainMember] of the first one
	Name      string // its name in the space
	AgentID   string
	AgentName string
	Role      string // the description of its role that it is given
	Speaks    string
	Reads     string
	JoinedAt  int64 // unix ms
	JoinedOrd int64 // number of messages when it joined
	Default   bool  // it gets prompts that mention nobody
}

// MemberChange holds the fields of a member to change. Nil fields don't change.
type MemberChange struct {
	Name, Role, Speaks, Reads, AgentID, AgentName *string
	Default                                       bool // make it the default
}

// ReadMembers returns the present members that a condition selects, in the order in which they joined.
func ReadMembers(c *db.Conn, where string, args ...any) (list []Member, err error) {
	err = c.Each(`SELECT space.id, member.id, member.name, member.agent_id, member.agent_name, role, speaks, reads, joined_at, joined_ord, member.id = space.default_member
		FROM member JOIN space USING (sid) WHERE left_at = 0 AND `+where+" ORDER BY space.sid, member.n", args, func(scan db.Scan) (bool, error) {
		var m Member
		err := scan(&m.SpaceID, &m.ID, &m.Name, &m.AgentID, &m.AgentName, &m.Role, &m.Speaks, &m.Reads, &m.JoinedAt, &m.JoinedOrd, &m.Default)
		list = append(list, m)
		return true, err
	})
	return list, err
}

// fillMembers adds the members of spaces, which must be sorted by activity.
func fillMembers(c *db.Conn, list []Space) error {
	at := map[string]int{}
	for i := range list {
		at[list[i].ID] = i
	}
	all, err := ReadMembers(c, "space.last_activity BETWEEN ? AND ?", list[len(list)-1].LastActivity, list[0].LastActivity)
	for _, m := range all {
		if i, ok := at[m.SpaceID]; ok {
			list[i].Members = append(list[i].Members, m)
		}
	}
	return err
}

// Add adds an agent to a space. It generates an id if m has none. A former member rejoins with its id and keeps the
// position at which it first joined. Errors: not_found, conflict if the name is taken.
func (s *Members) Add(ctx context.Context, m Member) (Member, error) {
	if m.ID == "" {
		m.ID = "m" + NewID()
	}
	m.JoinedAt = s.db.Now()
	err := s.db.Change(ctx, "add the member", func(c *db.Conn) error {
		if err := nameFree(c, m.SpaceID, m.ID, m.Name); err != nil {
			return err
		}
		if _, err := c.One("SELECT coalesce(max(ord), 0) FROM message JOIN space USING (sid) WHERE space.id = ?", []any{m.SpaceID}, &m.JoinedOrd); err != nil {
			return err
		}
		return addMember(c, m)
	})
	return m, err
}

func addMember(c *db.Conn, m Member) error {
	return update(c, m.SpaceID, `INSERT INTO member (sid, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord)
		SELECT sid, ?2, (SELECT coalesce(max(n), 0) + 1 FROM member WHERE sid = space.sid), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM space WHERE id = ?1 AND deleted_at = 0
		ON CONFLICT DO UPDATE SET left_at = 0, n = excluded.n, name = excluded.name, role = excluded.role, speaks = excluded.speaks, reads = excluded.reads`,
		m.SpaceID, m.ID, m.Name, m.AgentID, m.AgentName, m.Role, m.Speaks, m.Reads, m.JoinedAt, m.JoinedOrd)
}

// nameFree returns an error with the code conflict if another member of the space has the name.
func nameFree(c *db.Conn, spaceID, memberID, name string) error {
	taken := false
	err := c.Each("SELECT member.name FROM member JOIN space USING (sid) WHERE space.id = ? AND member.id <> ? AND left_at = 0", []any{spaceID, memberID},
		func(scan db.Scan) (bool, error) {
			var other string
			err := scan(&other)
			taken = taken || strings.EqualFold(other, name)
			return true, err
		})
	if err == nil && taken {
		err = db.Fail(db.CodeConflict, "A member named {{name}} already exists. Choose another name.", name)
	}
	return err
}

// Update changes a member. Errors: not_found, conflict if the name is taken.
func (s *Members) Update(ctx context.Context, spaceID, id string, ch MemberChange) error {
	return s.db.Change(ctx, "change the member", func(c *db.Conn) error {
		if ch.Name != nil {
			if err := nameFree(c, spaceID, id, *ch.Name); err != nil {
				return err
			}
		}
		changed, err := c.ExecRow(`UPDATE member SET name = coalesce(?, name), role = coalesce(?, role), speaks = coalesce(?, speaks), reads = coalesce(?, reads),
			agent_id = coalesce(?, agent_id), agent_name = coalesce(?, agent_name)
			WHERE sid = (SELECT sid FROM space WHERE id = ? AND deleted_at = 0) AND id = ? AND left_at = 0`,
			ch.Name, ch.Role, ch.Speaks, ch.Reads, ch.AgentID, ch.AgentName, spaceID, id)
		if err != nil {
			return err
		}
		if !changed {
			return db.Fail(db.CodeNotFound, "The member wasn't found in this conversation.")
		}
		if ch.Default {
			return update(c, spaceID, "UPDATE space SET default_member = ?1, (agent_id, agent_name) = (SELECT agent_id, agent_name FROM member WHERE sid = space.sid AND id = ?1) WHERE id = ?2", id, spaceID)
		}
		return nil
	})
}

// Remove removes a member from a space. Its messages stay. If it was the default, the first remaining member becomes
// the default. Errors: not_found, conflict for the only member.
func (s *Members) Remove(ctx context.Context, spaceID, id string) error {
	return s.db.Change(ctx, "remove the member", func(c *db.Conn) error {
		var others int
		var next string
		_, err := c.One(`SELECT count(*), coalesce((SELECT m.id FROM member m WHERE m.sid = space.sid AND m.left_at = 0 AND m.id <> ?2 ORDER BY m.n LIMIT 1), '')
			FROM member JOIN space USING (sid) WHERE space.id = ?1 AND left_at = 0 AND member.id <> ?2`, []any{spaceID, id}, &others, &next)
		if err != nil {
			return err
		}
		if others == 0 {
			return db.Fail(db.CodeConflict, "A space needs at least one agent. Add another one first.")
		}
		changed, err := c.ExecRow("UPDATE member SET left_at = ? WHERE sid = (SELECT sid FROM space WHERE id = ?) AND id = ? AND left_at = 0",
			max(s.db.Now(), 1), spaceID, id)
		if err != nil {
			return err
		}
		if !changed {
			return db.Fail(db.CodeNotFound, "The member wasn't found in this conversation.")
		}
		return c.Exec(`UPDATE space SET default_member = ?1, (agent_id, agent_name) = (SELECT agent_id, agent_name FROM member WHERE sid = space.sid AND id = ?1)
			WHERE id = ?2 AND default_member = ?3`, next, spaceID, id)
	})
}

// CopyMembers gives a branch the members of the space that it came from.
func CopyMembers(c *db.Conn, from, to int64) error {
	return c.Exec(`INSERT INTO member (sid, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord, left_at)
		SELECT ?2, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord, left_at FROM member WHERE sid = ?1`, from, to)
}

package store

import (
	"context"
	"strings"

	"weft/backend/transcript"
)

// How a member speaks in its space, and how far back it may read.
const (
	SpeaksDirect = "direct" // its text is its message
	SpeaksByTool = "tool"   // its text is reasoning; it writes by tool
	ReadsAll     = "all"
	ReadsJoined  = "joined" // what came after it did
)

// Member is an agent in a space.
type Member struct {
	SpaceID   string
	ID        string // [transcript.MainMember] of the first one
	Name      string // what it is called in the space
	AgentID   string
	AgentName string
	Role      string // what it is told to be there
	Speaks    string
	Reads     string
	JoinedAt  int64 // unix ms
	JoinedOrd int64 // so many messages were there when it came
	Default   bool  // it is asked where nobody is named
}

// MemberChange holds the fields of a member to change; nil leaves one as it is.
type MemberChange struct {
	Name, Role, Speaks, Reads, AgentID, AgentName *string
	Default                                       bool // make it the default
}

const memberColumns = "space.id, member.id, member.name, member.agent_id, member.agent_name, role, speaks, reads, joined_at, joined_ord, member.id = space.default_member"

func scanMember(scan func(...any) error) (m Member, err error) {
	err = scan(&m.SpaceID, &m.ID, &m.Name, &m.AgentID, &m.AgentName, &m.Role, &m.Speaks, &m.Reads, &m.JoinedAt, &m.JoinedOrd, &m.Default)
	return m, err
}

// Members lists those that are in a space, in the order in which they came.
func (s *Store) Members(_ context.Context, spaceID string) (list []Member, err error) {
	err = s.members(&list, "space.id = ?", spaceID)
	return list, wrap(err, "read the members of the conversation")
}

// fillMembers adds to spaces who is there.
func (s *Store) fillMembers(list []Space) error {
	at := map[string]int{}
	for i := range list {
		at[list[i].ID] = i
	}
	var all []Member
	err := s.members(&all, "true")
	for _, m := range all {
		if i, ok := at[m.SpaceID]; ok {
			list[i].Members = append(list[i].Members, m)
		}
	}
	return err
}

// Memberships lists where an agent is a member, in spaces that are neither archived nor deleted.
func (s *Store) Memberships(_ context.Context, agentID string) (list []Member, err error) {
	err = s.members(&list, "member.agent_id = ? AND space.deleted_at = 0 AND space.archived = 0", agentID)
	return list, wrap(err, "read where an agent is a member")
}

func (s *Store) members(list *[]Member, where string, args ...any) error {
	return s.read(func(c *conn) error { return memberRows(c, list, where, args...) })
}

func memberRows(c *conn, list *[]Member, where string, args ...any) error {
	return c.each("SELECT "+memberColumns+" FROM member JOIN space USING (sid) WHERE left_at = 0 AND "+where+" ORDER BY space.sid, member.n", args,
		func(scan func(...any) error) (bool, error) {
			m, err := scanMember(scan)
			*list = append(*list, m)
			return true, err
		})
}

// AddMember puts an agent into a space. It makes an id where m has none; one that was there before comes back with the same id, and with what it knew. Errors:
// not_found, conflict if the name is taken.
func (s *Store) AddMember(ctx context.Context, m Member) (Member, error) {
	if m.ID == "" {
		m.ID = "m" + newID()
	}
	m.JoinedAt = s.opt.Now().UnixMilli()
	err := s.change(ctx, "add the member", func(c *conn) error {
		if err := nameFree(c, m.SpaceID, m.ID, m.Name); err != nil {
			return err
		}
		if _, err := c.one("SELECT coalesce(max(ord), 0) FROM message JOIN space USING (sid) WHERE space.id = ?", []any{m.SpaceID}, &m.JoinedOrd); err != nil {
			return err
		}
		return addMember(c, m)
	})
	return m, err
}

func addMember(c *conn, m Member) error {
	return oneRow(c, m.SpaceID, `INSERT INTO member (sid, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord)
		SELECT sid, ?2, (SELECT coalesce(max(n), 0) + 1 FROM member WHERE sid = space.sid), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM space WHERE id = ?1 AND deleted_at = 0
		ON CONFLICT DO UPDATE SET left_at = 0, n = excluded.n, name = excluded.name, role = excluded.role, speaks = excluded.speaks, reads = excluded.reads`,
		m.SpaceID, m.ID, m.Name, m.AgentID, m.AgentName, m.Role, m.Speaks, m.Reads, m.JoinedAt, m.JoinedOrd)
}

// nameFree fails with conflict if another member of the space has the name.
func nameFree(c *conn, spaceID, memberID, name string) error {
	taken := false
	err := c.each("SELECT member.name FROM member JOIN space USING (sid) WHERE space.id = ? AND member.id <> ? AND left_at = 0", []any{spaceID, memberID},
		func(scan func(...any) error) (bool, error) {
			var other string
			err := scan(&other)
			taken = taken || strings.EqualFold(other, name)
			return true, err
		})
	if err == nil && taken {
		err = fail(CodeConflict, "There is a member called %s already. Choose another name.", name)
	}
	return err
}

// UpdateMember changes a member. Errors: not_found, conflict if the name is taken.
func (s *Store) UpdateMember(ctx context.Context, spaceID, id string, ch MemberChange) error {
	return s.change(ctx, "change the member", func(c *conn) error {
		if ch.Name != nil {
			if err := nameFree(c, spaceID, id, *ch.Name); err != nil {
				return err
			}
		}
		res, err := c.execResult(`UPDATE member SET name = coalesce(?, name), role = coalesce(?, role), speaks = coalesce(?, speaks), reads = coalesce(?, reads),
			agent_id = coalesce(?, agent_id), agent_name = coalesce(?, agent_name)
			WHERE sid = (SELECT sid FROM space WHERE id = ? AND deleted_at = 0) AND id = ? AND left_at = 0`,
			ch.Name, ch.Role, ch.Speaks, ch.Reads, ch.AgentID, ch.AgentName, spaceID, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fail(CodeNotFound, "There is no such member in this conversation.")
		}
		if ch.Default {
			return oneRow(c, spaceID, "UPDATE space SET default_member = ?1, (agent_id, agent_name) = (SELECT agent_id, agent_name FROM member WHERE sid = space.sid AND id = ?1) WHERE id = ?2", id, spaceID)
		}
		return nil
	})
}

// RemoveMember takes a member out of a space; what it said stays. If it was the default, the first that is left becomes it. Errors: not_found, conflict for the last one.
func (s *Store) RemoveMember(ctx context.Context, spaceID, id string) error {
	return s.change(ctx, "remove the member", func(c *conn) error {
		var others int
		var next string
		_, err := c.one(`SELECT count(*), coalesce((SELECT m.id FROM member m WHERE m.sid = space.sid AND m.left_at = 0 AND m.id <> ?2 ORDER BY m.n LIMIT 1), '')
			FROM member JOIN space USING (sid) WHERE space.id = ?1 AND left_at = 0 AND member.id <> ?2`, []any{spaceID, id}, &others, &next)
		if err != nil {
			return err
		}
		if others == 0 {
			return fail(CodeConflict, "A space has at least one agent. Add another one first.")
		}
		res, err := c.execResult("UPDATE member SET left_at = ? WHERE sid = (SELECT sid FROM space WHERE id = ?) AND id = ? AND left_at = 0",
			max(s.opt.Now().UnixMilli(), 1), spaceID, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fail(CodeNotFound, "There is no such member in this conversation.")
		}
		return c.exec(`UPDATE space SET default_member = ?1, (agent_id, agent_name) = (SELECT agent_id, agent_name FROM member WHERE sid = space.sid AND id = ?1)
			WHERE id = ?2 AND default_member = ?3`, next, spaceID, id)
	})
}

// copyMembers gives a branch the members of the space that it comes from.
func copyMembers(c *conn, from, to int64) error {
	return c.exec(`INSERT INTO member (sid, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord, left_at)
		SELECT ?2, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord, left_at FROM member WHERE sid = ?1`, from, to)
}

// RunMessage is a message of a run in one of the spaces that it has added to.
type RunMessage struct {
	SpaceID    string `json:"spaceId"`
	SpaceTitle string `json:"spaceTitle"`
	MessageID  string `json:"messageId"`
	CreatedAt  int64  `json:"createdAt"` // unix ms
}

// RunMessages answers a run with its messages in all spaces that are not deleted, in the order in which they began; found is false if there is no such run.
func (s *Store) RunMessages(_ context.Context, runID string) (run Run, list []RunMessage, found bool, err error) {
	list = []RunMessage{}
	err = s.view("read the run", func(c *conn) error {
		err := runRows(c, "WHERE run.id = ? AND run.id <> '' AND home = '' ORDER BY rid LIMIT 1", []any{runID}, func(r Run) { run, found = r, true })
		if err != nil || !found {
			return err
		}
		return c.each(`SELECT space.id, space.title, message.id, message.created_at FROM message JOIN space USING (sid)
			WHERE run_id = ? AND run_id <> '' AND role = 'agent' AND deleted_at = 0 ORDER BY message.created_at, message.mid`, []any{runID}, func(scan func(...any) error) (bool, error) {
			var m RunMessage
			err := scan(&m.SpaceID, &m.SpaceTitle, &m.MessageID, &m.CreatedAt)
			list = append(list, m)
			return true, err
		})
	})
	return run, list, found, err
}

// AgentRuns answers the latest runs of an agent in spaces that are not deleted, newest first.
func (s *Store) AgentRuns(_ context.Context, agentID string, limit int) (list []Run, err error) {
	err = s.view("list the runs", func(c *conn) error {
		return runRows(c, "WHERE run.agent_id = ? AND home = '' AND deleted_at = 0 ORDER BY rid DESC LIMIT ?", []any{agentID, limit}, func(r Run) { list = append(list, r) })
	})
	return list, err
}

func memberOrMain(id string) string {
	if id == "" {
		return transcript.MainMember
	}
	return id
}

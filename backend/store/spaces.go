package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"weft/backend/transcript"
)

// The states that a space keeps over a restart.
const (
	StateIdle   = "idle"
	StateFailed = "failed" // its last run failed
)

// Space is a place where a person and agents talk, as the sidebar lists it. Times are unix ms.
type Space struct {
	ID           string
	Title        string
	Folder       string // absolute
	AgentID      string
	AgentName    string
	Archived     bool
	LastState    string // StateIdle or StateFailed
	CreatedAt    int64
	LastActivity int64
	DeletedAt    int64  // 0: not deleted
	RunEndedAt   int64  // when the last run ended that the person did not stop; 0: none did
	SeenAt       int64  // the person has seen what ended until then
	Permissions  string // how permission requests are dealt with: ask, rules, read-only
	Origin              // of a branch
	// DefaultMember is who is asked where nobody is named; AgentID and AgentName are its.
	DefaultMember string
	Members       []Member // that are there, in the order in which they came
}

// Unseen reports whether a run has ended that the person has not seen.
func (sp *Space) Unseen() bool { return sp.RunEndedAt > sp.SeenAt }

// MarkSeen notes that the person has seen how the runs of a space ended.
func (s *Store) MarkSeen(ctx context.Context, id string) error {
	return s.change(ctx, "note what was seen", func(c *conn) error {
		return oneRow(c, id, "UPDATE space SET seen_at = max(seen_at, run_ended_at) WHERE id = ? AND deleted_at = 0", id)
	})
}

// SpaceChange holds the fields of a space to change; nil leaves one as it is.
type SpaceChange struct {
	Title, Folder, AgentID, AgentName, LastState, Permissions *string
	Archived                                                  *bool
}

// SpaceFilter selects spaces.
type SpaceFilter struct {
	Archived bool   // the archived ones instead of the others
	Deleted  bool   // the deleted ones (archived or not) instead of the others
	Query    string // words that the title must have, in any order and case
}

const spaceColumns = "id, title, folder, agent_id, agent_name, archived, last_state, created_at, last_activity, deleted_at, run_ended_at, seen_at, permission_mode, tree, origin, origin_message, origin_ord, default_member"

func scanSpace(scan func(...any) error) (sp Space, err error) {
	err = scan(&sp.ID, &sp.Title, &sp.Folder, &sp.AgentID, &sp.AgentName, &sp.Archived, &sp.LastState, &sp.CreatedAt, &sp.LastActivity, &sp.DeletedAt,
		&sp.RunEndedAt, &sp.SeenAt, &sp.Permissions, &sp.Tree, &sp.Parent, &sp.ParentMessage, &sp.Shared, &sp.DefaultMember)
	return sp, err
}

// CreateSpace adds a space with its members; without any, its agent is the only one. It makes an id where sp has none, and fills in the times. The
// error has the code conflict if the id, or the name of a member, is taken.
func (s *Store) CreateSpace(ctx context.Context, sp Space) (Space, error) {
	s.complete(&sp)
	return sp, s.change(ctx, "create the conversation", func(c *conn) error { return insertSpace(c, sp) })
}

// complete fills in what a new space does not say.
func (s *Store) complete(sp *Space) {
	if sp.ID == "" {
		sp.ID = newID()
	}
	now := s.opt.Now().UnixMilli()
	if sp.CreatedAt == 0 {
		sp.CreatedAt = now
	}
	if sp.LastActivity == 0 {
		sp.LastActivity = sp.CreatedAt
	}
	if sp.LastState == "" {
		sp.LastState = StateIdle
	}
	if sp.Permissions == "" {
		sp.Permissions = "rules"
	}
	sp.DeletedAt, sp.DefaultMember = 0, transcript.MainMember
	if len(sp.Members) == 0 {
		sp.Members = []Member{{Name: sp.AgentName, AgentID: sp.AgentID, AgentName: sp.AgentName}}
	}
	sp.Members = slices.Clone(sp.Members)
	for i := range sp.Members {
		m := &sp.Members[i]
		m.SpaceID, m.ID, m.JoinedAt, m.Default = sp.ID, "m"+newID(), sp.CreatedAt, i == 0
		if i == 0 {
			m.ID = transcript.MainMember
		}
		m.Speaks, m.Reads = cmp.Or(m.Speaks, SpeaksDirect), cmp.Or(m.Reads, ReadsAll)
	}
}

// insertSpace adds a complete space with its members.
func insertSpace(c *conn, sp Space) error {
	err := c.exec(`INSERT INTO space (id, title, folder, agent_id, agent_name, archived, last_state, created_at, last_activity, permission_mode, epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sp.ID, sp.Title, sp.Folder, sp.AgentID, sp.AgentName, sp.Archived, sp.LastState, sp.CreatedAt, sp.LastActivity, sp.Permissions, newEpoch())
	if err != nil {
		return err
	}
	for _, m := range sp.Members {
		if err := nameFree(c, sp.ID, m.ID, m.Name); err != nil {
			return err
		}
		if err := addMember(c, m); err != nil {
			return err
		}
	}
	return nil
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// newEpoch makes an epoch that no frontend has met: below 2^53, so that JavaScript can hold it.
func newEpoch() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return int64(binary.LittleEndian.Uint64(b[:])>>11) | 1
}

// Space answers one space, not_found if it is deleted or was never there.
func (s *Store) Space(_ context.Context, id string) (sp Space, err error) {
	found := false
	err = s.read(func(c *conn) error {
		return c.each("SELECT "+spaceColumns+" FROM space WHERE id = ? AND deleted_at = 0", []any{id}, func(scan func(...any) error) (bool, error) {
			found = true
			sp, err = scanSpace(scan)
			return false, err
		})
	})
	if err == nil && !found {
		err = noSpace(id)
	}
	if err == nil {
		err = s.members(&sp.Members, "space.id = ?", id)
	}
	return sp, wrap(err, "read the conversation")
}

// Spaces lists spaces, last activity first.
func (s *Store) Spaces(_ context.Context, f SpaceFilter) ([]Space, error) {
	where := "deleted_at = 0 AND archived = ?"
	if f.Deleted {
		where = "deleted_at > 0 AND purging = 0 AND ? IS NOT NULL"
	}
	words := strings.Fields(strings.ToLower(f.Query))
	list := []Space{}
	err := s.read(func(c *conn) error {
		return c.each("SELECT "+spaceColumns+" FROM space WHERE "+where+" ORDER BY last_activity DESC, sid DESC", []any{f.Archived},
			func(scan func(...any) error) (bool, error) {
				sp, err := scanSpace(scan)
				if err == nil && hasAll(strings.ToLower(sp.Title), words) {
					list = append(list, sp)
				}
				return true, err
			})
	})
	if err == nil {
		err = s.fillMembers(list)
	}
	return list, wrap(err, "list the conversations")
}

func hasAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// UpdateSpace changes a space and answers it as it is then.
func (s *Store) UpdateSpace(ctx context.Context, id string, ch SpaceChange) (Space, error) {
	err := s.change(ctx, "change the conversation", func(c *conn) error {
		if ch.AgentID != nil { // of who is asked where nobody is named
			err := c.exec(`UPDATE member SET agent_id = ?1, agent_name = ?2, name = iif(member.name = member.agent_name AND NOT EXISTS
				(SELECT 1 FROM member o WHERE o.sid = member.sid AND o.left_at = 0 AND lower(o.name) = lower(?2)), ?2, member.name)
				FROM space WHERE space.sid = member.sid AND member.id = space.default_member AND space.id = ?3`, *ch.AgentID, *ch.AgentName, id)
			if err != nil {
				return err
			}
		}
		return oneRow(c, id, `UPDATE space SET title = coalesce(?, title), folder = coalesce(?, folder), agent_id = coalesce(?, agent_id),
			agent_name = coalesce(?, agent_name), last_state = coalesce(?, last_state), archived = coalesce(?, archived),
			permission_mode = coalesce(?, permission_mode)
			WHERE id = ? AND deleted_at = 0`, ch.Title, ch.Folder, ch.AgentID, ch.AgentName, ch.LastState, ch.Archived, ch.Permissions, id)
	})
	if err != nil {
		return Space{}, err
	}
	return s.Space(ctx, id)
}

// DeleteSpace hides a space until it is restored or purged.
func (s *Store) DeleteSpace(ctx context.Context, id string) error {
	return s.change(ctx, "delete the conversation", func(c *conn) error {
		return oneRow(c, id, "UPDATE space SET deleted_at = ? WHERE id = ? AND deleted_at = 0", max(s.opt.Now().UnixMilli(), 1), id)
	})
}

// RestoreSpace undoes DeleteSpace.
func (s *Store) RestoreSpace(ctx context.Context, id string) (Space, error) {
	err := s.change(ctx, "restore the conversation", func(c *conn) error {
		return oneRow(c, id, "UPDATE space SET deleted_at = 0 WHERE id = ? AND deleted_at > 0 AND purging = 0", id)
	})
	if err != nil {
		return Space{}, err
	}
	return s.Space(ctx, id)
}

// oneRow runs a statement that must change the row of space id.
func oneRow(c *conn, id, query string, args ...any) error {
	res, err := c.execResult(query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return noSpace(id)
	}
	return nil
}

// change runs f in a transaction of its own that survives a power cut.
func (s *Store) change(ctx context.Context, doing string, f func(c *conn) error) error {
	return wrap(s.submit(ctx, &request{do: f}), doing)
}

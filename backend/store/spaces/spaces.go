package spaces

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Spaces is the list of spaces.
type Spaces struct{ db *db.DB }

// New returns the spaces in d.
func New(d *db.DB) *Spaces { return &Spaces{d} }

// The states of a space that survive a restart.
const (
	StateIdle   = "idle"
	StateFailed = "failed" // its last run failed
)

// Who made a space.
const (
	MadeByUser     = "user"
	MadeByAgent    = "agent"
	MadeBySchedule = "schedule"
	MadeByImport   = "import" // from another program
)

// Space is a conversation between the user and agents, as the sidebar lists it. Times are unix ms.
type Space struct {
	ID           string
	Title        string
	Folder       string // absolute
	AgentID      string // of the default member
	AgentName    string
	Archived     bool
	LastState    string // StateIdle or StateFailed
	CreatedAt    int64
	LastActivity int64
	DeletedAt    int64  // 0: not deleted
	RunEndedAt   int64  // when the last run that the user didn't stop ended; 0: none
	SeenAt       int64  // the user has seen the runs that ended by then
	Permissions  string // how permission requests are handled: ask, rules, read-only
	MadeBy       string // MadeByUser if it is empty
	Project      string // the repository or folder that it belongs to; "": not looked up yet
	Draft        bool   // it has an unsent prompt
	Tags         []string
	ImportedFrom string // the program that it was imported from, "" for most
	Origin              // of a branch
	// DefaultMember is the member that gets prompts that mention nobody.
	DefaultMember string
	Members       []Member // the present ones, in the order in which they joined
}

// Unseen reports whether a run has ended that the user has not seen.
func (sp *Space) Unseen() bool { return sp.RunEndedAt > sp.SeenAt }

// Change holds the fields of a space to change. Nil fields don't change.
type Change struct {
	Title, Folder, AgentID, AgentName, LastState, Permissions *string
	Archived                                                  *bool
	MadeBy                                                    *string
	Project                                                   *string // a change of Folder without Project resets it to ""
}

// Filter selects spaces.
type Filter struct {
	Archived bool   // the archived ones instead of the others
	Deleted  bool   // the deleted ones, archived or not, instead of the others
	Query    string // words that the title contains, in any order and case
	Until    int64  // only those with no activity after it, unix ms; 0: all
	Limit    int    // at most this many, latest activity first; 0: all
}

// Columns are the columns that [ScanColumns] reads: those of the table space, and values from other tables.
const Columns = `id, title, folder, agent_id, agent_name, archived, last_state, created_at, last_activity, deleted_at, run_ended_at, seen_at, permission_mode, made_by, project,
	tree, origin, origin_message, origin_ord, default_member, imported_from,
	EXISTS (SELECT 1 FROM draft WHERE draft.sid = space.sid AND draft.filled = 1),
	coalesce((SELECT group_concat(tag.id, ' ' ORDER BY tag.tid) FROM space_tag JOIN tag USING (tid) WHERE space_tag.sid = space.sid), '')`

// ScanColumns reads [Columns], and into more the columns after them. It leaves out the members.
func ScanColumns(scan db.Scan, more ...any) (sp Space, err error) {
	var tags string
	err = scan(append([]any{
		&sp.ID, &sp.Title, &sp.Folder, &sp.AgentID, &sp.AgentName, &sp.Archived, &sp.LastState, &sp.CreatedAt, &sp.LastActivity, &sp.DeletedAt,
		&sp.RunEndedAt, &sp.SeenAt, &sp.Permissions, &sp.MadeBy, &sp.Project, &sp.Tree, &sp.Parent, &sp.ParentMessage, &sp.Shared, &sp.DefaultMember, &sp.ImportedFrom,
		&sp.Draft, &tags,
	}, more...)...)
	sp.Tags = strings.Fields(tags)
	return sp, err
}

// Create adds a space with its members. Without members, its agent becomes the only one. Create generates an id if
// there is none and fills in times. The error has the code conflict if the id or the name of a member is taken.
func (s *Spaces) Create(ctx context.Context, sp Space) (Space, error) {
	sp = Complete(sp, s.db.Now())
	return sp, s.db.Change(ctx, "create the conversation", func(c *db.Conn) error { return Insert(c, sp) })
}

// Complete fills in the missing fields of a new space.
func Complete(sp Space, now int64) Space {
	sp.ID = cmp.Or(sp.ID, NewID())
	sp.CreatedAt = cmp.Or(sp.CreatedAt, now)
	sp.LastActivity = cmp.Or(sp.LastActivity, sp.CreatedAt)
	sp.LastState = cmp.Or(sp.LastState, StateIdle)
	sp.Permissions = cmp.Or(sp.Permissions, "rules")
	sp.MadeBy = cmp.Or(sp.MadeBy, MadeByUser)
	sp.DeletedAt, sp.DefaultMember = 0, transcript.MainMember
	if len(sp.Members) == 0 {
		sp.Members = []Member{{Name: sp.AgentName, AgentID: sp.AgentID, AgentName: sp.AgentName}}
	}
	sp.Members = slices.Clone(sp.Members)
	for i := range sp.Members {
		m := &sp.Members[i]
		m.SpaceID, m.ID, m.JoinedAt, m.Default = sp.ID, "m"+NewID(), sp.CreatedAt, i == 0
		if i == 0 {
			m.ID = transcript.MainMember
		}
		m.Speaks, m.Reads = cmp.Or(m.Speaks, SpeaksDirect), cmp.Or(m.Reads, ReadsAll)
	}
	return sp
}

// Insert adds a complete space with its members.
func Insert(c *db.Conn, sp Space) error {
	err := c.Exec(`INSERT INTO space (id, title, folder, agent_id, agent_name, archived, last_state, created_at, last_activity, permission_mode, made_by, project, imported_from, epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sp.ID, sp.Title, sp.Folder, sp.AgentID, sp.AgentName, sp.Archived, sp.LastState, sp.CreatedAt, sp.LastActivity, sp.Permissions, sp.MadeBy, sp.Project, sp.ImportedFrom, NewEpoch())
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

// NewID returns a random id.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// NewEpoch returns an epoch that no frontend has seen. It is below 2^53, so that JavaScript can hold it.
func NewEpoch() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return int64(binary.LittleEndian.Uint64(b[:])>>11) | 1
}

// Get returns a space. The error has the code not_found if it is deleted or never existed.
func (s *Spaces) Get(ctx context.Context, id string) (sp Space, err error) {
	err = View(ctx, s.db, id, "read the conversation", func(c *db.Conn, sid int64) error {
		err := c.Each("SELECT "+Columns+" FROM space WHERE sid = ?", []any{sid}, func(scan db.Scan) (bool, error) {
			sp, err = ScanColumns(scan)
			return false, err
		})
		if err == nil {
			sp.Members, err = ReadMembers(c, "space.sid = ?", sid)
		}
		return err
	})
	return sp, err
}

// List returns spaces, last activity first.
func (s *Spaces) List(ctx context.Context, f Filter) ([]Space, error) {
	where := "deleted_at = 0 AND archived = ?1"
	if f.Deleted {
		where = "deleted_at > 0 AND purging = 0 AND ?1 IS NOT NULL"
	}
	where += " AND (?2 = 0 OR last_activity <= ?2)"
	args := []any{f.Archived, f.Until}
	words := strings.Fields(strings.ToLower(f.Query))
	const order = " ORDER BY last_activity DESC, sid DESC"
	query := "SELECT " + Columns + " FROM space WHERE " + where + order
	if f.Limit > 0 && len(words) == 0 {
		// Apply the limit before the other columns are read.
		query = "SELECT " + Columns + " FROM space WHERE sid IN (SELECT sid FROM space WHERE " + where + order + " LIMIT ?3)" + order
		args = append(args, f.Limit)
	}
	list := []Space{}
	err := s.db.View(ctx, "list the conversations", func(c *db.Conn) error {
		err := c.Each(query, args, func(scan db.Scan) (bool, error) {
			sp, err := ScanColumns(scan)
			if title := strings.ToLower(sp.Title); err == nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(title, w) }) {
				list = append(list, sp)
			}
			return f.Limit == 0 || len(list) < f.Limit, err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		return fillMembers(c, list)
	})
	return list, err
}

// Heads returns all spaces that aren't deleted, including archived ones, by id. It fills in only ids, titles, folders,
// agents, times and Archived, so it takes a few milliseconds for thousands of spaces.
func (s *Spaces) Heads(ctx context.Context) (map[string]*Space, error) {
	all := map[string]*Space{}
	err := s.db.Read(ctx, "list the conversations", func(c *db.Conn) error {
		return c.Each("SELECT id, title, folder, agent_id, agent_name, archived, created_at, last_activity FROM space WHERE deleted_at = 0 AND purging = 0", nil,
			func(scan db.Scan) (bool, error) {
				sp := &Space{}
				err := scan(&sp.ID, &sp.Title, &sp.Folder, &sp.AgentID, &sp.AgentName, &sp.Archived, &sp.CreatedAt, &sp.LastActivity)
				all[sp.ID] = sp
				return true, err
			})
	})
	return all, err
}

// Update changes a space and returns the result.
func (s *Spaces) Update(ctx context.Context, id string, ch Change) (Space, error) {
	err := s.db.Change(ctx, "change the conversation", func(c *db.Conn) error {
		if ch.AgentID != nil { // the agent of the default member
			err := c.Exec(`UPDATE member SET agent_id = ?1, agent_name = ?2, name = iif(member.name = member.agent_name AND NOT EXISTS
				(SELECT 1 FROM member o WHERE o.sid = member.sid AND o.left_at = 0 AND lower(o.name) = lower(?2)), ?2, member.name)
				FROM space WHERE space.sid = member.sid AND member.id = space.default_member AND space.id = ?3`, *ch.AgentID, *ch.AgentName, id)
			if err != nil {
				return err
			}
		}
		return update(c, id, `UPDATE space SET title = coalesce(?, title), folder = coalesce(?, folder), agent_id = coalesce(?, agent_id),
			agent_name = coalesce(?, agent_name), last_state = coalesce(?, last_state), archived = coalesce(?, archived),
			permission_mode = coalesce(?, permission_mode), made_by = coalesce(?, made_by), project = coalesce(?, iif(?, '', project))
			WHERE id = ? AND deleted_at = 0`, ch.Title, ch.Folder, ch.AgentID, ch.AgentName, ch.LastState, ch.Archived, ch.Permissions,
			ch.MadeBy, ch.Project, ch.Folder != nil, id)
	})
	if err != nil {
		return Space{}, err
	}
	return s.Get(ctx, id)
}

// MarkSeen records that the user has seen the runs that have ended in a space.
func (s *Spaces) MarkSeen(ctx context.Context, id string) error {
	return s.db.Change(ctx, "mark the conversation as read", func(c *db.Conn) error {
		return update(c, id, "UPDATE space SET seen_at = max(seen_at, run_ended_at) WHERE id = ? AND deleted_at = 0", id)
	})
}

// Delete hides a space until it is restored or purged.
func (s *Spaces) Delete(ctx context.Context, id string) error {
	return s.db.Change(ctx, "delete the conversation", func(c *db.Conn) error {
		return update(c, id, "UPDATE space SET deleted_at = ? WHERE id = ? AND deleted_at = 0", max(s.db.Now(), 1), id)
	})
}

// Restore undoes Delete.
func (s *Spaces) Restore(ctx context.Context, id string) (Space, error) {
	err := s.db.Change(ctx, "restore the conversation", func(c *db.Conn) error {
		return update(c, id, "UPDATE space SET deleted_at = 0 WHERE id = ? AND deleted_at > 0 AND purging = 0", id)
	})
	if err != nil {
		return Space{}, err
	}
	return s.Get(ctx, id)
}

// update runs a statement that must change a row of the space id. If it doesn't, the error has the code not_found.
func update(c *db.Conn, id, query string, args ...any) error {
	changed, err := c.ExecRow(query, args...)
	if err == nil && !changed {
		err = NotFound(id)
	}
	return err
}

// View calls f with a space that isn't deleted, in one read transaction. See [db.DB.View].
func View(ctx context.Context, d *db.DB, id string, doing fault.Template, f func(c *db.Conn, sid int64) error) error {
	return d.View(ctx, doing, func(c *db.Conn) error {
		var sid int64
		found, err := c.One("SELECT sid FROM space WHERE id = ? AND deleted_at = 0", []any{id}, &sid)
		if err != nil {
			return err
		}
		if !found {
			return NotFound(id)
		}
		return f(c, sid)
	})
}

// NotFound returns the error for a space that does not exist.
func NotFound(id string) error {
	return db.Fail(db.CodeNotFound, "Conversation {{id}} wasn't found. It may have been deleted.", strconv.Quote(id))
}

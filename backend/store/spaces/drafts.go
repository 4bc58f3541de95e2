package spaces

import (
	"context"

	"weft/backend/store/db"
)

// Drafts are what the user has typed and not sent.
type Drafts struct{ db *db.DB }

// NewDrafts returns the drafts in d.
func NewDrafts(d *db.DB) *Drafts { return &Drafts{d} }

// Draft is what was typed in a space and not sent.
type Draft struct {
	SpaceID  string // "": in the form for a new space
	Text     string
	More     []byte // what goes along with it, as its writer encodes it; nil for nothing
	EditedAt int64  // unix ms
}

// Filled reports whether anything is in the draft.
func (d *Draft) Filled() bool { return d.Text != "" || d.More != nil }

// Get returns the draft of a space, empty if there is none. The error has the code not_found if there is no such space.
func (s *Drafts) Get(ctx context.Context, spaceID string) (d Draft, err error) {
	d.SpaceID = spaceID
	err = s.db.Read(ctx, "read the draft", func(c *db.Conn) error {
		sid, err := draftSpace(c, spaceID)
		if err == nil {
			_, err = c.One("SELECT text, more, edited_at FROM draft WHERE sid = ?", []any{sid}, &d.Text, &d.More, &d.EditedAt)
		}
		return err
	})
	return d, err
}

// Save stores a draft that was edited some time ago (in ms) in place of the one before, unless that was edited later. An edit of the draft
// whose EditedAt is over (0: of none) is later than that, whatever its time says: how long requests take differs. saved is what is
// stored then, and turned reports whether there is something now where nothing was, or the other way around. EditedAt of d is not used.
func (s *Drafts) Save(ctx context.Context, d Draft, ago, over int64) (saved Draft, turned bool, err error) {
	err = s.db.Change(ctx, "save the draft", func(c *db.Conn) error {
		saved, turned = d, false
		sid, err := draftSpace(c, d.SpaceID)
		if err != nil {
			return err
		}
		was := Draft{SpaceID: d.SpaceID}
		if _, err := c.One("SELECT text, more, edited_at FROM draft WHERE sid = ?", []any{sid}, &was.Text, &was.More, &was.EditedAt); err != nil {
			return err
		}
		now := s.db.Now()
		saved.EditedAt = max(1, now-max(0, ago))
		if over != 0 && over == was.EditedAt {
			saved.EditedAt = max(saved.EditedAt, was.EditedAt+1)
		}
		// The clock may have been set back since.
		if saved.EditedAt < min(was.EditedAt, now) {
			saved = was
			return nil
		}
		turned = saved.Filled() != was.Filled()
		return c.Exec(`INSERT INTO draft (sid, text, more, filled, edited_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
			text = excluded.text, more = excluded.more, filled = excluded.filled, edited_at = excluded.edited_at`,
			sid, saved.Text, saved.More, saved.Filled(), saved.EditedAt)
	})
	return saved, turned, err
}

// draftSpace returns the number of a space, 0 of that which is not made yet.
func draftSpace(c *db.Conn, spaceID string) (sid int64, err error) {
	if spaceID == "" {
		return 0, nil
	}
	found, err := c.One("SELECT sid FROM space WHERE id = ? AND deleted_at = 0", []any{spaceID}, &sid)
	if err == nil && !found {
		err = NotFound(spaceID)
	}
	return sid, err
}

// Extras returns what goes along with the drafts of all spaces, also deleted ones, by their ids.
func (s *Drafts) Extras(ctx context.Context) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := s.db.Read(ctx, "read the drafts", func(c *db.Conn) error {
		return c.Each("SELECT id, more FROM draft JOIN space USING (sid) WHERE more IS NOT NULL", nil, func(scan db.Scan) (bool, error) {
			var id string
			var more []byte
			err := scan(&id, &more)
			out[id] = more
			return true, err
		})
	})
	return out, err
}

package spaces

import (
	"context"

	"weft/backend/store/db"
)

// Drafts are prompts that the user has typed but not sent.
type Drafts struct{ db *db.DB }

// NewDrafts returns the drafts in d.
func NewDrafts(d *db.DB) *Drafts { return &Drafts{d} }

// Draft is the unsent prompt of a space.
type Draft struct {
	SpaceID  string // "": in the form for a new space
	Text     string
	More     []byte // attachments and the like, encoded by the caller; nil for none
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

// Save stores a draft that was edited ago milliseconds ago, unless the stored one was edited later. over is the
// EditedAt of the draft that the user edited (0: none): an edit of the stored draft always replaces it, because
// requests take different times. EditedAt of d is ignored. saved is the draft that is stored afterwards, and turned
// reports whether it has become filled or empty.
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
		// The clock may have been set back since then.
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

// draftSpace returns the sid of a space, or 0 for the form for a new space.
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

// Extras returns More of the drafts of all spaces, including deleted ones, by space id.
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

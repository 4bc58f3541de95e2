package spaces

import (
	"context"
	"strings"

	"weft/backend/store/db"
)

// MaxTags is the maximum number of tags.
const MaxTags = 200

// Tags are the tags that the user gives to spaces.
type Tags struct{ db *db.DB }

// NewTags returns the tags in d.
func NewTags(d *db.DB) *Tags { return &Tags{d} }

// Tag is a name with one of the colors of the theme.
type Tag struct {
	ID   string
	Name string // unique in any case
	Tone int    // from 1
}

// List returns all tags, oldest first.
func (t *Tags) List(ctx context.Context) (list []Tag, err error) {
	err = t.db.Read(ctx, "list the tags", func(c *db.Conn) error {
		list, err = tags(c)
		return err
	})
	return list, err
}

func tags(c *db.Conn) ([]Tag, error) {
	list := []Tag{}
	err := c.Each("SELECT id, name, tone FROM tag ORDER BY tid", nil, func(scan db.Scan) (bool, error) {
		var tag Tag
		err := scan(&tag.ID, &tag.Name, &tag.Tone)
		list = append(list, tag)
		return true, err
	})
	return list, err
}

// Save adds a tag, or changes the one with its id. It generates an id if there is none, and restores a removed tag with
// the same id. Errors: conflict if another tag has the name, too_many.
func (t *Tags) Save(ctx context.Context, tag Tag) (Tag, error) {
	if tag.ID == "" {
		tag.ID = NewID()
	}
	return tag, t.db.Change(ctx, "save the tag", func(c *db.Conn) error {
		all, err := tags(c)
		if err != nil {
			return err
		}
		known := false
		for _, one := range all {
			known = known || one.ID == tag.ID
			if one.ID != tag.ID && strings.EqualFold(one.Name, tag.Name) {
				return db.Fail(db.CodeConflict, "A tag named {{name}} already exists. Choose another name.", one.Name)
			}
		}
		if !known && len(all) >= MaxTags {
			return db.Fail("too_many", "There can be at most {{max}} tags. Delete one that you no longer need.", MaxTags)
		}
		return c.Exec("INSERT INTO tag (id, name, tone) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, tone = excluded.tone", tag.ID, tag.Name, tag.Tone)
	})
}

// Remove deletes a tag and removes it from all spaces. It returns the ids of the spaces that had it, except deleted
// ones. The error has the code not_found if there is no such tag.
func (t *Tags) Remove(ctx context.Context, id string) (spaces []string, err error) {
	err = t.db.Change(ctx, "delete the tag", func(c *db.Conn) error {
		spaces, err = db.List[string](c, "SELECT space.id FROM space_tag JOIN tag USING (tid) JOIN space USING (sid) WHERE tag.id = ? AND deleted_at = 0", id)
		if err != nil {
			return err
		}
		if err := c.Exec("DELETE FROM space_tag WHERE tid = (SELECT tid FROM tag WHERE id = ?)", id); err != nil {
			return err
		}
		found, err := c.ExecRow("DELETE FROM tag WHERE id = ?", id)
		if err == nil && !found {
			err = db.Fail(db.CodeNotFound, "This tag no longer exists.")
		}
		return err
	})
	return spaces, err
}

// Set adds tags to spaces and removes others. It returns the ids of the spaces that changed. It ignores spaces that
// don't exist; for a tag that doesn't exist, the error has the code not_found.
func (t *Tags) Set(ctx context.Context, ids, add, remove []string) (changed []string, err error) {
	err = t.db.Change(ctx, "change the tags", func(c *db.Conn) error {
		changed = nil
		had := map[string]bool{}
		for _, set := range []struct {
			tags  []string
			query string
		}{
			{add, "INSERT INTO space_tag (sid, tid) SELECT sid, (SELECT tid FROM tag WHERE id = ?2) FROM space WHERE id = ?1 AND deleted_at = 0 ON CONFLICT DO NOTHING"},
			{remove, "DELETE FROM space_tag WHERE sid = (SELECT sid FROM space WHERE id = ?1) AND tid = (SELECT tid FROM tag WHERE id = ?2)"},
		} {
			for _, tag := range set.tags {
				known, err := c.One("SELECT tid FROM tag WHERE id = ?", []any{tag}, new(int64))
				if err != nil {
					return err
				}
				if !known {
					return db.Fail(db.CodeNotFound, "This tag no longer exists.")
				}
				for _, id := range ids {
					did, err := c.ExecRow(set.query, id, tag)
					if err != nil {
						return err
					}
					if did && !had[id] {
						had[id] = true
						changed = append(changed, id)
					}
				}
			}
		}
		return nil
	})
	return changed, err
}

// CopyTags gives a branch the tags of the space that it came from.
func CopyTags(c *db.Conn, from, to int64) error {
	return c.Exec("INSERT INTO space_tag (sid, tid) SELECT ?2, tid FROM space_tag WHERE sid = ?1", from, to)
}

package store

import "context"

// TreeSpace is a space of a tree of branches.
type TreeSpace struct {
	Space
	Messages int64  // how many it has
	Words    string // the beginning of the person's first message that is its own
}

// maxWords is how much of a message is answered in a tree, in bytes.
const maxWords = 240

// Tree answers the spaces that came from the same one as spaceID, with it, oldest first, the archived and the deleted ones too. It knows what
// is in the rows: prompts always are.
func (s *Store) Tree(_ context.Context, spaceID string) ([]TreeSpace, error) {
	list := []TreeSpace{}
	err := s.viewSpace(spaceID, "read the branches", func(c *conn, sid int64) error {
		return c.each("SELECT "+spaceColumns+`, (SELECT coalesce(max(ord), 0) FROM message m WHERE m.sid = space.sid),
			coalesce((SELECT CAST(g.text AS TEXT) FROM message m JOIN segment g USING (mid) WHERE m.sid = space.sid AND m.ord > space.origin_ord AND m.role = 'user'
				AND g.type = 'text' ORDER BY m.ord, g.idx LIMIT 1), '')
			FROM space WHERE purging = 0 AND (tree = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)
				OR id = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)) ORDER BY sid`, []any{sid},
			func(scan func(...any) error) (bool, error) {
				var t TreeSpace
				var err error
				t.Space, err = scanSpace(func(dest ...any) error { return scan(append(dest, &t.Messages, &t.Words)...) })
				t.Words = string(toRune([]byte(t.Words[:min(len(t.Words), maxWords)])))
				list = append(list, t)
				return true, err
			})
	})
	return list, err
}

// MessageAt answers the id of the message at a place of a space and whether the person wrote it; "" if there is none.
func (s *Store) MessageAt(_ context.Context, spaceID string, ord int64) (id string, prompt bool, err error) {
	err = s.viewSpace(spaceID, "read the branches", func(c *conn, sid int64) error {
		_, err := c.one("SELECT id, role = 'user' FROM message WHERE sid = ? AND ord = ?", []any{sid, ord}, &id, &prompt)
		return err
	})
	return id, prompt, err
}

// leaveTree hands the branches of a space that goes for ever on to the space that it branched from.
func leaveTree(c *conn, sid int64) error {
	return c.exec(`UPDATE space SET origin = p.origin, origin_ord = min(space.origin_ord, p.origin_ord),
		origin_message = iif(space.origin_ord > p.origin_ord, p.origin_message, space.origin_message)
		FROM (SELECT id, origin, origin_ord, origin_message FROM space WHERE sid = ? AND origin <> '') p WHERE space.origin = p.id`, sid)
}

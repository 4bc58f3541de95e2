package spaces

import (
	"context"

	"weft/backend/store/db"
)

// Origin is where a branch came from. It is zero for a space that isn't a branch.
type Origin struct {
	Tree          string // id of the space that all branches of the tree came from; it may be deleted
	Parent        string // id of the space that it branched from; it may be deleted
	ParentMessage string // id of the last message that was copied, "" if none was
	Shared        int64  // number of copied messages; they have the same ids and positions in both spaces
}

// TreeSpace is a space of a tree of branches.
type TreeSpace struct {
	Space
	Messages int64  // number of its messages
	Words    string // the beginning of the first prompt that was not copied
}

// maxWords is the size of TreeSpace.Words, in bytes.
const maxWords = 240

// Tree returns all spaces of the tree that a space belongs to, oldest first, including archived and deleted ones.
// Messages that aren't in rows yet don't count; prompts always are in rows.
func (s *Spaces) Tree(ctx context.Context, spaceID string) ([]TreeSpace, error) {
	list := []TreeSpace{}
	err := View(ctx, s.db, spaceID, "read the branches", func(c *db.Conn, sid int64) error {
		err := c.Each("SELECT "+Columns+`, (SELECT coalesce(max(ord), 0) FROM message m WHERE m.sid = space.sid),
			coalesce((SELECT CAST(g.text AS TEXT) FROM message m JOIN segment g USING (mid) WHERE m.sid = space.sid AND m.ord > space.origin_ord AND m.role = 'user'
				AND g.type = 'text' ORDER BY m.ord, g.idx LIMIT 1), '')
			FROM space WHERE purging = 0 AND (tree = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)
				OR id = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)) ORDER BY sid`, []any{sid},
			func(scan db.Scan) (bool, error) {
				var t TreeSpace
				var err error
				t.Space, err = ScanColumns(scan, &t.Messages, &t.Words)
				t.Words = string(db.TrimEnd([]byte(t.Words[:min(len(t.Words), maxWords)])))
				list = append(list, t)
				return true, err
			})
		for i := range list {
			if err == nil {
				list[i].Members, err = ReadMembers(c, "space.id = ?", list[i].ID)
			}
		}
		return err
	})
	return list, err
}

// LeaveTree makes the branches of a space that is being deleted branches of the space that it branched from.
func LeaveTree(c *db.Conn, sid int64) error {
	return c.Exec(`UPDATE space SET origin = p.origin, origin_ord = min(space.origin_ord, p.origin_ord),
		origin_message = iif(space.origin_ord > p.origin_ord, p.origin_message, space.origin_message)
		FROM (SELECT id, origin, origin_ord, origin_message FROM space WHERE sid = ? AND origin <> '') p WHERE space.origin = p.id`, sid)
}

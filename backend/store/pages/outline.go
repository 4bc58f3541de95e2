package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// The kinds of entries of an outline.
const (
	OutlinePrompt  = "prompt"
	OutlineEdit    = "edit"    // a file that a message has changed
	OutlineFailure = "failure" // a call, or a turn
	OutlineDisplay = "display" // a display
	OutlineRequest = "request" // a call that waits for the user
	OutlineNotice  = "notice"  // from Weft, or from the agent before its first prompt
	OutlineBranch  = "branch"  // where this space branched off, or another one from it
)

// OutlineEntry is a place in a space that a reader may want to go to. Segment and Item are -1 where it has none.
type OutlineEntry struct {
	Kind      string `json:"kind" enum:"prompt,edit,failure,display,request,notice,branch"`
	MessageID string `json:"messageId"`
	Ord       int64  `json:"ord"` // of the message
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
	Text      string `json:"text"`             // one line
	At        int64  `json:"at"`               // unix ms
	Count     int    `json:"count"`            // how often the message has changed the file, else 1
	SpaceID   string `json:"spaceId,omitzero"` // the other space of a branch
}

// Outline is a part of the outline of a space, in the order of its messages.
type Outline struct {
	Entries []OutlineEntry `json:"entries"`
	// Next is the position of the first message behind this part, 0 at the end.
	Next int64 `json:"next"`
	// Open is the position of the first message that was still being written, 0 if there was none: the entries from there
	// on may change.
	Open int64 `json:"open"`
	// Last is the position of the last message.
	Last int64 `json:"last"`
}

// The limits of an outline.
const (
	outlineLine  = 160                   // bytes of a text
	outlineBatch = 200                   // messages read at a time
	outlineTime  = 20 * time.Millisecond // after which a part ends with its batch
	outlineCalls = 20_000                // calls of a batch
	outlinePart  = 5000                  // entries, after which a part ends with its batch
)

// Outline returns the part of a space's outline that begins at a message. Its length is limited by the time it takes to
// read.
func (p *Pages) Outline(ctx context.Context, spaceID string, from int64) (out Outline, err error) {
	out.Entries = []OutlineEntry{}
	until := time.Now().Add(outlineTime)
	err = spaces.View(ctx, p.db, spaceID, "read the outline", func(c *db.Conn, sid int64) error {
		o := outliner{c: c, sid: sid, spaceID: spaceID, out: &out}
		if _, err := c.One(`SELECT coalesce((SELECT min(ord) FROM message WHERE sid = ?1 AND ended_at = 0), 0), coalesce((SELECT max(ord) FROM message WHERE sid = ?1), 0)`,
			[]any{sid}, &out.Open, &out.Last); err != nil {
			return err
		}
		for from = max(from, 1); ; {
			next, err := o.batch(from)
			if err != nil || next == 0 {
				return err
			}
			from = next
			if len(out.Entries) >= outlinePart || time.Now().After(until) {
				out.Next = next
				return nil
			}
		}
	})
	return out, err
}

// outliner builds a part of an outline.
type outliner struct {
	c       *db.Conn
	sid     int64
	spaceID string
	out     *Outline
}

// batch adds the entries of some messages. next is the position of the first message after them, or 0 at the end.
func (o *outliner) batch(from int64) (next int64, err error) {
	ids := map[int64]string{}
	list := []OutlineEntry{}
	last, n := int64(0), 0
	err = o.c.Each(`SELECT ord, id, role, created_at, ended_at, error, CASE WHEN role = 'user' THEN
		coalesce((SELECT substr(g.text, 1, 400) FROM segment g WHERE g.mid = message.mid AND g.type = 'text' ORDER BY idx LIMIT 1), '') ELSE '' END
		FROM message WHERE sid = ? AND ord >= ? ORDER BY ord LIMIT ?`, []any{o.sid, from, outlineBatch + 1}, func(scan db.Scan) (bool, error) {
		e := OutlineEntry{Kind: OutlinePrompt, Segment: -1, Item: -1, Count: 1}
		var role transcript.Role
		var ended int64
		var failure, text []byte
		if err := scan(&e.Ord, &e.MessageID, &role, &e.At, &ended, &failure, &text); err != nil {
			return false, err
		}
		if n++; n > outlineBatch {
			next = e.Ord
			return false, nil
		}
		last, ids[e.Ord] = e.Ord, e.MessageID
		if role == transcript.RoleUser {
			e.Text = firstLine(string(text))
			list = append(list, e)
		}
		if failure != nil {
			var f transcript.Failure
			if err := db.Decode(failure, &f); err != nil {
				return false, err
			}
			list = append(list, OutlineEntry{Kind: OutlineFailure, MessageID: e.MessageID, Ord: e.Ord, Segment: -1, Item: -1, Text: firstLine(f.Message), At: ended, Count: 1})
		}
		return true, nil
	})
	if err != nil || last == 0 {
		return 0, err
	}
	for _, read := range []func(from, to int64) ([]OutlineEntry, error){o.calls, o.segments, o.branches} {
		more, err := read(from, last)
		if err != nil {
			return 0, err
		}
		list = append(list, more...)
	}
	for i := range list {
		list[i].MessageID = ids[list[i].Ord]
	}
	slices.SortStableFunc(list, func(a, b OutlineEntry) int {
		return cmp.Or(cmp.Compare(a.Ord, b.Ord), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Item, b.Item))
	})
	o.out.Entries = append(o.out.Entries, list...)
	return next, nil
}

// rank orders the entries of a message: branches and the prompt come first, its failure comes last.
func (e *OutlineEntry) rank() int {
	switch {
	case e.Kind == OutlineBranch:
		return -2
	case e.Kind == OutlinePrompt:
		return -1
	case e.Kind == OutlineFailure && e.Segment < 0:
		return 1
	}
	return 0
}

// outlined has the fields of a call that an outline needs.
type outlined struct {
	ID        string                `json:"toolCallId"`
	Title     string                `json:"title"`
	Kind      string                `json:"kind"`
	Status    transcript.Status     `json:"status"`
	StartedAt int64                 `json:"startedAt"`
	Summary   string                `json:"summary"`
	Error     string                `json:"error"`
	Locations []transcript.Location `json:"locations"`
	Place     *transcript.Location  `json:"place"`
}

// calls returns the entries for calls. It reads only groups whose counts include such calls.
func (o *outliner) calls(from, to int64) (list []OutlineEntry, err error) {
	type file struct {
		ord  int64
		path string
	}
	files := map[file]int{}
	err = o.c.Each(`SELECT DISTINCT m.ord, i.seg, i.idx, i.head FROM message m CROSS JOIN group_count g ON g.mid = m.mid AND g.n > 0
			AND (g.what = 0 AND g.name IN ('edit', 'delete', 'move', 'display') OR g.what = 1 AND g.name IN ('failed', 'waiting'))
		CROSS JOIN item i ON i.mid = g.mid AND i.seg = g.seg AND CASE g.what WHEN 0 THEN i.kind ELSE i.status END = g.name
		WHERE m.sid = ? AND m.ord BETWEEN ? AND ? ORDER BY m.ord, i.seg, i.idx LIMIT ?`, []any{o.sid, from, to, outlineCalls}, func(scan db.Scan) (bool, error) {
		e := OutlineEntry{Count: 1}
		var head []byte
		if err := scan(&e.Ord, &e.Segment, &e.Item, &head); err != nil {
			return false, err
		}
		var call outlined
		if err := db.Decode(head, &call); err != nil {
			return false, err
		}
		e.At, e.Text = call.StartedAt, firstLine(call.Title)
		switch {
		case call.Status == transcript.StatusWaiting:
			e.Kind = OutlineRequest
		case call.Kind == transcript.KindDisplay:
			e.Kind = OutlineDisplay
		case call.Status == transcript.StatusFailed:
			e.Kind = OutlineFailure
			if call.Error != "" {
				e.Text = strings.TrimSuffix(e.Text, ".") + ": " + firstLine(call.Error)
			}
		case call.Status == transcript.StatusCompleted:
			e.Kind = OutlineEdit
			path := call.path()
			if path != "" {
				e.Text = clip.Text(path, outlineLine)
			}
			if at, known := files[file{e.Ord, path}]; known && path != "" {
				list[at].Count++
				return true, nil
			}
			files[file{e.Ord, path}] = len(list)
		default:
			return true, nil
		}
		e.Text = clip.Text(e.Text, outlineLine)
		list = append(list, e)
		return true, nil
	})
	return list, err
}

// path returns the file that a call changed, or "" if its head doesn't name it.
func (c *outlined) path() string {
	if len(c.Locations) > 0 {
		return c.Locations[0].Path
	}
	if c.Place != nil {
		return c.Place.Path
	}
	return ""
}

// segments returns the entries for notices, and for displays that are segments.
func (o *outliner) segments(from, to int64) (list []OutlineEntry, err error) {
	err = o.c.Each(`SELECT m.ord, m.created_at, s.idx, s.type, substr(s.text, 1, 400), s.display FROM message m CROSS JOIN segment s ON s.mid = m.mid
		WHERE m.sid = ? AND m.ord BETWEEN ? AND ? AND m.role <> 'user' AND (s.type = 'display' OR s.author IN ('app', 'notice'))`, []any{o.sid, from, to},
		func(scan db.Scan) (bool, error) {
			e := OutlineEntry{Kind: OutlineNotice, Item: -1, Count: 1}
			var typ transcript.SegmentType
			var text, display []byte
			if err := scan(&e.Ord, &e.At, &e.Segment, &typ, &text, &display); err != nil {
				return false, err
			}
			e.Text = firstLine(string(text))
			if typ == transcript.SegmentDisplay {
				var content transcript.Content
				if err := db.Decode(display, &content); err != nil {
					return false, err
				}
				e.Kind, e.Text = OutlineDisplay, firstLine(cmp.Or(content.Name, content.URI, content.Mime, content.Type))
			}
			list = append(list, e)
			return true, nil
		})
	return list, err
}

// branches returns the entries for the points where this space branched off, and others from it: the first message that
// the two don't share.
func (o *outliner) branches(from, to int64) (list []OutlineEntry, err error) {
	err = o.c.Each(`SELECT b.id, b.title, b.created_at, b.origin_ord + 1 FROM space b WHERE b.origin = ?1 AND b.deleted_at = 0 AND b.tree <> '' AND b.tree IN
			(SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?2) AND b.origin_ord + 1 BETWEEN ?3 AND ?4
		UNION ALL SELECT b.origin, coalesce(p.title, ''), b.created_at, b.origin_ord + 1 FROM space b LEFT JOIN space p ON p.id = b.origin AND p.deleted_at = 0
			WHERE b.sid = ?2 AND b.origin <> '' AND b.origin_ord + 1 BETWEEN ?3 AND ?4`,
		[]any{o.spaceID, o.sid, from, to}, func(scan db.Scan) (bool, error) {
			e := OutlineEntry{Kind: OutlineBranch, Segment: -1, Item: -1, Count: 1}
			err := scan(&e.SpaceID, &e.Text, &e.At, &e.Ord)
			e.Text = firstLine(e.Text)
			list = append(list, e)
			return true, err
		})
	return list, err
}

// firstLine returns the first non-blank line of a text, clipped.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			return clip.Text(line, outlineLine)
		}
	}
	return ""
}

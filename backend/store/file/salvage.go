package file

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/store/db"
)

// table is a table to salvage. Its key lets it be read from both ends, and from the middle.
type table struct {
	name, key string
	perMid    bool // its key begins with mid
}

// tables are in the order in which they are copied: parents before what belongs to them.
var tables = []table{
	{"meta", "key", false},
	{"space", "sid", false},
	{"member", "sid, id", false},
	{"session", "n", false},
	{"run", "rid", false},
	{"message", "mid", false},
	{"segment", "mid, idx", true},
	{"text_part", "mid, seg, pos", true},
	{"item", "mid, seg, idx", true},
	{"call_body", "mid, seg, item", true},
	{"item_part", "mid, seg, item, what, pos", true},
	{"live_terminal", "mid, seg, item, id", true},
	{"opaque", "mid, n", true},
	{"state", "sid, key", false},
	{"review_turn", "tid", false},
	{"review_touch", "tid, path", false},
	{"review_file", "fid", false},
	{"review_accepted", "aid", false},
	{"journal", "n", false},
	{"blob", "bid", false},
	{"blob_chunk", "bid, n", false},
	{"blob_use", "bid, sid, message_id", false},
	{"worktree", "n", false},
	{"space_pin", "sid", false},
	{"tag", "tid", false},
	{"space_tag", "sid, tid", false},
	{"project_order", "project", false},
	{"draft", "sid", false},
	{"imported", "sid", false},
	{"imported_file", "program, path", false},
	{"permission_rule", "n", false},
	{"permission_decision", "n", false},
}

// salvager copies what can be read from one database into another.
type salvager struct {
	ctx      context.Context //nolint:containedctx // lives for one call
	from, to *db.Conn
	rec      *Recovery
	fatal    error    // of the new database
	garbled  int      // texts that were copied but have unreadable parts
	torn     []string // tables that could not be read to their ends
}

// salvage copies the file at from, a copy of the damaged one, row by row into the empty database at to. It returns
// errors of the new database only; rec.Lost describes what can't be read of the damaged one.
func salvage(ctx context.Context, from, to string, rec *Recovery) error {
	target, err := db.Dial(to, db.ReadWrite)
	if err != nil {
		return err
	}
	defer target.Close()
	s := &salvager{ctx: ctx, to: target, rec: rec}
	if s.from, err = dialDamaged(from, to); err == nil {
		defer s.from.Close()
		if err := target.Script("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for _, t := range tables {
			s.table(t)
		}
		s.repair()
		if s.fatal == nil {
			s.fatal = target.Script("COMMIT")
		}
	} else {
		rec.Unread = append(rec.Unread, "the whole file: "+err.Error())
	}
	rec.Lost = s.lost()
	if s.fatal == nil {
		s.fatal = target.Script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return s.fatal
}

// lost describes what could not be read.
func (s *salvager) lost() fault.Said {
	tables := fault.Say("parts of the tables {{tables}}", strings.Join(s.torn, ", "))
	texts := fault.Say("passages in {{count}} texts or tool calls", fault.Number(s.garbled))
	switch {
	case len(s.torn) > 0 && s.garbled > 0:
		return fault.Say("{{tables}}; {{texts}}", tables, texts)
	case len(s.torn) > 0:
		return tables
	case s.garbled > 0:
		return texts
	}
	return ""
}

// dialDamaged opens a damaged file. If its first page can't be read, it gets the one of the empty database.
func dialDamaged(path, empty string) (*db.Conn, error) {
	usable := func() (*db.Conn, error) {
		c, err := db.Dial(path, db.ReadWrite)
		if err != nil {
			return nil, err
		}
		var n int
		_, err = c.One("SELECT count(*) FROM sqlite_schema WHERE name IN ('space', 'message', 'segment')", nil, &n)
		if err == nil && n < 3 {
			err = errors.New("it has no tables")
		}
		if err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	}
	c, err := usable()
	if err == nil {
		return c, nil
	}
	removeSides(path)
	if graftErr := graft(path, empty); graftErr != nil {
		return nil, err
	}
	if c, second := usable(); second == nil {
		return c, nil
	}
	return nil, err
}

// table copies one table: from the start to the first damage, from the end back to the last damage, and the rows
// between them key by key.
func (s *salvager) table(t table) {
	forward := s.copy(t, "SELECT * FROM "+t.name+" ORDER BY "+t.key)
	if forward == nil || s.fatal != nil {
		return
	}
	down := strings.ReplaceAll(t.key, ",", " DESC,") + " DESC"
	_ = s.copy(t, "SELECT * FROM "+t.name+" ORDER BY "+down)
	s.torn = append(s.torn, t.name)
	s.rec.Unread = append(s.rec.Unread, fmt.Sprintf("part of the table %s: %v", t.name, forward))
	var keys []int64
	first, _, _ := strings.Cut(t.key, ",")
	span := "SELECT mid FROM message"
	if !t.perMid {
		span = "" // the gap in the table's own key
		if first == "sid" || first == "rid" || first == "n" || first == "bid" || first == "mid" {
			keys = s.gap(t.name, first)
		}
	}
	if span != "" {
		_ = s.to.Each(span, nil, func(scan db.Scan) (bool, error) {
			var mid int64
			err := scan(&mid)
			keys = append(keys, mid)
			return true, err
		})
	}
	for _, key := range keys {
		if s.fatal != nil || s.ctx.Err() != nil {
			return
		}
		if s.copy(t, "SELECT * FROM "+t.name+" WHERE "+first+" = ? ORDER BY "+t.key, key) != nil {
			_ = s.copy(t, "SELECT * FROM "+t.name+" WHERE "+first+" = ? ORDER BY "+down, key)
		}
	}
}

// maxGap is how many missing keys are tried one by one.
const maxGap = 200_000

// gap returns the keys that are missing between the first and the last that were copied.
func (s *salvager) gap(name, key string) (keys []int64) {
	var last int64
	seen := false
	_ = s.to.Each("SELECT DISTINCT "+key+" FROM "+name+" ORDER BY "+key, nil, func(scan db.Scan) (bool, error) {
		var k int64
		if err := scan(&k); err != nil {
			return false, err
		}
		for m := last + 1; m < k && (seen || m > 0) && len(keys) < maxGap; m++ {
			keys = append(keys, m)
		}
		last, seen = k, true
		return true, nil
	})
	return keys
}

// copy copies the rows of a query until it ends or fails. It keeps rows that were copied before.
func (s *salvager) copy(t table, query string, args ...any) error {
	rows, err := s.from.Query(s.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	insert := "INSERT OR IGNORE INTO " + t.name + " (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
	values, dest := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		s.mend(names, values)
		if err := s.to.Exec(insert, values...); err != nil {
			if db.CodeOf(db.Wrap(err, "copy a row")) == db.CodeConflict {
				continue // the row violates a constraint, so it is damage that looks like data
			}
			s.fatal = err
			return nil
		}
	}
	return rows.Err()
}

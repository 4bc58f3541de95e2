package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// table is what the salvage knows of a table: its key, by which it can be walked from both ends
// and entered in the middle.
type table struct {
	name, key string
	perMid    bool // its key begins with mid
}

// Parents stand before what belongs to them.
var tables = []table{
	{"meta", "key", false}, {"space", "sid", false}, {"session", "n", false}, {"run", "rid", false}, {"message", "mid", false},
	{"segment", "mid, idx", true}, {"text_part", "mid, seg, pos", true}, {"item", "mid, seg, idx", true},
	{"call_body", "mid, seg, item", true}, {"item_part", "mid, seg, item, what, pos", true}, {"opaque", "mid, n", true},
	{"state", "sid, key", false}, {"journal", "n", false}, {"blob", "bid", false}, {"blob_chunk", "bid, n", false}, {"blob_use", "bid, sid, message_id", false},
}

// salvager copies what can be read of one database into another.
type salvager struct {
	ctx      context.Context //nolint:containedctx // lives for one call
	from, to *conn
	rec      *Recovery
	fatal    error // of the target
	garbled  int   // texts that are there but damaged
}

// salvage reads the file at from, a copy of the damaged one, row by row into the empty
// database at to. Only errors of the target are errors.
func salvage(ctx context.Context, from, to string, rec *Recovery) error {
	target, err := dial(to, "rw")
	if err != nil {
		return err
	}
	defer target.close()
	s := &salvager{ctx: ctx, to: target, rec: rec}
	if s.from, err = dialDamaged(from, to); err == nil {
		defer s.from.close()
		if err := target.script("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for _, t := range tables {
			s.table(t)
		}
		s.repair()
		if s.fatal == nil {
			s.fatal = target.script("COMMIT")
		}
	} else {
		rec.Lost = append(rec.Lost, "the whole file ("+err.Error()+")")
	}
	if s.fatal == nil {
		s.fatal = target.script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return s.fatal
}

// dialDamaged opens a damaged file so that at least its tables are known.
func dialDamaged(path, empty string) (*conn, error) {
	usable := func() (*conn, error) {
		c, err := dial(path, "rw")
		if err != nil {
			return nil, err
		}
		var n int
		_, err = c.one("SELECT count(*) FROM sqlite_schema WHERE name IN ('space', 'message', 'segment')", nil, &n)
		if err == nil && n < 3 {
			err = errors.New("its tables are not there")
		}
		if err != nil {
			c.close()
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

// table copies one table: from the beginning to the first damage, from the end to the last,
// and between them message by message.
func (s *salvager) table(t table) {
	forward := s.copy(t, "SELECT * FROM "+t.name+" ORDER BY "+t.key)
	if forward == nil || s.fatal != nil {
		return
	}
	down := strings.ReplaceAll(t.key, ",", " DESC,") + " DESC"
	_ = s.copy(t, "SELECT * FROM "+t.name+" ORDER BY "+down)
	s.rec.Lost = append(s.rec.Lost, fmt.Sprintf("part of the table %q (%v)", t.name, forward))
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
		_ = s.to.each(span, nil, func(scan func(...any) error) (bool, error) {
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

// maxGap bounds how many missing keys are tried one by one.
const maxGap = 200_000

// gap answers the keys between the first and the last that were copied that are missing.
func (s *salvager) gap(name, key string) (keys []int64) {
	var last int64
	seen := false
	_ = s.to.each("SELECT DISTINCT "+key+" FROM "+name+" ORDER BY "+key, nil, func(scan func(...any) error) (bool, error) {
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

// copy copies the rows of a query until it ends or fails. Rows that are there already stay.
func (s *salvager) copy(t table, query string, args ...any) error {
	rows, err := s.from.c.QueryContext(s.ctx, query, args...)
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
		if err := s.to.exec(insert, values...); err != nil {
			if code, _ := classify(err); code == CodeConflict {
				continue // a row that does not fit its table: damage that looks like data
			}
			s.fatal = err
			return nil
		}
	}
	return rows.Err()
}

// mend makes texts that SQLite could read but nobody wrote like that, since a page of theirs is damaged,
// into text again, and counts them.
func (s *salvager) mend(names []string, values []any) {
	for i, name := range names {
		b, ok := values[i].([]byte)
		if !ok || name != "text" {
			continue
		}
		// A text may be cut within a character at its ends.
		if inner := toRune(fromRune(b)); !utf8.Valid(inner) {
			values[i], s.garbled = []byte(string([]rune(string(b)))), s.garbled+1
		}
	}
}

// repair makes the copied rows agree with each other, and counts them.
func (s *salvager) repair() {
	s.do(`INSERT OR IGNORE INTO space (sid, id, title, folder, agent_id, agent_name, created_at, last_activity, epoch)
		SELECT DISTINCT sid, 'recovered-' || sid, 'Recovered conversation', '', '', '', created_at, created_at, 1 FROM message
		WHERE sid NOT IN (SELECT sid FROM space) GROUP BY sid`)
	for _, t := range tables {
		if t.perMid {
			s.do("DELETE FROM " + t.name + " WHERE mid NOT IN (SELECT mid FROM message)")
		}
	}
	// Places are counted from the beginning without gaps; what is missing becomes a mark.
	s.do(`WITH ranked AS (SELECT mid, row_number() OVER (PARTITION BY sid ORDER BY ord) AS r FROM message)
		UPDATE message SET ord = -(SELECT r FROM ranked WHERE ranked.mid = message.mid)`)
	s.do("UPDATE message SET ord = -ord")
	for table, idx := range map[string]string{"segment": "idx", "text_part": "seg", "item": "seg", "call_body": "seg", "item_part": "seg"} {
		s.do(fmt.Sprintf("DELETE FROM %s WHERE %s NOT BETWEEN 0 AND %d", table, idx, maxIndex))
	}
	s.do(fmt.Sprintf("DELETE FROM item WHERE idx NOT BETWEEN 0 AND %d", maxIndex))
	s.do("INSERT OR IGNORE INTO segment (mid, idx, type, author, parent) SELECT DISTINCT mid, seg, 'text', '', '' FROM text_part")
	s.do("INSERT OR IGNORE INTO segment (mid, idx, type, author, parent) SELECT DISTINCT mid, seg, 'tool-group', '', '' FROM item")
	s.do(fill("segment", "mid", "idx", "type, author, parent, text", "'text', '', '', CAST("+lostMark+" AS BLOB)"))
	s.do("DELETE FROM item WHERE (mid, seg) NOT IN (SELECT mid, idx FROM segment WHERE type = 'tool-group')")
	s.do(fill("item", "mid, seg", "idx", "text", "CAST("+lostMark+" AS BLOB)"))
	s.do("INSERT INTO group_count (mid, seg, what, name, n) SELECT mid, seg, 0, kind, count(*) FROM item WHERE kind <> '' GROUP BY mid, seg, kind")
	s.do("INSERT INTO group_count (mid, seg, what, name, n) SELECT mid, seg, 1, status, count(*) FROM item WHERE status <> '' GROUP BY mid, seg, status")
	for _, f := range []struct{ table, column, mended string }{
		{"item", "head", `'{"toolCallId":"","title":' || json_quote(` + lostMark + `) || ',"status":"failed"}'`}, {"call_body", "body", "'{}'"},
		{"segment", "display", `'{"type":"text","text":' || json_quote(` + lostMark + `) || '}'`}, {"message", "author", "'{}'"},
		{"message", "usage", "NULL"}, {"message", "error", "NULL"}, {"run", "usage", "NULL"}, {"run", "error", "NULL"},
		{"opaque", "raw", "NULL"}, {"opaque", "ref", "NULL"}, {"state", "value", "NULL"}, {"state", "ref", "NULL"},
	} {
		s.mendJSON(f.table, f.column, f.mended)
	}
	if s.garbled > 0 {
		s.rec.Lost = append(s.rec.Lost, fmt.Sprintf("%d texts or tool calls have unreadable passages", s.garbled))
	}
	s.do("DELETE FROM blob_use WHERE bid NOT IN (SELECT bid FROM blob)")
	for query, n := range map[string]*int{
		"SELECT count(*) FROM space": &s.rec.Spaces, "SELECT count(*) FROM message": &s.rec.Messages, "SELECT count(*) FROM segment": &s.rec.Segments,
		"SELECT count(*) FROM item": &s.rec.Items,
	} {
		if s.fatal == nil {
			_, s.fatal = s.to.one(query, nil, n)
		}
	}
	s.do("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')", renewEpochsKey)
}

// mendJSON replaces what is no JSON any more, so that reading does not stumble over it.
func (s *salvager) mendJSON(table, column, mended string) {
	if s.fatal != nil {
		return
	}
	res, err := s.to.execResult(fmt.Sprintf("UPDATE %[1]s SET %[2]s = CAST(%[3]s AS BLOB) WHERE %[2]s IS NOT NULL AND NOT json_valid(CAST(%[2]s AS TEXT))", table, column, mended))
	if s.fatal = err; err == nil {
		n, _ := res.RowsAffected()
		s.garbled += int(n)
	}
}

// maxIndex is more segments or items than there can be: a larger number is damage.
const maxIndex = 5_000_000

const lostMark = "'[This part could not be recovered.]'"

// fill is the statement that closes gaps in idx among the rows of a table that agree in group.
func fill(name, group, idx, columns, values string) string {
	return fmt.Sprintf(`INSERT OR IGNORE INTO %[1]s (%[2]s, %[3]s, %[4]s)
		WITH RECURSIVE top AS (SELECT %[2]s, max(%[3]s) AS hi FROM %[1]s GROUP BY %[2]s HAVING count(*) <= max(%[3]s)),
		n AS (SELECT %[2]s, 0 AS i, hi FROM top UNION ALL SELECT %[2]s, i + 1, hi FROM n WHERE i < hi)
		SELECT %[2]s, i, %[5]s FROM n WHERE true`, name, group, idx, columns, values)
}

func (s *salvager) do(query string, args ...any) {
	if s.fatal != nil {
		return
	}
	err := s.to.exec(query, args...)
	if err != nil {
		s.fatal = fmt.Errorf("%.60s…: %w", query, err)
	}
}

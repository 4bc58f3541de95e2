package file

import (
	"fmt"
	"unicode/utf8"

	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// mend repairs texts that SQLite could read but that a damaged page made invalid UTF-8, and counts them.
func (s *salvager) mend(names []string, values []any) {
	for i, name := range names {
		b, ok := values[i].([]byte)
		if !ok || name != "text" {
			continue
		}
		// An undamaged piece of text may start and end in the middle of a character.
		if inner := db.TrimEnd(db.TrimStart(b)); !utf8.Valid(inner) {
			values[i], s.garbled = []byte(string([]rune(string(b)))), s.garbled+1
		}
	}
}

// repair makes the copied rows consistent with each other, and counts them.
func (s *salvager) repair() {
	s.do(`INSERT OR IGNORE INTO space (sid, id, title, folder, agent_id, agent_name, created_at, last_activity, epoch)
		SELECT DISTINCT sid, 'recovered-' || sid, 'Recovered conversation', '', '', '', created_at, created_at, 1 FROM message
		WHERE sid NOT IN (SELECT sid FROM space) GROUP BY sid`)
	s.do("DELETE FROM member WHERE sid NOT IN (SELECT sid FROM space)")
	s.do(`INSERT INTO member (sid, id, n, name, agent_id, agent_name, joined_at) SELECT sid, 'main', 1, agent_name, agent_id, agent_name, created_at FROM space
		WHERE sid NOT IN (SELECT sid FROM member WHERE left_at = 0) ON CONFLICT DO UPDATE SET left_at = 0`)
	s.do(`UPDATE space SET default_member = (SELECT id FROM member WHERE member.sid = space.sid AND left_at = 0 ORDER BY n LIMIT 1)
		WHERE default_member NOT IN (SELECT id FROM member WHERE member.sid = space.sid AND left_at = 0)`)
	s.do("DELETE FROM space_pin WHERE sid NOT IN (SELECT sid FROM space)")
	s.do("DELETE FROM space_tag WHERE sid NOT IN (SELECT sid FROM space) OR tid NOT IN (SELECT tid FROM tag)")
	s.do("DELETE FROM draft WHERE sid <> 0 AND sid NOT IN (SELECT sid FROM space)")
	s.do("DELETE FROM imported WHERE sid NOT IN (SELECT sid FROM space)")
	// A conversation that was lost is read again from its file.
	s.do("DELETE FROM imported_file WHERE (program, session) NOT IN (SELECT program, session FROM imported)")
	for _, t := range tables {
		if t.perMid {
			s.do("DELETE FROM " + t.name + " WHERE mid NOT IN (SELECT mid FROM message)")
		}
	}
	// Messages, segments and items are numbered without gaps. A missing one is replaced by a note.
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
	s.do("INSERT INTO search_range (lo, hi) SELECT 1, max(mid) FROM message HAVING max(mid) IS NOT NULL")
	for _, f := range []struct{ table, column, mended string }{
		{"item", "head", `'{"toolCallId":"","title":' || json_quote(` + lostMark + `) || ',"status":"failed"}'`},
		{"call_body", "body", "'{}'"},
		{"segment", "display", `'{"type":"text","text":' || json_quote(` + lostMark + `) || '}'`},
		{"message", "author", "'{}'"},
		{"message", "usage", "NULL"},
		{"message", "error", "NULL"},
		{"run", "usage", "NULL"},
		{"run", "error", "NULL"},
		{"opaque", "raw", "NULL"},
		{"opaque", "ref", "NULL"},
		{"state", "value", "NULL"},
		{"state", "ref", "NULL"},
		{"draft", "more", "NULL"},
	} {
		s.mendJSON(f.table, f.column, f.mended)
	}
	s.do("DELETE FROM blob_use WHERE bid NOT IN (SELECT bid FROM blob)")
	for query, n := range map[string]*int{
		"SELECT count(*) FROM space": &s.rec.Spaces, "SELECT count(*) FROM message": &s.rec.Messages, "SELECT count(*) FROM segment": &s.rec.Segments,
		"SELECT count(*) FROM item": &s.rec.Items,
	} {
		if s.fatal == nil {
			_, s.fatal = s.to.One(query, nil, n)
		}
	}
	s.do("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')", schema.RenewEpochs)
}

// mendJSON replaces values that are no longer valid JSON.
func (s *salvager) mendJSON(table, column, mended string) {
	if s.fatal != nil {
		return
	}
	res, err := s.to.ExecResult(fmt.Sprintf(`UPDATE %[1]s SET %[2]s = CAST(%[3]s AS BLOB)
		WHERE %[2]s IS NOT NULL AND NOT json_valid(CAST(%[2]s AS TEXT))`, table, column, mended))
	if s.fatal = err; err == nil {
		n, _ := res.RowsAffected()
		s.garbled += int(n)
	}
}

// maxIndex is above the index of any segment or item. A larger number is damage.
const maxIndex = 5_000_000

const lostMark = "'[This part couldn''t be recovered.]'"

// fill returns the statement that fills the gaps of idx among the rows of a table with the same group.
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
	err := s.to.Exec(query, args...)
	if err != nil {
		s.fatal = fmt.Errorf("%.60s…: %w", query, err)
	}
}

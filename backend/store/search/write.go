package search

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// shardDocs is the maximum number of documents in a token table.
const shardDocs = 50_000

// backlog is the number of noted units of a message above which only the background indexes them.
const backlog = 32

// foldBudget is how many bytes of text are indexed in the transaction that stores them.
const foldBudget = 8 << 10

// errDamaged means that the index must be rebuilt. The file itself isn't damaged.
var errDamaged = errors.New("the search index is damaged")

// indexer writes the tables of the index and caches their state. Only the writer's goroutine uses it.
type indexer struct {
	x      *Index
	tokens search.Tokens
	text   strings.Builder
	next   int64 // did of the next document, 0 if unknown
	gen    int64 // of the token tables, 0 if unknown
	shards map[int64]bool
	dirty  map[string]bool // token tables to flush
	known  known
}

func (w *indexer) init() { w.shards, w.dirty = map[int64]bool{}, map[string]bool{} }

func (w *indexer) forget() {
	w.next, w.gen = 0, 0
	clear(w.shards)
	clear(w.dirty)
}

// Folded records what a fold changed, within its transaction, and indexes some of it. A damaged index isn't an error.
func (x *Index) Folded(c *db.Conn, t *rows.Touched) error {
	err := x.writer.apart(c, func() error { return x.writer.note(c, t) })
	if errors.Is(err, errDamaged) {
		return nil // everything is indexed again
	}
	return err
}

// apart changes the index within a savepoint. If the index is damaged, it rolls the savepoint back, so that the
// transaction can still be committed.
func (w *indexer) apart(c *db.Conn, change func() error) error {
	if err := c.Exec("SAVEPOINT search"); err != nil {
		return err
	}
	err := change()
	if err == nil {
		err = w.flush(c)
	}
	if errors.Is(err, errDamaged) {
		w.forget()
		return errors.Join(err, c.Exec("ROLLBACK TO search"), c.Exec("RELEASE search"))
	}
	return errors.Join(err, c.Exec("RELEASE search"))
}

// flush writes the pending changes of token tables. Otherwise the commit would write them, and fail if they are
// damaged.
func (w *indexer) flush(c *db.Conn) error {
	for table := range w.dirty {
		delete(w.dirty, table)
		if err := w.tokensError(c.Exec("INSERT INTO " + table + " (" + table + ") VALUES ('flush')")); err != nil {
			return err
		}
	}
	return nil
}

// note indexes what a fold changed, or notes it for later.
func (w *indexer) note(c *db.Conn, t *rows.Touched) error {
	left := foldBudget
	for _, mid := range t.Messages {
		m, ok, err := readMessage(c, mid)
		if err != nil || !ok {
			return err
		}
		for i := range t.Units {
			u := &t.Units[i]
			if u.Mid != mid {
				continue
			}
			if err := w.touched(c, &m, u, &left); err != nil {
				return err
			}
		}
		if err := w.closed(c, &m, &left); err != nil {
			return err
		}
	}
	return nil
}

// touched indexes a changed unit, or notes it for later.
func (w *indexer) touched(c *db.Conn, m *message, u *rows.Unit, left *int) error {
	open, err := isOpen(c, m, u.Location)
	if err != nil {
		return err
	}
	if !open && u.Fresh && *left > 0 && !w.x.damaged.Load() {
		done, err := w.index(c, m, u.Location, u.Fresh, left)
		if done || err != nil && !errors.Is(err, errDamaged) {
			return err
		}
	}
	if err := c.Exec("INSERT OR IGNORE INTO search_todo (mid, seg, item) VALUES (?, ?, ?)", u.Mid, u.Seg, u.Item); err != nil {
		return err
	}
	if !open {
		w.x.Wake()
	}
	return nil
}

// closed indexes the noted units of a message that have ended since.
func (w *indexer) closed(c *db.Conn, m *message, left *int) error {
	if *left <= 0 || w.x.damaged.Load() {
		return nil
	}
	list, err := todo(c, "WHERE mid = ? ORDER BY seg, item LIMIT ?", m.mid, backlog)
	if err != nil || len(list) == backlog {
		return err // too many: the background indexes them
	}
	for _, p := range list {
		open, err := isOpen(c, m, p)
		if err != nil {
			return err
		}
		if open {
			continue
		}
		if *left <= 0 {
			w.x.Wake()
			return nil
		}
		if err := w.todo(c, m, p, left); err != nil {
			if errors.Is(err, errDamaged) {
				return nil
			}
			return err
		}
	}
	return nil
}

// todo indexes a noted unit, or as much of it as fits in left.
func (w *indexer) todo(c *db.Conn, m *message, p rows.Location, left *int) error {
	done, err := w.index(c, m, p, false, left)
	if !done || err != nil {
		w.x.Wake()
		return err
	}
	return c.Exec("DELETE FROM search_todo WHERE mid = ? AND seg = ? AND item = ?", p.Mid, p.Seg, p.Item)
}

// todo returns noted units.
func todo(c *db.Conn, where string, args ...any) (list []rows.Location, err error) {
	err = c.Each("SELECT mid, seg, item FROM search_todo "+where, args, func(scan db.Scan) (bool, error) {
		var p rows.Location
		err := scan(&p.Mid, &p.Seg, &p.Item)
		list = append(list, p)
		return true, err
	})
	return list, err
}

// index indexes a unit and subtracts the size of its texts from left. It indexes a long text in pieces, from the end of
// the indexed ones on; done is false if not all of it fit. If fresh, the unit has no documents yet.
func (w *indexer) index(c *db.Conn, m *message, p rows.Location, fresh bool, left *int) (done bool, err error) {
	from := int64(0)
	if !fresh {
		pieced, err := isText(c, p)
		if err != nil {
			return false, err
		}
		if pieced {
			var outdated int64
			if from, outdated, err = resume(c, p); err == nil && outdated > 0 {
				err = w.drop(c, "did = ?", outdated)
			}
		} else {
			err = w.drop(c, "mid = ? AND seg = ? AND item = ?", p.Mid, p.Seg, p.Item)
		}
		if err != nil {
			return false, err
		}
	}
	units, more, err := readUnit(c, m, p, from, *left, nil)
	if err != nil {
		return false, err
	}
	for i := range units {
		*left -= max(units[i].bytes(), 64)
		if err := w.insert(c, m, &units[i]); err != nil {
			return false, err
		}
	}
	return !more, nil
}

// resume returns the offset at which a long text isn't indexed yet. outdated is the document of its last piece if that
// has grown, and from is its beginning then; otherwise outdated is 0.
func resume(c *db.Conn, p rows.Location) (from, outdated int64, err error) {
	var did, pos, size int64
	found, err := c.One("SELECT did, pos, size FROM search_doc WHERE mid = ? AND seg = ? AND item = ? ORDER BY pos DESC LIMIT 1", []any{p.Mid, p.Seg, p.Item}, &did, &pos, &size)
	if err != nil || !found {
		return 0, 0, err
	}
	key, first := p.Text(rows.Text), []byte(nil)
	if p.Item < 0 {
		key = rows.SegmentText(p.Mid, p.Seg)
		_, err = c.One("SELECT text FROM segment WHERE mid = ? AND idx = ?", []any{p.Mid, p.Seg}, &first)
	} else {
		_, err = c.One("SELECT text FROM item WHERE mid = ? AND seg = ? AND idx = ?", []any{p.Mid, p.Seg, p.Item}, &first)
	}
	if err != nil {
		return 0, 0, err
	}
	text, _, err := nextPiece(c, key, first, pos)
	if err != nil {
		return 0, 0, err
	}
	if int64(len(text)) != size {
		return pos, did, nil
	}
	return pos + size, 0, nil
}

// isText reports whether a unit is a text that is indexed in pieces.
func isText(c *db.Conn, p rows.Location) (text bool, err error) {
	switch {
	case p.Seg < 0:
		return false, nil
	case p.Item < 0:
		_, err = c.One("SELECT type = 'text' AND display IS NULL FROM segment WHERE mid = ? AND idx = ?", []any{p.Mid, p.Seg}, &text)
	default:
		_, err = c.One("SELECT kind IS NULL FROM item WHERE mid = ? AND seg = ? AND idx = ?", []any{p.Mid, p.Seg, p.Item}, &text)
	}
	return text, err
}

// insert adds a document.
func (w *indexer) insert(c *db.Conn, m *message, u *unit) error {
	w.tokens.Reset()
	for _, f := range u.fields {
		w.tokens.Add(f.Text)
	}
	if len(w.tokens.List()) == 0 && !slices.ContainsFunc(u.fields, func(f Field) bool { return search.HasSymbol(f.Text) }) {
		return nil
	}
	if err := w.prepare(c); err != nil {
		return err
	}
	w.text.Reset()
	for _, token := range append(w.tokens.List(), marks(m, u)...) {
		w.text.WriteString(token)
		w.text.WriteByte(' ')
	}
	did := w.next
	table, err := w.shard(c, did)
	if err != nil {
		return err
	}
	if err := w.tokensExec(c, table, "INSERT INTO "+table+" (rowid, tokens) VALUES (?, ?)", did, w.text.String()); err != nil {
		return err
	}
	err = c.Exec("INSERT INTO search_doc (did, mid, seg, item, pos, size) VALUES (?, ?, ?, ?, ?, ?)", did, u.Mid, u.Seg, u.Item, u.pos, u.size)
	if err != nil {
		return err
	}
	w.next++
	return w.addWords(c, w.tokens.Spans())
}

// prepare reads the state of the tables if it isn't cached.
func (w *indexer) prepare(c *db.Conn) (err error) {
	if w.next == 0 {
		if _, err = c.One("SELECT coalesce(max(did), 0) + 1 FROM search_doc", nil, &w.next); err != nil {
			return err
		}
	}
	if w.gen == 0 {
		w.gen, err = generation(c)
	}
	return err
}

// generationKey is the meta key for the number in the names of the token tables.
const generationKey = "search_generation"

func generation(c *db.Conn) (n int64, err error) {
	var value string
	found, err := c.One("SELECT value FROM meta WHERE key = ?", []any{generationKey}, &value)
	if err != nil || !found {
		return 1, err
	}
	if n, err = strconv.ParseInt(value, 10, 64); err != nil {
		return 1, nil //nolint:nilerr // a damaged value is as good as none
	}
	return n, nil
}

// tableName returns the name of a token table.
func tableName(gen, shard int64) string { return fmt.Sprintf("search_tokens_%d_%d", gen, shard) }

// shardOf returns the number of the token table that a document is in.
func shardOf(did int64) int64 { return (did-1)/shardDocs + 1 }

// shard returns the token table for a document, and creates it if needed.
func (w *indexer) shard(c *db.Conn, did int64) (name string, err error) {
	n := shardOf(did)
	name = tableName(w.gen, n)
	if w.shards[n] {
		return name, nil
	}
	exists, err := c.One("SELECT 1 FROM sqlite_schema WHERE name = ?", []any{name}, new(int))
	if err == nil && !exists {
		var lost bool
		lost, err = c.One("SELECT 1 FROM search_doc WHERE did BETWEEN ? AND ? LIMIT 1", []any{(n-1)*shardDocs + 1, n * shardDocs}, new(int))
		if lost {
			return name, w.x.isDamaged(errors.New("the table " + name + " is missing"))
		}
		if err == nil {
			err = c.Script("CREATE VIRTUAL TABLE " + name + " USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii')")
		}
	}
	if err == nil {
		w.shards[n] = true
	}
	return name, w.tokensError(err)
}

// drop removes documents.
func (w *indexer) drop(c *db.Conn, where string, args ...any) error {
	dids, err := db.List[int64](c, "SELECT did FROM search_doc WHERE "+where, args...)
	if err != nil || len(dids) == 0 {
		return err
	}
	if err := w.prepare(c); err != nil {
		return err
	}
	for _, did := range dids {
		table, err := w.shard(c, did)
		if err != nil {
			return err
		}
		if err := w.tokensExec(c, table, "DELETE FROM "+table+" WHERE rowid = ?", did); err != nil {
			return err
		}
	}
	return c.Exec("DELETE FROM search_doc WHERE "+where, args...)
}

// tokensExec changes a token table.
func (w *indexer) tokensExec(c *db.Conn, table, query string, args ...any) error {
	w.dirty[table] = true
	return w.tokensError(c.Exec(query, args...))
}

// tokensError returns an error of a token table, or [errDamaged] if it means that the table is damaged.
func (w *indexer) tokensError(err error) error {
	if !isDamage(err) {
		return err
	}
	return w.x.isDamaged(err)
}

// isDamaged schedules a rebuild of the index, and returns err as an [errDamaged].
func (x *Index) isDamaged(err error) error {
	if !x.damaged.Swap(true) {
		x.log.Error().Err(err).Msg("the search index is damaged and is made again")
	}
	x.Wake()
	return fmt.Errorf("%w: %s", errDamaged, err.Error()) // not as an error of the file
}

// isDamage reports whether an error of a token table means that the table is damaged or gone.
func isDamage(err error) bool {
	var sq *sqlite.Error
	if !errors.As(err, &sq) {
		return false
	}
	code := sq.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_ERROR && strings.Contains(sq.Error(), "no such table")
}

// Purge removes the segments of a message from one on. Their tokens are gone once the background has merged the tables.
func (x *Index) Purge(c *db.Conn, mid int64, from int) error {
	if err := x.cleaner.note(c, "mid = ? AND seg >= ?", mid, from); err != nil {
		return err
	}
	x.Wake()
	err := x.writer.apart(c, func() error { return x.writer.drop(c, "mid = ? AND seg >= ?", mid, from) })
	if errors.Is(err, errDamaged) {
		err = c.Exec("DELETE FROM search_doc WHERE mid = ? AND seg >= ?", mid, from) // the tokens go when the index is rebuilt
	}
	if err != nil {
		return err
	}
	return c.Exec("DELETE FROM search_todo WHERE mid = ? AND seg >= ?", mid, from)
}

// AddRange queues the messages lo to hi, which are in rows, for indexing in the background.
func (x *Index) AddRange(c *db.Conn, lo, hi int64) error {
	if hi < lo {
		return nil
	}
	x.Wake()
	grown, err := c.ExecRow("UPDATE search_range SET hi = ? WHERE hi = ?", hi, lo-1)
	if grown || err != nil {
		return err
	}
	return putRange(c, lo, hi, -1)
}

// putRange stores a range. It extends a range that begins at the same message; parts that are indexed already are
// skipped later.
func putRange(c *db.Conn, lo, hi int64, seg int) error {
	return c.Exec("INSERT INTO search_range (lo, hi, seg) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET hi = max(hi, excluded.hi), seg = -1", lo, hi, seg)
}

// mark is the first character of tokens that aren't words. No token of a text begins with it.
const mark = "\ue000"

// marks returns the tokens of a unit by which it is filtered.
func marks(m *message, u *unit) []string {
	list := []string{spaceMark(m.sid), kindMark(u.kind), monthMark(time.UnixMilli(m.at))}
	if m.role == string(transcript.RoleAgent) {
		list = append(list, agentMark(m.author.ID))
		for _, token := range nameTokens(m.author.Name) {
			list = append(list, nameMark+token)
		}
	}
	if u.failed {
		list = append(list, errorMark)
	}
	return list
}

const (
	errorMark = mark + "e"
	nameMark  = mark + "n" // and a token of the agent's name
)

func nameTokens(name string) []string {
	var t search.Tokens
	t.Add(name)
	return t.List()
}

func spaceMark(sid int64) string       { return mark + "s" + strconv.FormatInt(sid, 10) }
func kindMark(kind search.Kind) string { return mark + "k" + string(kind) }
func monthMark(at time.Time) string    { return mark + "m" + at.UTC().Format("200601") }
func agentMark(id string) string {
	h := fnv.New64a()
	h.Write([]byte(id))
	return mark + "a" + hex.EncodeToString(h.Sum(nil))
}

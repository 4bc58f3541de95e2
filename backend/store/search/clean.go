package search

import (
	"slices"
	"strconv"
	"strings"

	"weft/backend/store/db"
)

// A document that is removed from a table of tokens is only hidden: FTS5 drops its tokens when it merges that part of the table, which may
// never happen. So what a purge has removed is merged away in the background, and words that are nowhere else are removed from the list.

// cleanKey is the key in meta of the tables that have tokens of purged documents, by number. Behind the last one is "words:" with the last row of words that was cleaned.
const (
	cleanKey   = "search_clean"
	cleanWords = "words:"
	cleanPages = 200 // that are merged at a time
)

// cleaner removes from the tables what a purge has left in them. Only the writer's goroutine uses it.
type cleaner struct{ w *indexer }

// note stores that the tables of some documents have to be cleaned.
func (k *cleaner) note(c *db.Conn, where string, args ...any) error {
	shards, err := db.List[int64](c, "SELECT DISTINCT (did - 1) / "+strconv.Itoa(shardDocs)+" + 1 FROM search_doc WHERE "+where, args...)
	if err != nil || len(shards) == 0 {
		return err
	}
	list, err := unclean(c)
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, cleanWords) })
	for _, n := range shards {
		if s := strconv.FormatInt(n, 10); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return db.PutMeta(c, cleanKey, strings.Join(append(all, cleanWords), ","))
}

// unclean returns what has to be cleaned.
func unclean(c *db.Conn) ([]string, error) {
	var value string
	if _, err := c.One("SELECT value FROM meta WHERE key = ?", []any{cleanKey}, &value); err != nil || value == "" {
		return nil, err
	}
	return strings.Split(value, ","), nil
}

// step does a part of what has to be cleaned. more is true if there is more to do.
func (k *cleaner) step(c *db.Conn) (more bool, err error) {
	list, err := unclean(c)
	if err != nil || len(list) == 0 {
		return false, err
	}
	if err := k.w.prepare(c); err != nil {
		return false, err
	}
	var done bool
	if after, ok := strings.CutPrefix(list[0], cleanWords); ok {
		last, _ := strconv.ParseInt(after, 10, 64) // from the beginning where there is none
		last, done, err = k.cleanWords(c, last)
		list[0] = cleanWords + strconv.FormatInt(last, 10)
	} else {
		done, err = k.merge(c, list[0])
	}
	if err != nil {
		return false, err
	}
	if done {
		list = list[1:]
	}
	return len(list) > 0, db.PutMeta(c, cleanKey, strings.Join(list, ","))
}

// merge merges a part of a table of tokens. done is true if all of it is one part, in which no removed document is.
func (k *cleaner) merge(c *db.Conn, shard string) (done bool, err error) {
	n, err := strconv.ParseInt(shard, 10, 64)
	if err != nil {
		return true, nil //nolint:nilerr // what is no number names no table
	}
	table := tableName(k.w.gen, n)
	exists, err := c.One("SELECT 1 FROM sqlite_schema WHERE name = ?", []any{table}, new(int))
	if err != nil || !exists {
		return err == nil, err
	}
	var before, after int64
	if _, err := c.One("SELECT total_changes()", nil, &before); err != nil {
		return false, err
	}
	if err := k.w.tokensExec(c, table, "INSERT INTO "+table+" ("+table+", rank) VALUES ('merge', ?)", -cleanPages); err != nil {
		return false, err
	}
	if _, err := c.One("SELECT total_changes()", nil, &after); err != nil {
		return false, err
	}
	return after-before < 2, nil // FTS5 has found nothing to do
}

// cleanWords removes the words of the row of the list behind last that are in no table. done is true behind the last row.
func (k *cleaner) cleanWords(c *db.Conn, last int64) (n int64, done bool, err error) {
	var text []byte
	found, err := c.One("SELECT n, words FROM search_word WHERE n > ? ORDER BY n LIMIT 1", []any{last}, &n, &text)
	if err != nil || !found {
		return last, err == nil, err
	}
	tables, err := db.List[string](c, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND name LIKE ? ESCAPE '\\' ORDER BY length(name) DESC, name DESC",
		"search\\_tokens\\_"+strconv.FormatInt(k.w.gen, 10)+"\\_%")
	if err != nil {
		return n, false, err
	}
	var kept []byte
	for word := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		var used bool
		for _, table := range tables {
			if used, err = c.One("SELECT 1 FROM "+table+" WHERE "+table+" MATCH ? LIMIT 1", []any{quote(word)}, new(int)); err != nil {
				return n, false, k.w.tokensError(err)
			}
			if used {
				kept = append(append(kept, word...), '\n')
				break
			}
		}
	}
	switch {
	case len(kept) == len(text):
		return n, false, nil
	case len(kept) == 0:
		err = c.Exec("DELETE FROM search_word WHERE n = ?", n)
	default:
		err = c.Exec("UPDATE search_word SET words = ? WHERE n = ?", kept, n)
	}
	k.w.known = known{}
	k.w.x.words.again()
	return n, false, err
}

package search

import (
	"slices"
	"strconv"
	"strings"

	"weft/backend/store/db"
)

// Removing a document from a token table only hides it: FTS5 drops its tokens when it merges that part of the table,
// which may never happen. So after a purge, these parts are merged in the background, and words that occur nowhere else
// are removed from the word list.

// cleanKey is the meta key for the numbers of the token tables that have tokens of purged documents. After them comes
// "words:" with the number of the last row of words that was cleaned.
const (
	cleanKey   = "search_clean"
	cleanWords = "words:"
	cleanPages = 200 // merged at a time
)

// cleaner removes the tokens and words that a purge left in the tables. Only the writer's goroutine uses it.
type cleaner struct{ w *indexer }

// note records that the token tables of some documents need cleaning.
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

// unclean returns what needs cleaning, as in cleanKey.
func unclean(c *db.Conn) ([]string, error) {
	var value string
	if _, err := c.One("SELECT value FROM meta WHERE key = ?", []any{cleanKey}, &value); err != nil || value == "" {
		return nil, err
	}
	return strings.Split(value, ","), nil
}

// step does a part of the cleaning. more reports whether there is more to do.
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
		last, _ := strconv.ParseInt(after, 10, 64) // 0 at the beginning
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

// merge merges a part of a token table. done is true if the table is a single part without removed documents.
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
	return after-before < 2, nil // FTS5 found nothing to merge
}

// cleanWords removes the words that are in no table from the first row after last. done is true after the last row.
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

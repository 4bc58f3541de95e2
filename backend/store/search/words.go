package search

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"weft/backend/store/db"
)

// known caches the hashes of the stored words, for the writer's goroutine.
type known struct {
	seed   maphash.Seed
	hashes map[uint64]struct{}
	unsure []wordRow // of transactions that may have failed since
}

// wordRow is a row of search_word.
type wordRow struct {
	n      int64
	hashes []uint64
}

// addWords stores the words that aren't stored yet.
func (w *indexer) addWords(c *db.Conn, words []string) error {
	if len(words) == 0 {
		return nil
	}
	k := &w.known
	if err := k.load(c); err != nil {
		return err
	}
	row, text := wordRow{}, []byte(nil)
	for _, word := range words {
		h := maphash.String(k.seed, word)
		if _, stored := k.hashes[h]; stored {
			continue
		}
		k.hashes[h] = struct{}{}
		row.hashes, text = append(row.hashes, h), append(append(text, word...), '\n')
	}
	if len(text) == 0 {
		return nil
	}
	n, err := c.Insert("INSERT INTO search_word (words) VALUES (?)", text)
	if err != nil {
		for _, h := range row.hashes {
			delete(k.hashes, h)
		}
		return err
	}
	row.n = n
	k.unsure = append(k.unsure, row)
	return nil
}

// load reads the stored words once, and removes those that a failed transaction added.
func (k *known) load(c *db.Conn) error {
	if k.hashes == nil {
		k.seed, k.hashes = maphash.MakeSeed(), map[uint64]struct{}{}
		return c.Each("SELECT words FROM search_word", nil, func(scan db.Scan) (bool, error) {
			var text []byte
			if err := scan(&text); err != nil {
				return false, err
			}
			for word := range strings.SplitSeq(string(text), "\n") {
				k.hashes[maphash.String(k.seed, word)] = struct{}{}
			}
			return true, nil
		})
	}
	for _, row := range k.unsure {
		stored, err := c.One("SELECT 1 FROM search_word WHERE n = ?", []any{row.n}, new(int))
		if err != nil {
			return err
		}
		if !stored {
			for _, h := range row.hashes {
				delete(k.hashes, h)
			}
		}
	}
	k.unsure = k.unsure[:0]
	return nil
}

// Rows of words are joined when there are more than maxWordRows of them.
const (
	maxWordRows = 512
	wordRowSize = 64 << 10
)

// joinWords joins small rows of words.
func (w *indexer) joinWords(c *db.Conn) error {
	var n int
	if _, err := c.One("SELECT count(*) FROM search_word WHERE length(words) < ?", []any{wordRowSize / 2}, &n); err != nil || n < maxWordRows {
		return err
	}
	var text []byte
	last := int64(0)
	err := c.Each("SELECT n, words FROM search_word WHERE length(words) < ?", []any{wordRowSize / 2}, func(scan db.Scan) (bool, error) {
		var words []byte
		err := scan(&last, &words)
		text = append(text, words...)
		return true, err
	})
	if err != nil {
		return err
	}
	if err := c.Exec("DELETE FROM search_word WHERE length(words) < ?", wordRowSize/2); err != nil {
		return err
	}
	for len(text) > 0 {
		end := min(len(text), wordRowSize)
		for end < len(text) && text[end-1] != '\n' {
			end++
		}
		if _, err := c.Insert("INSERT INTO search_word (words) VALUES (?)", text[:end]); err != nil {
			return err
		}
		text = text[end:]
	}
	w.known.unsure = w.known.unsure[:0]
	w.x.words.again()
	return nil
}

// vocabulary caches the stored words for searches. It is read on first use, then extended.
type vocabulary struct {
	mu   sync.Mutex
	last int64 // last row read
	text string
}

// again makes the next read start from the first row.
func (v *vocabulary) again() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last, v.text = 0, ""
}

// maxInside is the maximum number of words that a part of a word is expanded to.
const maxInside = 64

// with returns the words that contain part, shortest first, at most [maxInside].
func (v *vocabulary) with(ctx context.Context, c *db.Conn, part string) ([]string, error) {
	text, err := v.read(c)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var list []string
	for at := 0; ctx.Err() == nil; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			break
		}
		start := strings.LastIndexByte(text[:at+i], '\n') + 1
		end := at + i + len(part)
		if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
			end += n
		}
		if word := text[start:end]; !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
		at = end
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return list[:min(len(list), maxInside)], ctx.Err()
}

// read returns all words, each at the beginning or after a line break.
func (v *vocabulary) read(c *db.Conn) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var more []byte
	err := c.Each("SELECT n, words FROM search_word WHERE n > ? ORDER BY n", []any{v.last}, func(scan db.Scan) (bool, error) {
		var words []byte
		err := scan(&v.last, &words)
		more = append(more, words...)
		return true, err
	})
	if len(more) > 0 {
		v.text += string(more)
	}
	return v.text, err
}

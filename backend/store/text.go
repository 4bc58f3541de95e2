package store

import (
	"context"
	"unicode/utf8"
)

// textTail reads the last limit bytes of a text, beginning at a character. first is what its
// segment or item holds of it, at the time of its last piece (start itself if there are no parts).
func textTail(c *conn, key textKey, first []byte, limit int) (text []byte, start, at int64, err error) {
	var parts [][]byte
	size, end := 0, int64(len(first))
	query, args := partsQuery(key)
	err = c.each(query+" ORDER BY pos DESC", args, func(scan func(...any) error) (bool, error) {
		var pos, when int64
		var b []byte
		if err := scan(&pos, &when, &b); err != nil {
			return false, err
		}
		if len(parts) == 0 {
			end, at = pos+int64(len(b)), when
		}
		parts, size = append(parts, b), size+len(b)
		return size < limit, nil
	})
	if err != nil {
		return nil, 0, 0, err
	}
	if size < limit {
		parts, size = append(parts, first), size+len(first)
	}
	if len(parts) == 1 {
		text = parts[0]
	} else {
		text = make([]byte, 0, size)
		for i := len(parts) - 1; i >= 0; i-- {
			text = append(text, parts[i]...)
		}
	}
	if len(text) > limit {
		text = text[len(text)-limit:]
	}
	if end > int64(len(text)) {
		text = fromRune(text)
	}
	return text, end - int64(len(text)), at, nil
}

func partsQuery(key textKey) (query string, args []any) {
	if key.item < 0 {
		return "SELECT pos, 0, text FROM text_part WHERE mid = ? AND seg = ?", []any{key.mid, key.seg}
	}
	return "SELECT pos, at, text FROM item_part WHERE mid = ? AND seg = ? AND item = ? AND what = ?", []any{key.mid, key.seg, key.item, key.what}
}

// fromRune drops the rest of a character that b starts in the middle of.
func fromRune(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// toRune drops the beginning of a character that b ends in the middle of.
func toRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax-1; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}

// textRange reads the bytes from..to of a text (to 0: its end), cut at characters, and
// where they really start.
func textRange(c *conn, key textKey, first []byte, from, to int64) (text []byte, start int64, err error) {
	if to <= 0 {
		to = 1 << 62
	}
	from = max(from, 0)
	if n := int64(len(first)); from < n {
		text = append(text, first[from:min(n, to)]...)
	}
	query, args := partsQuery(key)
	// The part that from is in starts before it; no part is longer than maxPart.
	err = c.each(query+" AND pos > ? AND pos < ? ORDER BY pos", append(args, from-maxPart, to), func(scan func(...any) error) (bool, error) {
		var pos, when int64
		var b []byte
		if err := scan(&pos, &when, &b); err != nil {
			return false, err
		}
		lo, hi := max(from-pos, 0), min(to-pos, int64(len(b)))
		if lo < hi {
			text = append(text, b[lo:hi]...)
		}
		return true, nil
	})
	n := len(text)
	text = fromRune(text)
	start = from + int64(n-len(text))
	return toRune(text), start, err
}

// maxRange is the most bytes that one call for a text answers.
const maxRange = 4 << 20

// SegmentText answers the bytes from..to (0: the end) of a text segment, at most 4 MiB of
// them, cut at characters; start is the offset where they begin.
func (s *Store) SegmentText(_ context.Context, spaceID, messageID string, segment int, from, to int64) (text string, start int64, err error) {
	return s.textOf(spaceID, messageID, from, to, func(mid int64) (textKey, string) {
		return textKey{place{mid, segment, -1}, whatText}, "SELECT text FROM segment WHERE mid = ? AND idx = ?"
	})
}

// ThoughtText is SegmentText for a thought of a tool group.
func (s *Store) ThoughtText(_ context.Context, spaceID, messageID string, segment, item int, from, to int64) (text string, start int64, err error) {
	return s.textOf(spaceID, messageID, from, to, func(mid int64) (textKey, string) {
		return textKey{place{mid, segment, item}, whatText}, "SELECT text FROM item WHERE mid = ? AND seg = ? AND idx = ?"
	})
}

// OutputText is SegmentText for what was streamed of a tool call's output.
func (s *Store) OutputText(_ context.Context, spaceID, messageID string, segment, item int, from, to int64) (text string, start int64, err error) {
	return s.textOf(spaceID, messageID, from, to, func(mid int64) (textKey, string) {
		return textKey{place{mid, segment, item}, whatOutput}, "SELECT NULL FROM item WHERE mid = ? AND seg = ? AND idx = ?"
	})
}

func (s *Store) textOf(spaceID, messageID string, from, to int64, of func(mid int64) (textKey, string)) (text string, start int64, err error) {
	if from = max(from, 0); to <= 0 || to > from+maxRange {
		to = from + maxRange
	}
	err = s.viewMessage(spaceID, messageID, "read a text", func(c *conn, mid int64) error {
		key, query := of(mid)
		args := []any{mid, key.seg}
		if key.item >= 0 {
			args = append(args, key.item)
		}
		var first, b []byte
		found, err := c.one(query, args, &first)
		if err == nil && !found {
			err = fail(CodeNotFound, "There is no such text in this message.")
		}
		if err != nil {
			return err
		}
		b, start, err = textRange(c, key, first, from, to)
		text = string(b)
		return err
	})
	return text, start, err
}

package pages

import (
	"context"

	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// textTail reads the last limit bytes of a text, starting at a character boundary. first is the beginning of the text,
// which is stored with its segment or item. start is the offset of the result, and at the time of the last part, 0 if
// there are no parts.
func textTail(c *db.Conn, key rows.TextKey, first []byte, limit int) (text []byte, start, at int64, err error) {
	var parts [][]byte
	size, end := 0, int64(len(first))
	query, args := rows.PartsQuery(key)
	err = c.Each(query+" ORDER BY pos DESC", args, func(scan db.Scan) (bool, error) {
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
		text = db.TrimStart(text)
	}
	return text, end - int64(len(text)), at, nil
}

// TextRange reads the bytes from..to of a text (to 0: its end), cut at characters. start is the offset of the result.
func TextRange(c *db.Conn, key rows.TextKey, first []byte, from, to int64) (text []byte, start int64, err error) {
	if to <= 0 {
		to = 1 << 62
	}
	from = max(from, 0)
	if n := int64(len(first)); from < n {
		text = append(text, first[from:min(n, to)]...)
	}
	query, args := rows.PartsQuery(key)
	// The part that contains from starts before it. No part is longer than rows.MaxPart.
	err = c.Each(query+" AND pos > ? AND pos < ? ORDER BY pos", append(args, from-rows.MaxPart, to), func(scan db.Scan) (bool, error) {
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
	text = db.TrimStart(text)
	start = from + int64(n-len(text))
	return db.TrimEnd(text), start, err
}

// maxRange is the maximum number of bytes that one call returns.
const maxRange = 4 << 20

// SegmentText returns the bytes from..to (0: the end) of a text segment, at most 4 MiB, cut at character boundaries.
// start is their offset.
func (p *Pages) SegmentText(ctx context.Context, spaceID, messageID string, segment int, from, to int64) (text string, start int64, err error) {
	if from = max(from, 0); to <= 0 || to > from+maxRange {
		to = from + maxRange
	}
	err = p.viewMessage(ctx, spaceID, messageID, "read the text", func(c *db.Conn, mid int64) error {
		var first, b []byte
		found, err := c.One("SELECT text FROM segment WHERE mid = ? AND idx = ?", []any{mid, segment}, &first)
		if err == nil && !found {
			err = db.Fail(db.CodeNotFound, "The text wasn't found in this message.")
		}
		if err != nil {
			return err
		}
		b, start, err = TextRange(c, rows.SegmentText(mid, segment), first, from, to)
		text = string(b)
		return err
	})
	return text, start, err
}

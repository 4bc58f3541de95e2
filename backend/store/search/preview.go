package search

import (
	"context"
	"math"

	"weft/backend/conversation/search"
	"weft/backend/store/db"
	"weft/backend/store/rows"
	"weft/backend/store/spaces"
)

// Part is a text of a unit with the places of a query marked.
type Part struct {
	Field  string         `json:"field" enum:"text,title,path,input,output,error"`
	Pieces []search.Piece `json:"pieces"`
}

// previewSize is the size limit of each text in a preview, in bytes.
const previewSize = 6 << 10

// Preview returns the texts of a unit with the matches of q marked; it cuts long texts around the matches. pos is
// [Hit.Pos]. The error has the code not_found.
func (x *Index) Preview(ctx context.Context, spaceID, messageID string, segment, item int, pos int64, q *search.Query) (parts []Part, err error) {
	err = spaces.View(ctx, x.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		var mid int64
		if _, err := c.One("SELECT mid FROM message WHERE sid = ? AND id = ?", []any{sid, messageID}, &mid); err != nil {
			return err
		}
		m, ok, err := readMessage(c, mid)
		if err != nil || !ok {
			return err
		}
		p := rows.At(mid, segment, item)
		text, err := isText(c, p)
		if err != nil {
			return err
		}
		var only *piece
		if text {
			only = &piece{max(0, pos), pieceSize}
		}
		units, _, err := readUnit(c, &m, p, 0, math.MaxInt, only)
		if err != nil {
			return err
		}
		for i := range units {
			parts = append(parts, units[i].parts(q)...)
		}
		return nil
	})
	if err == nil && len(parts) == 0 {
		err = db.Fail(db.CodeNotFound, "This part of the conversation no longer exists.")
	}
	return parts, err
}

func (u *unit) parts(q *search.Query) (parts []Part) {
	for _, f := range u.fields {
		spans := q.Places(f.Text)
		parts = append(parts, Part{f.Name, search.Excerpt(f.Text, spans, previewSize)})
	}
	return parts
}

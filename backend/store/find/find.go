// Package find searches one space for an exact text, in order, in all content of its messages. It scans the rows and
// needs no index. A search returns pages, each bounded by how much it reads, so a caller can stop by not asking for
// more.
//
// match.go compares, fold.go says what counts as equal, prose.go what is drawn of Markdown; scan.go walks through rows
// and texts.go through the texts of a call. The frontend reads the same testdata.
package find

import (
	"context"
	"math"
	"strconv"
	"time"

	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// Find searches conversations.
type Find struct{ db *db.DB }

// New returns a Find that searches d.
func New(d *db.DB) *Find { return &Find{d} }

// The texts of a conversation that are searched, as in Hit.Source.
const (
	SourceText     = "text"     // a text segment
	SourceThought  = "thought"  // reasoning of an agent
	SourceDisplay  = "display"  // a display that is a segment
	SourceTitle    = "title"    // of a call
	SourceError    = "error"    // of a call
	SourceSummary  = "summary"  // of a call
	SourceInput    = "input"    // a value or a name in the arguments of a call
	SourceContent  = "content"  // a text or a path in the content of a call
	SourceDiff     = "diff"     // the new text of a file, or a removed line of the old one
	SourceTerminal = "terminal" // the command or the output of a terminal
	SourceOutput   = "output"   // the result of a call, if nothing else shows it
)

// Cursor is a position in a search: the first Skip hits of an item, or of a segment with the item -1, are behind it.
type Cursor struct {
	Ord     int64 `json:"ord"`
	Segment int   `json:"segment"`
	Item    int   `json:"item"`
	Skip    int   `json:"skip"`
}

// Hit is a match.
type Hit struct {
	MessageID string `json:"messageId"`
	Ord       int64  `json:"ord"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"` // -1 for a segment that is no tool group
	Source    string `json:"source"`
	// Start and End are byte offsets in the text of the source.
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// Before, Text and After are the match and what is around it in its text.
	Before string `json:"before"`
	Text   string `json:"text"`
	After  string `json:"after"`
}

// Page is a part of a search, in the order of the conversation.
type Page struct {
	Hits []Hit `json:"hits"`
	// Next is where the search continues, null at the end of the conversation.
	Next *Cursor `json:"next"`
	// Open is the first message that was still being written, 0 if there was none: what is found from there on may change.
	Open int64 `json:"open"`
	// Last is the position of the last message that there was.
	Last int64 `json:"last"`
}

// Request is a search.
type Request struct {
	Query   string
	From    *Cursor // nil for the beginning
	Within  *Place  // search only here, and ignore From; nil for the whole space
	Limit   int     // hits per page, 1 to 1000
	Context int     // bytes around a match, at most 4096
}

// Place is a message, a segment of it, or an item of a tool group. -1 in Segment or Item means all of them.
type Place struct {
	MessageID string
	Segment   int
	Item      int
}

// The limits of a page.
const (
	maxHits    = 1000
	maxContext = 4 << 10
	maxQuery   = 10 << 10              // bytes
	maxRead    = 16 << 20              // bytes read for a page, unless one item is larger
	maxTime    = 50 * time.Millisecond // after which a page ends with the current segment or item
)

// Page searches a space from a position on. The error has the code invalid if nothing can match the query.
func (f *Find) Page(ctx context.Context, spaceID string, req Request) (Page, error) {
	page := Page{Hits: []Hit{}}
	if len(req.Query) > maxQuery {
		return page, db.Fail("invalid", "The search text is too long. Enter at most 10,000 characters.")
	}
	p := newPattern(req.Query)
	if p == nil {
		return page, db.Fail("invalid", "Enter a text to search for.")
	}
	err := spaces.View(ctx, f.db, spaceID, "search the conversation", func(c *db.Conn, sid int64) error {
		if _, err := c.One(`SELECT coalesce((SELECT min(ord) FROM message WHERE sid = ?1 AND ended_at = 0), 0), coalesce((SELECT max(ord) FROM message WHERE sid = ?1), 0)`,
			[]any{sid}, &page.Open, &page.Last); err != nil {
			return err
		}
		s := scan{
			ctx: ctx, c: c, sid: sid, pattern: p, page: &page, limit: min(max(req.Limit, 1), maxHits),
			lastOrd: math.MaxInt64, lastSegment: math.MaxInt64, item: -1, context: min(max(req.Context, 0), maxContext), until: time.Now().Add(maxTime),
		}
		at := Cursor{Ord: 1, Item: -1}
		switch w := req.Within; {
		case w != nil:
			found, err := c.One("SELECT ord FROM message WHERE sid = ? AND id = ?", []any{sid, w.MessageID}, &at.Ord)
			if err != nil {
				return err
			}
			if !found {
				return db.Fail(db.CodeNotFound, "Message {{messageID}} wasn't found in this conversation.", strconv.Quote(w.MessageID))
			}
			s.lastOrd = at.Ord
			if w.Segment >= 0 {
				at.Segment, s.lastSegment = w.Segment, int64(w.Segment)
				if w.Item >= 0 {
					at.Item, s.item = w.Item, w.Item
				}
			}
		case req.From != nil:
			at = *req.From
		}
		return s.run(at)
	})
	return page, err
}

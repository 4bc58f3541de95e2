package find

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// texts searches the texts of one place, in order.
type texts struct {
	*scan
	segment *segment
	at      Cursor
	skip    int  // matches still to skip
	found   int  // hits added
	more    bool // there are more hits than fit on the page
}

// add adds the matches of one text.
func (t *texts) add(source string, c *collector) {
	list := c.close()
	for i := range list {
		m := &list[i]
		at := t.at.Segment
		if at == atError {
			at = -1
		}
		t.page.Hits = append(t.page.Hits, Hit{
			MessageID: t.segment.message, Ord: t.at.Ord, Segment: at, Item: t.at.Item, Source: source,
			Start: m.start, End: m.end, Before: m.before, Text: m.text, After: m.after,
		})
	}
	t.skip = c.skip
	t.found += len(list)
	t.more = t.more || c.more
}

func (t *texts) collector() *collector {
	return newCollector(t.pattern, t.context, t.skip, t.limit-len(t.page.Hits))
}

// one searches a text in memory.
func (t *texts) one(source, text string) {
	if text == "" || t.more {
		return
	}
	c := t.collector()
	c.feed([]byte(text))
	t.add(source, c)
}

// said searches a text segment: a prompt as it was typed, anything else as it is drawn.
func (t *texts) said(g *segment) error {
	if g.user {
		return t.stored(SourceText, g.text, g.parts, rows.SegmentText(g.mid, g.idx))
	}
	if t.more || !g.parts && !t.pattern.mayBeDrawn(g.text) {
		return nil
	}
	p := prose{c: t.collector()}
	err := t.pieces(g.text, g.parts, rows.SegmentText(g.mid, g.idx), func(piece []byte) bool {
		p.feed(piece)
		return !p.c.more
	})
	if err == nil {
		t.add(SourceText, p.close())
	}
	return err
}

// stored searches a text that begins with first; the rest is in parts.
func (t *texts) stored(source string, first []byte, parts bool, key rows.TextKey) error {
	if t.more {
		return nil
	}
	c := t.collector()
	err := t.pieces(first, parts, key, func(piece []byte) bool {
		c.feed(piece)
		return !c.more
	})
	if err == nil {
		t.add(source, c)
	}
	return err
}

// pieces passes the pieces of a text to take until that returns false: first, then the parts.
func (t *texts) pieces(first []byte, parts bool, key rows.TextKey, take func(piece []byte) bool) error {
	if !take(first) || !parts {
		return nil
	}
	query, args := rows.PartsQuery(key)
	return t.c.Each(query+" ORDER BY pos", args, func(scan db.Scan) (bool, error) {
		var pos, at int64
		var b []byte
		if err := scan(&pos, &at, &b); err != nil {
			return false, err
		}
		t.read += len(b)
		return take(b), t.ctx.Err()
	})
}

// blob searches the text in a blob.
func (t *texts) blob(source string, ref *transcript.Ref) error {
	if ref == nil || t.more {
		return nil
	}
	c := t.collector()
	err := t.chunks(ref, func(b []byte) bool {
		c.feed(b)
		return !c.more
	})
	t.add(source, c)
	return err
}

// chunks passes the chunks of a blob to take until that returns false. A missing blob has none.
func (t *texts) chunks(ref *transcript.Ref, take func(b []byte) bool) error {
	return blobs.Chunks(t.c, ref.Hash, func(b []byte) (bool, error) {
		t.read += len(b)
		return take(b), t.ctx.Err()
	})
}

// whole returns the content of a blob, or nothing if it is larger than most bytes.
func (t *texts) whole(ref *transcript.Ref, most int64) (all []byte, err error) {
	if ref.Size > most {
		return nil, nil
	}
	err = t.chunks(ref, func(b []byte) bool {
		all = append(all, b...)
		return true
	})
	return all, err
}

// maxJSON is the maximum size of JSON that is parsed, in bytes. Larger JSON is searched as written.
const maxJSON = 8 << 20

// item searches a thought or a call.
func (t *texts) item(g *segment, it *item) error {
	p := rows.At(g.mid, g.idx, it.idx)
	if !it.call {
		return t.stored(SourceThought, it.text, it.parts, p.Text(rows.Text))
	}
	if !it.parts && t.absent(it.head) && t.absent(it.body) {
		return nil
	}
	var call transcript.ToolCall
	if err := rows.DecodeCall(&call, it.head, it.body); err != nil {
		return err
	}
	return t.call(p, &call, it.parts)
}

// absent reports whether the pattern can't be in the strings of a JSON text, or in a blob that it refers to. It rules
// out most calls without decoding them.
func (t *texts) absent(raw []byte) bool {
	return !bytes.ContainsRune(raw, '\\') && !bytes.Contains(raw, []byte(`"hash"`)) && !t.pattern.has(raw)
}

func (t *texts) call(p rows.Location, call *transcript.ToolCall, parts bool) error {
	if call.TitleRef != nil {
		if err := t.blob(SourceTitle, call.TitleRef); err != nil {
			return err
		}
	} else {
		t.one(SourceTitle, call.Title)
	}
	t.one(SourceError, call.Error)
	if call.Error == "" {
		t.one(SourceSummary, call.Summary)
	}
	content := call.Content
	if call.ContentRef != nil {
		raw, err := t.whole(call.ContentRef, maxJSON)
		if err != nil {
			return err
		}
		if raw == nil || db.Decode(raw, &content) != nil {
			if err := t.blob(SourceContent, call.ContentRef); err != nil {
				return err
			}
		}
	}
	has := func(types ...string) bool {
		for i := range content {
			for _, typ := range types {
				if content[i].Type == typ {
					return true
				}
			}
		}
		return false
	}
	// A diff already shows the input and the result.
	if !has("diff") {
		if err := t.input(p, call, parts); err != nil {
			return err
		}
	}
	for i := range call.Terminals {
		if err := t.terminal(p, &call.Terminals[i], i, parts); err != nil {
			return err
		}
	}
	for i := range content {
		if err := t.content(&content[i]); err != nil {
			return err
		}
	}
	if parts && len(call.Terminals) == 0 {
		if err := t.stored(SourceTerminal, nil, true, p.Text(rows.Output)); err != nil {
			return err
		}
	}
	// The result repeats the content.
	if has("diff", "text") || len(call.Terminals) > 0 {
		return nil
	}
	if call.OutputRef != nil {
		return t.jsonBlob(SourceOutput, call.OutputRef)
	}
	return t.json(SourceOutput, call.Output)
}

func (t *texts) input(p rows.Location, call *transcript.ToolCall, parts bool) error {
	switch {
	case call.InputRef != nil:
		return t.jsonBlob(SourceInput, call.InputRef)
	case len(call.Input) > 0:
		return t.json(SourceInput, call.Input)
	case parts:
		return t.stored(SourceInput, nil, true, p.Text(rows.Input))
	}
	return nil
}

// terminal searches the command of a terminal and its output: the streamed output, or the end of it that was kept.
func (t *texts) terminal(p rows.Location, term *transcript.Terminal, i int, parts bool) error {
	t.one(SourceTerminal, term.Command)
	if term.Ref != nil {
		return t.blob(SourceTerminal, term.Ref)
	}
	if !parts {
		return nil
	}
	return t.stored(SourceTerminal, nil, true, p.Text(rows.Terminal+i))
}

// content searches a piece of a call's content.
func (t *texts) content(c *transcript.Content) error {
	switch c.Type {
	case "diff":
		return t.diff(c)
	case "text", "terminal":
		t.one(SourceContent, c.Text)
		return t.blob(SourceContent, c.Ref)
	}
	return t.display(c)
}

// display searches an image, a resource, a link or content of a type that Weft doesn't know.
func (t *texts) display(c *transcript.Content) error {
	t.one(SourceDisplay, c.Name)
	t.one(SourceDisplay, c.URI)
	t.one(SourceDisplay, c.Text)
	if c.Ref != nil && (c.Type == "resource" || c.Type == "text") && !binary(c.Mime) && !binary(c.Ref.Mime) {
		if err := t.blob(SourceDisplay, c.Ref); err != nil {
			return err
		}
	}
	return t.json(SourceDisplay, c.Raw)
}

// binary reports whether a type has no text to search.
func binary(mime string) bool {
	for _, kind := range []string{"image/", "audio/", "video/", "application/octet-stream", "application/pdf", "application/zip"} {
		if strings.HasPrefix(mime, kind) {
			return true
		}
	}
	return false
}

// diff searches the new text of a file and the removed lines of the old one. Common lines are shown once.
func (t *texts) diff(c *transcript.Content) error {
	t.one(SourceDiff, c.Path)
	before, err := t.side(c.OldText, c.OldRef)
	if err != nil {
		return err
	}
	after, err := t.side(c.NewText, c.NewRef)
	if err != nil {
		return err
	}
	if t.pattern.has([]byte(before)) {
		left := map[string]bool{}
		for line := range strings.Lines(after) {
			left[strings.TrimSuffix(line, "\n")] = true
		}
		for line := range strings.Lines(before) {
			if line = strings.TrimSuffix(line, "\n"); !left[line] {
				t.one(SourceDiff, line)
			}
		}
	}
	t.one(SourceDiff, after)
	return nil
}

func (t *texts) side(text string, ref *transcript.Ref) (string, error) {
	if ref == nil {
		return text, nil
	}
	raw, err := t.whole(ref, maxJSON)
	return string(raw), err
}

// jsonBlob searches the strings of a JSON text in a blob.
func (t *texts) jsonBlob(source string, ref *transcript.Ref) error {
	raw, err := t.whole(ref, maxJSON)
	if err != nil {
		return err
	}
	if raw == nil || !jsontext.Value(raw).IsValid() {
		return t.blob(source, ref)
	}
	return t.json(source, raw)
}

// json searches the names and values of a JSON text. The offsets of a match are in its string.
func (t *texts) json(source string, raw jsontext.Value) error {
	if len(raw) == 0 || t.more || !bytes.ContainsRune(raw, '\\') && !t.pattern.has(raw) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // what is no JSON any more has no strings either
		}
		switch token.Kind() {
		case '"', '0', 't', 'f':
			t.one(source, token.String())
		default: // brackets, and null, which isn't drawn
		}
	}
}

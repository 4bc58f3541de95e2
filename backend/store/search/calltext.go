package search

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/pages"
	"weft/backend/store/rows"
)

// reader collects the texts of a call or a display, up to a limit.
type reader struct {
	c      *db.Conn
	fields []Field
	left   int // bytes
	err    error
}

// add adds a text. It skips duplicates, because agents repeat outputs as content.
func (r *reader) add(name, text string) {
	text = head(strings.ToValidUTF8(text, "\ufffd"), r.left)
	if strings.TrimSpace(text) == "" {
		return
	}
	for _, f := range r.fields {
		if f.Text == text {
			return
		}
	}
	r.left -= len(text)
	r.fields = append(r.fields, Field{name, text})
}

func (r *reader) call(p rows.Location, call *transcript.ToolCall) {
	r.add(FieldTitle, r.text(call.Title, call.TitleRef, inputSize))
	if call.Name != call.Title && !call.NameDerived {
		r.add(FieldTitle, call.Name)
	}
	var paths strings.Builder
	for _, l := range call.Locations {
		paths.WriteString(l.Path + "\n")
	}
	r.add(FieldPath, paths.String())
	r.json(FieldInput, call.Input, call.InputRef)
	if call.Input == nil && call.InputRef == nil {
		r.streamed(FieldInput, p.Text(rows.Input))
	}
	r.add(FieldError, call.Error)
	r.add(FieldTitle, call.Summary)
	for i := range call.Content {
		r.content(&call.Content[i])
	}
	r.json(FieldOutput, nil, call.ContentRef)
	for i := range call.Terminals {
		t := &call.Terminals[i]
		r.add(FieldInput, t.Command)
		if t.Ref != nil {
			r.blob(FieldOutput, t.Ref, false)
			continue
		}
		r.streamed(FieldOutput, p.Text(rows.Terminal+i))
	}
	r.json(FieldOutput, call.Output, call.OutputRef)
	r.streamed(FieldOutput, p.Text(rows.Output))
}

// content adds a piece of a call's content, or of a display.
func (r *reader) content(content *transcript.Content) {
	r.add(FieldPath, content.Path)
	r.add(FieldTitle, content.Name)
	if !strings.HasPrefix(content.URI, "data:") {
		r.add(FieldPath, content.URI)
	}
	switch content.Type {
	case "image", "audio": // not text
		return
	case "diff":
		r.add(FieldOutput, r.text(content.OldText, content.OldRef, inputSize))
		r.add(FieldOutput, r.text(content.NewText, content.NewRef, inputSize))
		return
	}
	if content.Ref != nil {
		r.blob(FieldOutput, content.Ref, strings.Contains(content.Ref.Mime, "json"))
		return
	}
	r.add(FieldOutput, ends(content.Text))
	r.json(FieldOutput, content.Raw, nil)
}

// ends returns the beginning and the end of an output.
func ends(text string) string {
	if len(text) <= 2*outputSize {
		return text
	}
	return head(text, outputSize) + "\n" + string(db.TrimStart([]byte(text[len(text)-outputSize:])))
}

// text returns the first size bytes of a text, which may be in a blob.
func (r *reader) text(text string, ref *transcript.Ref, size int) string {
	if ref == nil || r.err != nil {
		return head(text, size)
	}
	b, err := blobs.Range(r.c, ref.Hash, 0, int64(size))
	r.err = err
	return string(db.TrimEnd(b))
}

// json adds the texts in a JSON value, which may be in a blob.
func (r *reader) json(name string, value jsontext.Value, ref *transcript.Ref) {
	if ref != nil {
		r.blob(name, ref, true)
		return
	}
	if len(value) > 0 {
		r.add(name, ends(flatten(value, 2*inputSize)))
	}
}

// blob adds the beginning and the end of a blob.
func (r *reader) blob(name string, ref *transcript.Ref, isJSON bool) {
	if r.err != nil {
		return
	}
	front, err := blobs.Range(r.c, ref.Hash, 0, outputSize)
	if err != nil {
		r.err = err
		return
	}
	text := string(db.TrimEnd(front))
	if isJSON {
		text = flatten(front, outputSize)
	}
	if ref.Size > outputSize {
		back, err := blobs.Range(r.c, ref.Hash, max(outputSize, ref.Size-outputSize), ref.Size)
		if err != nil {
			r.err = err
			return
		}
		end := string(db.TrimStart(back))
		if isJSON {
			end = unescape.Replace(end)
		}
		text += "\n" + end
	}
	r.add(name, text)
}

// unescape replaces the usual escapes in a part of a JSON text.
var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\\`, `\`, `\/`, `/`)

// streamed adds the beginning and the end of a text that is stored in parts.
func (r *reader) streamed(name string, key rows.TextKey) {
	if r.err != nil {
		return
	}
	var size, first int64
	_, r.err = r.c.One(`SELECT coalesce(max(pos + length(text)), 0), coalesce(min(pos), 0) FROM item_part WHERE mid = ? AND seg = ? AND item = ? AND what = ?`,
		[]any{key.Mid, key.Seg, key.Item, key.What}, &size, &first)
	if r.err != nil || size == 0 {
		return
	}
	front, _, err := pages.TextRange(r.c, key, nil, first, min(size, first+outputSize))
	if err != nil {
		r.err = err
		return
	}
	text := string(front)
	if size > first+outputSize {
		back, _, err := pages.TextRange(r.c, key, nil, max(first+outputSize, size-outputSize), size)
		if err != nil {
			r.err = err
			return
		}
		text += "\n" + string(back)
	}
	if name == FieldInput {
		text = flatten([]byte(text), inputSize)
	}
	r.add(name, text)
}

// flatten returns the strings and numbers in a JSON value, one per line, up to size bytes. From truncated or invalid
// JSON, it returns what it can read.
func flatten(value []byte, size int) string {
	var b strings.Builder
	d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for b.Len() < size {
		before := d.InputOffset()
		token, err := d.ReadToken()
		if err != nil {
			// The rest is an unterminated string or not JSON.
			rest := bytes.Trim(value[min(before, int64(len(value))):], " \n\t,:\"")
			b.WriteString(unescape.Replace(string(rest[:min(len(rest), size)])))
			break
		}
		if kind := token.Kind(); kind != jsontext.KindString && kind != jsontext.KindNumber {
			continue
		}
		if s := token.String(); !encoded(s) {
			b.WriteString(s)
			b.WriteByte('\n')
		}
	}
	return head(b.String(), size)
}

// encoded reports whether a text is data, such as an image in base64.
func encoded(s string) bool {
	return len(s) > 2048 && !strings.ContainsAny(s[:1024], " \n\t")
}

package archive

import (
	"encoding/base64"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Writer writes a document. Its methods must be called in the order of the document's parts:
//
//	Head (Space Run* (Message (Segment Item*)* Opaque* EndMessage)* EndSpace)* Blob* Close
//
// After the first error it writes nothing more; Close returns that error.
type Writer struct {
	w     io.Writer
	err   error
	list  []string // the names of the open lists
	empty bool     // the innermost list is empty so far
	buf   []byte
}

// NewWriter returns a writer of a document. It makes many small writes, so w should be buffered.
func NewWriter(w io.Writer, h Head) *Writer {
	d := &Writer{w: w, buf: make([]byte, 0, base64.StdEncoding.EncodedLen(chunk)+8)}
	h.Format, h.Version = Format, Version
	d.object(h)
	d.open("spaces")
	return d
}

func (d *Writer) text(s string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, s)
	}
}

func (d *Writer) value(v any) []byte {
	b, err := json.Marshal(v, lenient, json.Deterministic(true))
	if d.err == nil {
		d.err = err
	}
	return b
}

// object writes v as an object without the closing brace.
func (d *Writer) object(v any) {
	if b := d.value(v); len(b) > 1 && d.err == nil {
		_, d.err = d.w.Write(b[:len(b)-1])
	}
}

// open begins a list as the next member of the open object.
func (d *Writer) open(name string) {
	d.text(`,"` + name + `":[`)
	d.list, d.empty = append(d.list, name), true
}

// next begins an element of the innermost list.
func (d *Writer) next() {
	if d.empty {
		d.text("\n")
	} else {
		d.text(",\n")
	}
	d.empty = false
}

func (d *Writer) in() string {
	if len(d.list) == 0 {
		return ""
	}
	return d.list[len(d.list)-1]
}

// close ends lists until the innermost is name.
func (d *Writer) close(name string) {
	for len(d.list) > 0 && d.in() != name {
		d.text("]")
		if d.in() == "items" { // end the segment too
			d.text("}")
		}
		d.list, d.empty = d.list[:len(d.list)-1], false
	}
}

// Space begins a conversation.
func (d *Writer) Space(s *Space) {
	d.next()
	d.object(s)
	d.open("runs")
}

// Run adds a run of the conversation.
func (d *Writer) Run(r *Run) {
	d.next()
	d.object(r)
	d.text("}")
}

// Message begins a message, without its segments and opaque updates.
func (d *Writer) Message(m *transcript.Message) {
	if d.in() == "runs" {
		d.close("spaces")
		d.open("messages")
	}
	d.next()
	d.object(messageHead{
		ID: m.ID, RunID: m.RunID, Role: m.Role, Author: m.Author, Model: m.Model, CreatedAt: m.CreatedAt, EndedAt: m.EndedAt,
		StopReason: m.StopReason, Usage: m.Usage, Error: m.Error,
	})
	d.open("segments")
}

// Segment adds a segment to the message. s must have no items; add those of a group with [Writer.Item].
func (d *Writer) Segment(s *transcript.Segment) {
	d.close("segments")
	d.next()
	d.object(s)
	if s.Type == transcript.SegmentToolGroup {
		d.open("items")
		return
	}
	d.text("}")
}

// Item adds an item to the group.
func (d *Writer) Item(it *transcript.Item) {
	d.next()
	d.object(it)
	d.text("}")
}

// Opaque adds an opaque update to the message.
func (d *Writer) Opaque(o *transcript.Opaque) {
	if d.in() != "opaque" {
		d.close("messages")
		d.open("opaque")
	}
	d.next()
	d.object(o)
	d.text("}")
}

// EndMessage ends the message.
func (d *Writer) EndMessage() {
	d.close("messages")
	d.text("}")
}

// EndSpace ends the conversation.
func (d *Writer) EndSpace() {
	if d.in() == "runs" {
		d.close("spaces")
		d.open("messages")
	}
	d.close("spaces")
	d.text("}")
}

// Blob adds a payload that a piece refers to. r must have ref.Size bytes.
func (d *Writer) Blob(ref transcript.Ref, r io.Reader) {
	if d.in() == "spaces" {
		d.close("")
		d.open("blobs")
	}
	d.next()
	d.object(ref)
	d.text(`,"data":[`)
	if err := Chunks(r, func(n int64, data []byte) error {
		d.buf = d.buf[:0]
		if n > 0 {
			d.buf = append(d.buf, ',')
		}
		d.buf = append(d.buf, '"')
		d.buf = base64.StdEncoding.AppendEncode(d.buf, data)
		d.buf = append(d.buf, '"')
		_, err := d.w.Write(d.buf)
		return err
	}); err != nil && d.err == nil {
		d.err = err
	}
	d.text("]}")
}

// Close ends the document.
func (d *Writer) Close() error {
	if d.in() == "spaces" {
		d.close("")
		d.open("blobs")
	}
	d.close("")
	d.text("}\n")
	return d.err
}

// Err returns the first error, if any.
func (d *Writer) Err() error { return d.err }

// Chunks calls f with the bytes of r and their offset, in chunks as long as the strings of a document's blobs. f must
// not keep data.
func Chunks(r io.Reader, f func(offset int64, data []byte) error) error {
	buf := make([]byte, chunk)
	for offset := int64(0); ; {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if err := f(offset, buf[:n]); err != nil {
				return err
			}
			offset += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// messageHead is the JSON of a message before its segments.
type messageHead struct {
	ID         string              `json:"id"`
	RunID      string              `json:"runId,omitzero"`
	Role       transcript.Role     `json:"role"`
	Author     transcript.Author   `json:"author"`
	Model      string              `json:"model,omitzero"`
	CreatedAt  int64               `json:"createdAt"`
	EndedAt    int64               `json:"endedAt,omitzero"`
	StopReason string              `json:"stopReason,omitzero"`
	Usage      jsontext.Value      `json:"usage,omitzero"`
	Error      *transcript.Failure `json:"error,omitzero"`
}

package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// MaxValue is the maximum size of a value that is read into memory, in bytes: a text, an item of a group, or one member
// at the beginning of a conversation or a message.
const MaxValue = 256 << 20

// Sink receives the parts of a document in the order of [Writer]. An error stops the reading.
type Sink interface {
	Head(h *Head) error
	Space(s *Space) error
	Run(r *Run) error
	Message(m *transcript.Message) error
	Segment(n int, s *transcript.Segment) error // without the items of a group
	Item(n int, it *transcript.Item) error
	Opaque(o *transcript.Opaque) error
	EndMessage() error
	EndSpace() error
	Blob(ref transcript.Ref, r io.Reader) error // must read r to the end, where r fails if the data doesn't match ref
}

// ReadError is the error of an invalid document.
type ReadError struct {
	Offset  int64  // approximate, in bytes
	Place   string // for example spaces[0].messages[2]
	Message string // a sentence
}

// Error implements error.
func (f *ReadError) Error() string {
	if f.Place == "" {
		return f.Message
	}
	return f.Place + ": " + f.Message
}

// Is reports whether the beginning of a file looks like a document of any version.
func Is(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	d := jsontext.NewDecoder(bytes.NewBuffer(head))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for range 4 { // "format" is one of the first members
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return false
		}
		named := name.String() == "format"
		v, err := d.ReadValue()
		if err != nil {
			return false
		}
		if named {
			return string(v) == `"`+Format+`"`
		}
	}
	return false
}

// Read reads a document into sink. The error is a *[ReadError], or one of r or sink.
func Read(r io.Reader, sink Sink) error {
	in := &bounded{r: r}
	d := &reader{dec: jsontext.NewDecoder(in, lenient), in: in, sink: sink}
	return d.document()
}

// bounded fails if a value is larger than [MaxValue].
type bounded struct {
	r    io.Reader
	used int64 // since the last value
	err  error // of r
}

var errLarge = errors.New("too large")

func (b *bounded) Read(p []byte) (int, error) {
	if b.used > MaxValue {
		return 0, errLarge
	}
	n, err := b.r.Read(p)
	b.used += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

type reader struct {
	dec  *jsontext.Decoder
	in   *bounded
	sink Sink
	at   []string // the current place, in parts
}

func (d *reader) fault(template fault.Template, values ...any) error {
	return &ReadError{Offset: d.dec.InputOffset(), Place: strings.TrimPrefix(strings.Join(d.at, ""), "."), Message: fault.Text(template, values...)}
}

// broken converts an error of the decoder.
func (d *reader) broken(err error) error {
	var bad *jsontext.SyntacticError
	switch {
	case d.in.err != nil:
		return fmt.Errorf("read the file: %w", d.in.err)
	case errors.Is(err, errLarge):
		return d.fault("This is larger than {{max}} MB.", MaxValue>>20)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return d.fault("The file ends in the middle. Export the conversation again.")
	case errors.As(err, &bad) && bad.Err != nil:
		return d.fault("Invalid JSON: {{reason}}.", strings.TrimPrefix(bad.Err.Error(), "jsontext: "))
	}
	return d.fault("Invalid JSON: {{reason}}.", strings.TrimPrefix(err.Error(), "jsontext: "))
}

func (d *reader) value() (jsontext.Value, error) {
	d.in.used = 0
	v, err := d.dec.ReadValue()
	if err != nil {
		return nil, d.broken(err)
	}
	return v, nil
}

func (d *reader) token() (jsontext.Token, error) {
	d.in.used = 0
	t, err := d.dec.ReadToken()
	if err != nil {
		return t, d.broken(err)
	}
	return t, nil
}

// decode decodes a value into v.
func (d *reader) decode(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v, lenient); err != nil {
		var bad *json.SemanticError
		if errors.As(err, &bad) && bad.JSONPointer != "" {
			return d.fault("The value at {{place}} has the wrong type.", bad.JSONPointer)
		}
		return d.fault("This has the wrong type.")
	}
	return nil
}

// object reads an object whose lists come last, in the order of lists. It calls head with an object of the members
// before the first list.
func (d *reader) object(head func(raw []byte) error, lists ...list) error {
	if k := d.dec.PeekKind(); k != '{' {
		if k == 0 { // invalid, or at the end
			_, err := d.value()
			return err
		}
		return d.fault("This must be an object.")
	}
	if _, err := d.token(); err != nil {
		return err
	}
	raw := []byte{'{'}
	begun := false
	begin := func() error {
		if begun {
			return nil
		}
		begun = true
		return head(append(raw, '}'))
	}
	for d.dec.PeekKind() != '}' {
		name, err := d.token()
		if err != nil {
			return err
		}
		member := name.String()
		n := 0
		for n < len(lists) && lists[n].name != member {
			n++
		}
		if n < len(lists) {
			if err := begin(); err != nil {
				return err
			}
			if err := d.list(lists[n]); err != nil {
				return err
			}
			lists = lists[n+1:]
			continue
		}
		v, err := d.value()
		if err != nil {
			return err
		}
		if begun {
			if known[member] {
				return d.fault("“{{name}}” must come before the lists.", member)
			}
			continue
		}
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw, _ = jsontext.AppendQuote(raw, member)
		raw = append(append(raw, ':'), v...)
	}
	if _, err := d.token(); err != nil {
		return err
	}
	return begin()
}

// known are members that must not follow a list.
var known = map[string]bool{"id": true, "format": true, "type": true, "role": true, "hash": true, "spaces": true, "runs": true, "messages": true, "segments": true, "items": true}

// list is a list in an object. each reads one element, all reads all elements.
type list struct {
	name string
	each func(n int) error
	all  func() error
}

func (d *reader) list(l list) error {
	d.at = append(d.at, "."+l.name)
	if d.dec.PeekKind() != '[' {
		if d.dec.PeekKind() == 0 {
			_, err := d.value()
			return err
		}
		return d.fault("This must be a list.")
	}
	if _, err := d.token(); err != nil {
		return err
	}
	if l.all != nil {
		if err := l.all(); err != nil {
			return err
		}
	}
	for n := 0; d.dec.PeekKind() != ']'; n++ {
		if l.each == nil {
			return d.fault("This list has unexpected entries.")
		}
		d.at = append(d.at, fmt.Sprintf("[%d]", n))
		if err := l.each(n); err != nil {
			return err
		}
		d.at = d.at[:len(d.at)-1]
	}
	_, err := d.token()
	d.at = d.at[:len(d.at)-1]
	return err
}

func (d *reader) document() error {
	spaces := 0
	err := d.object(func(raw []byte) error {
		h := &Head{}
		if err := d.decode(raw, h); err != nil {
			return err
		}
		switch {
		case h.Format != Format:
			return d.fault("The file isn't a conversation that Weft has exported.")
		case h.Version > Version:
			return d.fault("The file was exported by a newer version of Weft (format {{version}}, this Weft reads up to {{known}}). Update Weft and import it again.", h.Version, Version)
		case h.Version < 1:
			return d.fault("The file doesn't say which version of the format it has.")
		}
		return d.sink.Head(h)
	}, list{name: "spaces", each: func(int) error { spaces++; return d.space() }}, list{name: "blobs", each: func(int) error { return d.blob() }})
	if err != nil {
		return err
	}
	if spaces == 0 {
		return d.fault("No conversations found in the file.")
	}
	if _, err := d.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return d.fault("Unexpected text after the end of the document.")
	}
	return nil
}

func (d *reader) space() error {
	err := d.object(func(raw []byte) error {
		s := &Space{}
		if err := d.decode(raw, s); err != nil {
			return err
		}
		return d.sink.Space(s)
	}, list{name: "runs", each: func(int) error {
		v, err := d.value()
		if err != nil {
			return err
		}
		r := &Run{}
		if err := d.decode(v, r); err != nil {
			return err
		}
		return d.sink.Run(r)
	}}, list{name: "messages", each: func(int) error { return d.message() }})
	if err != nil {
		return err
	}
	return d.sink.EndSpace()
}

func (d *reader) message() error {
	err := d.object(func(raw []byte) error {
		m := &transcript.Message{}
		if err := d.decode(raw, m); err != nil {
			return err
		}
		if m.ID == "" {
			return d.fault("A message needs an id.")
		}
		if m.Role != transcript.RoleUser && m.Role != transcript.RoleAgent {
			return d.fault("The role “{{role}}” is unknown. Use user or agent.", short(string(m.Role)))
		}
		m.Segments, m.Opaque = nil, nil
		return d.sink.Message(m)
	}, list{name: "segments", each: d.segment}, list{name: "opaque", each: func(int) error {
		v, err := d.value()
		if err != nil {
			return err
		}
		o := &transcript.Opaque{}
		if err := d.decode(v, o); err != nil {
			return err
		}
		return d.sink.Opaque(o)
	}})
	if err != nil {
		return err
	}
	return d.sink.EndMessage()
}

func (d *reader) segment(n int) error {
	return d.object(func(raw []byte) error {
		s := &transcript.Segment{}
		if err := d.decode(raw, s); err != nil {
			return err
		}
		s.Items = nil
		switch {
		case s.Type == transcript.SegmentDisplay && s.Display == nil:
			return d.fault("A display needs its content.")
		case s.Type != transcript.SegmentText && s.Type != transcript.SegmentToolGroup && s.Type != transcript.SegmentDisplay:
			return d.fault("The segment type “{{type}}” is unknown.", short(string(s.Type)))
		}
		return d.sink.Segment(n, s)
	}, list{name: "items", each: d.item})
}

func (d *reader) item(n int) error {
	v, err := d.value()
	if err != nil {
		return err
	}
	it := &transcript.Item{}
	if err := d.decode(v, it); err != nil {
		return err
	}
	switch it.Type {
	case transcript.ItemThought:
		it.Call = nil
	case transcript.ItemToolCall:
		if it.Call == nil || it.Call.ID == "" {
			return d.fault("A tool call needs an id.")
		}
		switch it.Call.Status {
		case transcript.StatusPending, transcript.StatusRunning, transcript.StatusWaiting, transcript.StatusCompleted, transcript.StatusFailed, transcript.StatusCancelled, transcript.StatusRejected:
		default:
			return d.fault("The status “{{status}}” is unknown.", short(string(it.Call.Status)))
		}
	default:
		return d.fault("The item type “{{type}}” is unknown.", short(string(it.Type)))
	}
	return d.sink.Item(n, it)
}

// blob streams a payload to the sink. The sink runs in this goroutine, and its reads make the decoder read.
func (d *reader) blob() error {
	r := &payload{d: d, sum: sha256.New()}
	err := d.object(func(raw []byte) error {
		if err := d.decode(raw, &r.ref); err != nil {
			return err
		}
		if !validHash(r.ref.Hash) || r.ref.Size < 0 {
			return d.fault("The hash or the size of this content is invalid.")
		}
		return nil
	}, list{name: "data", all: func() error { return d.sink.Blob(r.ref, r) }})
	if err == nil && !r.ended {
		return d.fault("The data of this content is missing.")
	}
	return err
}

func validHash(hash string) bool {
	return len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == ""
}

// payload reads the strings of a blob's data.
type payload struct {
	d     *reader
	ref   transcript.Ref
	sum   hash.Hash
	left  []byte
	size  int64
	err   error
	ended bool
}

// Read implements io.Reader. At the end it fails if the size or the hash doesn't match the reference.
func (p *payload) Read(b []byte) (int, error) {
	for len(p.left) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.err = p.next()
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *payload) next() error {
	switch p.d.dec.PeekKind() {
	case ']':
		p.ended = true
		if p.size != p.ref.Size || hex.EncodeToString(p.sum.Sum(nil)) != p.ref.Hash {
			return p.d.fault("The data of this content was changed.")
		}
		return io.EOF
	case '"':
	default:
		if _, err := p.d.value(); err != nil {
			return err
		}
		return p.d.fault("The data of this content must be base64.")
	}
	v, err := p.d.value()
	if err != nil {
		return err
	}
	var text string
	if err := p.d.decode(v, &text); err != nil {
		return err
	}
	if p.left, err = base64.StdEncoding.DecodeString(text); err != nil {
		return p.d.fault("The data of this content must be base64.")
	}
	p.size += int64(len(p.left))
	p.sum.Write(p.left)
	if p.size > p.ref.Size {
		return p.d.fault("The data of this content was changed.")
	}
	return nil
}

// short truncates a value for an error message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

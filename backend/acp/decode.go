package acp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/lines"
	"weft/backend/acp/output"
	"weft/backend/acp/rpc"
	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// Decoder turns the lines of an agent into things for a [Handler]. It keeps a little
// state (interned ids, how much of a terminal's output was already seen), so use one per
// connection or recording, from one goroutine.
type Decoder struct {
	own  int // texts that came as messages of their own, without an id
	emit func(*Inbound)

	scratch   Inbound
	size      int // of the line, until the first thing of it was emitted
	sessionID string
	sessions  map[string]string // ids, to be used again
	messageID string
	outputs   output.Seen
	finder    *rpc.Finder
	piece     []byte // what is being emitted: a line, or a part of one, or what was printed over several
	shown     bool   // it was emitted before

	slow bool // never take the fast path; for tests
}

// NewDecoder makes a decoder that hands each thing to emit, in order. The Inbound is
// reused; what it points to is not.
//
// A request comes without anyone to answer: [Request.Result] fails. A response comes
// with the id and the result only.
func NewDecoder(emit func(*Inbound)) *Decoder {
	return &Decoder{emit: emit, finder: rpc.NewFinder(MaxLine)}
}

// Line decodes one line without its end. The line may be changed afterwards. Blank lines
// cause nothing, any other line at least one thing, unless it begins or continues an object
// that it doesn't end: that comes with its last line, or with one that doesn't fit it.
func (d *Decoder) Line(line []byte) {
	if !d.finder.Holds() {
		d.begin(line)
		if !d.slow && d.fast(line) {
			return
		}
	}
	d.take(d.finder.Line(line))
}

// End decodes what is behind the last line end, which may be nothing, and says that no line follows.
func (d *Decoder) End(rest []byte) {
	d.begin(rest)
	if d.finder.Holds() || d.slow || !d.fast(rest) {
		d.take(d.finder.End(rest))
	}
}

// begin begins a piece: what is emitted from now on comes from it.
func (d *Decoder) begin(piece []byte) {
	d.piece, d.shown, d.size = piece, false, len(piece)
}

func (d *Decoder) take(pieces []rpc.Piece) {
	for i := range pieces {
		p := &pieces[i]
		d.begin(p.Text)
		switch {
		case p.Oversize != nil:
			d.oversize(p.Oversize)
		case p.Noise != "":
			d.broken(p.Text, p.Noise, p.About)
		case p.Text[0] == '[':
			d.batch(p.Text)
		default:
			d.message(p.Text)
		}
		*p = rpc.Piece{} // a long line isn't held until the next one
	}
}

func (d *Decoder) batch(list []byte) {
	empty := true
	for _, v := range scan.Elements(list) {
		empty = false
		d.message(v)
	}
	if empty {
		d.broken(list, "an empty batch", nil)
	}
}

// broken emits text that is no message. About is what can be read of one that is damaged, nil if it is none.
func (d *Decoder) broken(text []byte, what string, about *rpc.Message) {
	in := d.next(KindBroken)
	in.Text, in.Err = string(text), errors.New(what)
	switch {
	case about == nil:
	case about.Method == nil:
		in.Response = &Response{ID: rpc.ID(about.ID), Err: ErrUnreadable}
	default:
		in.Method, _ = scan.Text(about.Method)
		in.Request = &Request{ID: scan.Clone(about.ID), Method: in.Method}
	}
	d.emit(in)
}

// next clears the scratch for another thing of the same line.
func (d *Decoder) next(k Kind) *Inbound {
	d.scratch = Inbound{Kind: k, Size: d.size}
	d.size = 0
	return &d.scratch
}

// message decodes one JSON-RPC message.
func (d *Decoder) message(v []byte) {
	m := rpc.Read(v)
	name, named := scan.Text(m.Method)
	switch {
	case !m.Valid():
		d.broken(v, "neither a request nor a response", nil)
	case named && name == methodUpdate:
		d.sessionUpdate(m.Params)
		if !scan.Null(m.ID) { // wants an answer all the same
			d.request(m.ID, name, nil)
		}
	case named && !scan.Null(m.ID):
		d.request(m.ID, name, m.Params)
	case named:
		in := d.next(KindNotification)
		in.Method, in.Params, in.SessionID = name, scan.Clone(m.Params), d.session(m.Params)
		d.emit(in)
	default:
		in := d.next(KindResponse)
		in.Response = &Response{ID: rpc.ID(m.ID), Result: scan.Clone(m.Result)}
		if !scan.Null(m.Error) {
			in.Response.Err = rpcError(m.Error)
		}
		d.emit(in)
	}
}

func (d *Decoder) request(id []byte, method string, params []byte) {
	in := d.next(KindRequest)
	in.Method, in.SessionID = method, d.session(params)
	in.Request = &Request{ID: scan.Clone(id), Method: method, Params: scan.Clone(params), session: in.SessionID}
	d.emit(in)
}

// session reads params.sessionId.
func (d *Decoder) session(params []byte) string {
	return d.intern(&d.sessionID, scan.Member(params, "sessionId"))
}

// intern reads a string or number that is mostly the same as last time.
func (d *Decoder) intern(last *string, v []byte) string {
	if n := len(v) - 2; n == len(*last) && n > 0 && string(v[1:n+1]) == *last && v[0] == '"' {
		return *last
	}
	s, ok := scan.Label(v)
	if ok && len(s) <= maxName && strings.IndexByte(s, '\\') < 0 {
		*last = s
	}
	return s
}

func rpcError(v []byte) *RPCError {
	e := &RPCError{}
	if s, ok := scan.Text(v); ok {
		e.Message = s
		return e
	}
	for name, value := range scan.Fields(v) {
		switch string(name) {
		case "code":
			if n, ok := scan.Integer(value); ok {
				e.Code = n
			}
		case "message":
			e.Message, _ = scan.Label(value)
		case "data":
			if !scan.Null(value) {
				e.Data = scan.Clone(value)
			}
		}
	}
	return e
}

// oversize reports a line that was too long to keep.
func (d *Decoder) oversize(o *lines.Oversize) {
	head := bytes.ToValidUTF8(o.Head, []byte("\uFFFD"))
	m := rpc.OfEnds(head, o.Tail)
	d.begin(head)
	d.size = o.Size
	in := d.next(KindOversize)
	in.Text, in.Err = string(head), fmt.Errorf("%w: %d bytes, at most %d are read", ErrOversize, o.Size, MaxLine)
	in.Method, _ = scan.Text(m.Method)
	var kind string
	for name, value := range scan.OpenFields(m.Params) {
		switch string(name) {
		case "sessionId":
			in.SessionID, _ = scan.Label(value)
		case "update":
			for name, value := range scan.OpenFields(value) {
				if string(name) == "sessionUpdate" {
					kind, _ = scan.Text(value)
				}
			}
		}
	}
	switch {
	case in.Method == methodUpdate:
		in.Update = oversizeUpdate(kind, o.Size, head)
	case in.Method != "" && !scan.Null(m.ID):
		in.Request = &Request{ID: scan.Clone(m.ID), Method: in.Method}
	case in.Method == "" && !scan.Null(m.ID):
		in.Response = &Response{ID: rpc.ID(m.ID), Err: in.Err}
	}
	d.emit(in)
}

func oversizeUpdate(kind string, size int, head []byte) transcript.Update {
	raw := fmt.Appendf(nil, `{"sessionUpdate":`)
	raw, _ = jsontext.AppendQuote(raw, kind)
	raw = fmt.Appendf(raw, `,"oversize":true,"bytes":%d,"head":`, size)
	raw, _ = jsontext.AppendQuote(raw, head)
	return transcript.Update{Kind: transcript.UpdateOpaque, UnknownKind: kind, Value: append(raw, '}')}
}

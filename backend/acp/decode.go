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
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// Decoder decodes the lines of an agent into items for a [Handler]. It keeps some state
// (interned ids, how much of a terminal's output was already seen), so use one per
// connection or recording. It is not safe for concurrent use.
type Decoder struct {
	own  int // number of generated message ids
	emit func(*Inbound)

	scratch   Inbound
	size      int // of the line, 0 after its first item was emitted
	sessionID string
	sessions  map[string]string // interned ids
	messageID string
	outputs   output.Seen
	finder    *rpc.Finder
	piece     []byte // the text being decoded: a line, a part of one, or a message printed over several
	shown     bool   // the tap has seen the piece

	slow bool // disables the fast path, for tests
}

// NewDecoder returns a decoder that passes each item to emit, in order. It reuses the Inbound,
// but not what the Inbound points to.
//
// Requests of a decoder can't be answered: [Request.Result] fails. Responses only have
// an id and a result or an error.
func NewDecoder(emit func(*Inbound)) *Decoder {
	return &Decoder{emit: emit, finder: rpc.NewFinder(MaxLine)}
}

// Line decodes one line, without its line end. It doesn't keep line. A blank line yields
// no item. A line that begins or continues an unfinished object yields none yet: the
// object is emitted with its last line, or as broken with a line that doesn't fit. Any
// other line yields at least one item.
func (d *Decoder) Line(line []byte) {
	if !d.finder.Holds() {
		d.begin(line)
		if !d.slow && d.fast(line) {
			return
		}
	}
	d.take(d.finder.Line(line))
}

// End decodes the text after the last line end, which may be empty. No line may follow.
func (d *Decoder) End(rest []byte) {
	d.begin(rest)
	if d.finder.Holds() || d.slow || !d.fast(rest) {
		d.take(d.finder.End(rest))
	}
}

// begin sets the piece that the next items come from.
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
		*p = rpc.Piece{} // don't keep a long line in memory until the next one
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

// broken emits text that isn't a message. about has the readable members of a damaged message, otherwise it is nil.
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

// next resets and returns the scratch Inbound for the next item.
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
		if !scan.Null(m.ID) { // sent as a request, so it needs an answer
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
	if method == "session/request_permission" {
		asked := DecodePermission(in.Request.Params)
		in.Permission = &asked
	}
	d.emit(in)
}

// session returns params.sessionId.
func (d *Decoder) session(params []byte) string {
	return d.intern(&d.sessionID, scan.Member(params, "sessionId"))
}

// intern reads a string or number. It returns *last without allocating if the value is unchanged, which is the common
// case.
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

// oversize emits a line that is too long.
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

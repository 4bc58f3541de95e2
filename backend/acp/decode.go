package acp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/lines"
	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// Decoder turns the lines of an agent into things for a [Handler]. It keeps a little
// state (interned ids, how much of a terminal's output was already seen), so use one per
// connection or recording, from one goroutine.
type Decoder struct {
	discrete int // texts that came as messages of their own
	emit     func(*Inbound)

	scratch   Inbound
	size      int // of the line, until the first thing of it was emitted
	sessionID string
	sessions  map[string]string // ids, to be used again
	messageID string
	outputs   outputs

	slow bool // never take the fast path; for tests
}

// NewDecoder makes a decoder that hands each thing to emit, in order. The Inbound is
// reused; what it points to is not.
//
// A request comes without anyone to answer: [Request.Result] fails. A response comes
// with the id and the result only.
func NewDecoder(emit func(*Inbound)) *Decoder { return &Decoder{emit: emit} }

// Line decodes one line without its end. The line may be changed afterwards. Blank lines
// cause nothing, any other line at least one thing.
func (d *Decoder) Line(line []byte) {
	d.size = len(line)
	if !d.slow && d.fast(line) {
		return
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if !scan.Valid(line) {
		d.salvage(line)
		return
	}
	if line[0] != '[' {
		d.message(line)
		return
	}
	empty := true
	for _, v := range scan.Elements(line) {
		empty = false
		d.message(v)
	}
	if empty {
		d.broken(line, "an empty batch")
	}
}

// salvage looks for a message behind text that was printed without a line end.
func (d *Decoder) salvage(line []byte) {
	if i := bytes.Index(line, []byte(`{"jsonrpc":`)); i > 0 && scan.Valid(line[i:]) {
		d.broken(line[:i], "text before a message")
		d.message(line[i:])
		return
	}
	what := "not a JSON message"
	if line[0] == '{' || line[0] == '[' {
		what = "incomplete or malformed JSON"
	}
	d.broken(line, what)
}

func (d *Decoder) broken(line []byte, what string) {
	in := d.next(KindBroken)
	in.Text, in.Err = string(line), errors.New(what)
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
	var id, method, params, result, fault []byte
	for name, value := range scan.Fields(v) {
		switch string(name) {
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			result = value
		case "error":
			fault = value
		}
	}
	name, named := scan.Text(method)
	switch {
	case named && name == methodUpdate:
		d.sessionUpdate(params)
		if !scan.Null(id) { // wants an answer all the same
			d.request(id, name, nil)
		}
	case named && !scan.Null(id):
		d.request(id, name, params)
	case named:
		in := d.next(KindNotification)
		in.Method, in.Params, in.SessionID = name, scan.Clone(params), d.session(params)
		d.emit(in)
	case method == nil && id != nil:
		in := d.next(KindResponse)
		in.Response = &Response{ID: string(id), Result: scan.Clone(result)}
		if !scan.Null(fault) {
			in.Response.Err = rpcError(fault)
		}
		d.emit(in)
	default:
		d.broken(v, "neither a request nor a response")
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

// idAtEnd finds the id of a message whose result comes first.
var idAtEnd = lazyregexp.New(`[}\]"0-9a-z]\s*,\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*}\s*$`)

// oversize reports a line that was too long to keep.
func (d *Decoder) oversize(o *lines.Oversize) {
	head := bytes.ToValidUTF8(o.Head, []byte("\uFFFD"))
	var id, method, params []byte
	for name, value := range scan.OpenFields(head) {
		switch string(name) {
		case "id":
			id = scan.Clone(value)
		case "method":
			method = value
		case "params":
			params = value
		}
	}
	if id == nil {
		if m := idAtEnd.FindSubmatch(o.Tail); m != nil {
			id = m[1]
		}
	}
	d.size = o.Size
	in := d.next(KindOversize)
	in.Text, in.Err = string(head), fmt.Errorf("%w: %d bytes, at most %d are read", ErrOversize, o.Size, MaxLine)
	in.Method, _ = scan.Text(method)
	var kind string
	for name, value := range scan.OpenFields(params) {
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
	case in.Method != "" && !scan.Null(id):
		in.Request = &Request{ID: scan.Clone(id), Method: in.Method}
	case in.Method == "" && !scan.Null(id):
		in.Response = &Response{ID: string(id), Err: in.Err}
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

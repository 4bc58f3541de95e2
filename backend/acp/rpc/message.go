package rpc

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
)

// Message has the raw members of a message. Absent members are nil.
type Message struct {
	ID, Method, Params, Result, Error []byte

	versioned bool // it has the member jsonrpc
	foreign   bool // it has members that JSON-RPC doesn't define
}

// Read reads a message from v, which must be valid JSON. The members of the result are slices of v.
func Read(v []byte) (m Message) {
	for name, value := range scan.Fields(v) {
		m.set(name, value)
	}
	return m
}

func (m *Message) set(name, value []byte) {
	switch string(name) {
	case "id":
		m.ID = value
	case "method":
		m.Method = value
	case "params":
		m.Params = value
	case "result":
		m.Result = value
	case "error":
		m.Error = value
	case "jsonrpc":
		m.versioned = true
	case "_meta":
	default:
		m.foreign = true
	}
}

// Valid reports whether m is a request, a notification or a response, and not a log line that happens to be JSON.
func (m *Message) Valid() bool {
	switch {
	case !m.versioned && m.foreign:
		return false
	case m.Method != nil:
		return m.Method[0] == '"'
	}
	return m.ID != nil && (m.versioned || m.Result != nil || m.Error != nil)
}

// within reports whether m is a message. If there is text before it on its line, it must also have the member jsonrpc,
// because it may be part of that text.
func (m *Message) within(text bool) bool { return m.Valid() && (m.versioned || !text) }

// ID returns an id in a normal form, so that equal ids compare equal: a program may send 3 back as 3.0.
func ID(v []byte) string {
	if s, ok := scan.Text(v); ok {
		if strings.IndexByte(s, '\\') < 0 && len(s) == len(v)-2 {
			return string(v)
		}
		quoted, _ := jsontext.AppendQuote(nil, s)
		return string(quoted)
	}
	s := string(v)
	if _, err := strconv.ParseInt(s, 10, 64); err == nil && s != "-0" {
		return s
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.FormatInt(int64(f), 10)
	}
	return s
}

// NumberOf is [ID] for numeric ids. It also accepts a number in a string, because some programs return ids that way.
func NumberOf(v []byte) string {
	id := ID(v)
	if n := len(id); n > 2 && id[0] == '"' {
		return id[1 : n-1]
	}
	return id
}

// Line encodes a request as one line, or a notification if id is empty.
func Line(id, method string, params []byte) []byte {
	line := make([]byte, 0, len(params)+len(method)+64)
	line = append(line, `{"jsonrpc":"2.0",`...)
	if id != "" {
		line = append(append(append(line, `"id":`...), id...), ',')
	}
	line = append(line, `"method":`...)
	line, _ = jsontext.AppendQuote(line, method)
	line = append(append(line, `,"params":`...), params...)
	return append(line, '}')
}

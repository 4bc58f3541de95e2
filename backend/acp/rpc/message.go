package rpc

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/scan"
)

// Message has the members of a message as they were sent. What a message doesn't have is nil.
type Message struct {
	ID, Method, Params, Result, Error []byte

	versioned bool // it names the version of JSON-RPC
	foreign   bool // it has members that no message has
}

// Read reads a message. Its members are parts of v, which must be valid JSON.
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

// Valid reports whether it is a request, a notification or a response, and not a line of a log that happens to be JSON.
func (m *Message) Valid() bool {
	switch {
	case !m.versioned && m.foreign:
		return false
	case m.Method != nil:
		return m.Method[0] == '"'
	}
	return m.ID != nil && (m.versioned || m.Result != nil || m.Error != nil)
}

// within reports whether it is a message that has other text before it. More is asked of that: it may be a part of the text.
func (m *Message) within(text bool) bool { return m.Valid() && (m.versioned || !text) }

// ID returns an id by its value, as JSON: a program may send 3 back as 3.0. Numbers are written as whole numbers where they are.
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

// NumberOf is [ID] for ids that are numbers: some programs send them back as texts.
func NumberOf(v []byte) string {
	id := ID(v)
	if n := len(id); n > 2 && id[0] == '"' {
		return id[1 : n-1]
	}
	return id
}

// Line returns a request as a line, or, without an id, a notification.
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

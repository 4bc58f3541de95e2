package acp

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// fast decodes a line that is a chunk of text and nothing else: a session/update without
// white space between its parts, in any order of members,
//
//	{"jsonrpc":…,"method":"session/update","params":{"sessionId":…,"update":
//	  {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":…},"messageId":…}}}
//
// Such lines are nearly all that a busy agent sends. Anything else, down to a repeated
// member, is left to the general decoder; a fuzz test holds the two equal.
func (d *Decoder) fast(line []byte) bool {
	if len(line) > maxPiece {
		return false // a long text is handed on in pieces
	}
	s := chunkScanner{b: line}
	if !s.message() || s.i != len(line) {
		return false
	}
	var kind transcript.UpdateKind
	switch string(s.kind) {
	case "agent_message_chunk":
		kind = transcript.UpdateText
	case "agent_thought_chunk":
		kind = transcript.UpdateThought
	case "user_message_chunk":
		kind = transcript.UpdateUser
	default:
		return false
	}
	if string(s.method) != methodUpdate || string(s.typ) != "text" || s.session == nil || s.text == nil {
		return false
	}
	body, ok := unquote(s.text)
	if !ok {
		return false
	}
	in := d.next(KindUpdate)
	in.SessionID = d.internSession(s.session)
	in.Update.Kind = kind
	in.Update.Text = body
	if s.messageID != nil {
		in.Update.MessageID = d.internRaw(&d.messageID, s.messageID)
	}
	d.emit(in)
	return true
}

func (d *Decoder) internRaw(last *string, v []byte) string {
	if string(v) == *last {
		return *last
	}
	s := string(v)
	if len(s) <= maxName {
		*last = s
	}
	return s
}

const (
	maxName  = 256 // bytes; longer ones are not kept
	maxNames = 64
)

// internSession is internRaw for one of several sessions whose lines come mixed.
func (d *Decoder) internSession(v []byte) string {
	if string(v) == d.sessionID {
		return d.sessionID
	}
	s, ok := d.sessions[string(v)]
	if !ok {
		s = string(v)
		if d.sessions == nil || len(d.sessions) == maxNames {
			d.sessions = map[string]string{}
		}
		if len(s) <= maxName {
			d.sessions[s] = s
		}
	}
	if len(s) <= maxName {
		d.sessionID = s
	}
	return s
}

// chunkScanner walks over a line. Each method reports false for what it does not expect.
// The strings are without quotes and escapes; only text has both.
type chunkScanner struct {
	b []byte
	i int

	version, method, session, kind, messageID, typ, text []byte
}

func (s *chunkScanner) message() bool {
	return s.object(func(name []byte) bool {
		switch string(name) {
		case "jsonrpc":
			return s.once(&s.version)
		case "method":
			return s.once(&s.method)
		case "params":
			return s.session == nil && s.kind == nil && s.object(s.params)
		}
		return false
	})
}

func (s *chunkScanner) params(name []byte) bool {
	switch string(name) {
	case "sessionId":
		return s.once(&s.session)
	case "update":
		return s.kind == nil && s.object(s.update)
	}
	return false
}

func (s *chunkScanner) update(name []byte) bool {
	switch string(name) {
	case "sessionUpdate":
		return s.once(&s.kind)
	case "messageId":
		return s.once(&s.messageID)
	case "content":
		return s.typ == nil && s.text == nil && s.object(s.content)
	}
	return false
}

func (s *chunkScanner) content(name []byte) bool {
	switch string(name) {
	case "type":
		return s.once(&s.typ)
	case "text":
		if s.text != nil {
			return false
		}
		at := s.i
		_, ok := s.str()
		s.text = s.b[at:s.i]
		return ok
	}
	return false
}

// object reads an object; member is called at each value.
func (s *chunkScanner) object(member func(name []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	for {
		name, ok := s.str()
		if !ok || !s.take(':') || !member(name) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *chunkScanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// once reads a string without escapes into a member that was not seen before.
func (s *chunkScanner) once(to *[]byte) bool {
	if *to != nil {
		return false
	}
	v, ok := s.str()
	if !ok || bytes.IndexByte(v, '\\') >= 0 || !clean(v) {
		return false
	}
	*to = v
	return true
}

// str finds the string at the scanner, escapes and all. It is never nil if ok.
func (s *chunkScanner) str() ([]byte, bool) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, false
	}
	end := scan.SkipString(s.b, s.i)
	if end > len(s.b) {
		return nil, false
	}
	v := s.b[s.i+1 : end-1]
	s.i = end
	return v, true
}

// unquote reads a string with its quotes, escapes and all.
func unquote(v []byte) (string, bool) {
	body := v[1 : len(v)-1]
	if !clean(body) {
		return "", false
	}
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body), true
	}
	u, err := jsontext.AppendUnquote(make([]byte, 0, len(body)), v)
	return string(u), err == nil
}

// clean reports whether v is valid UTF-8 without control characters.
func clean(v []byte) bool {
	for _, c := range v {
		if c < ' ' {
			return false
		}
	}
	return utf8.Valid(v)
}

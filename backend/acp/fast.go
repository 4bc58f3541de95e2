package acp

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// fast decodes a line that is a chunk of text and nothing else: a session/update without
// white space between tokens, with members in any order:
//
//	{"jsonrpc":…,"method":"session/update","params":{"sessionId":…,"update":
//	  {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":…},"messageId":…}}}
//
// Most lines of a busy agent are of this form. fast returns false for anything else, even a
// repeated member, and leaves it to the general decoder. A fuzz test checks that both agree.
func (d *Decoder) fast(line []byte) bool {
	if len(line) > maxPiece {
		return false // a long text must be split
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

// internSession interns a session id. Lines of several sessions may be interleaved.
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

// chunkScanner scans a line. Each method returns false for unexpected input. The fields
// have no quotes or escapes, except text, which has both.
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

// object reads an object and calls member at each value.
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

// once reads a string without escapes into *to. It returns false if *to is already set.
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

// str returns the string at the current position without its quotes, with escapes intact. It is never nil if ok.
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

// unquote decodes a JSON string.
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

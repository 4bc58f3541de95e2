package flat

import (
	"slices"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// who maps the names of roles.
var who = map[string]string{
	"user": "user", "human": "user", "person": "user",
	"assistant": "agent", "agent": "agent", "ai": "agent", "model": "agent", "bot": "agent", "gpt": "agent",
	"system": "system", "developer": "system",
	"tool": "tool", "function": "tool", "tool_result": "tool",
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// message reads one message.
func (b *builder) message(n node, place string) {
	o := n.object()
	if o == nil {
		b.fault(n, place, "A message must be an object.")
		return
	}
	// If a log entry contains the message, prefer the time of the message.
	at := o.first("createdAt", "created_at", "timestamp", "time", "date", "create_time")
	if inner := o["message"].object(); inner.has("role") {
		o = inner
		if own := o.first("createdAt", "created_at", "timestamp", "time"); own.there() {
			at = own
		}
	}
	b.size += len(n.raw)
	if b.size > MaxValue {
		return
	}
	said := o.first("role", "sender", "from", "author")
	word := said.text()
	if word == "" {
		word = said.object().text("role", "kind")
	}
	role, known := who[strings.ToLower(word)]
	if !known {
		b.fault(n, place, "The role “{{role}}” is unknown. Use user, assistant, system or tool.", label(word, 40))
		return
	}
	if role == "system" {
		b.system++
		return
	}
	m := &Message{Role: transcript.RoleUser, Stop: label(o.text("stopReason", "stop_reason"), 60)}
	var err error
	if m.At, err = timeOf(at); err != nil {
		b.fault(at, place, "{{reason}}", sentence(err))
		return
	}
	r := &reading{b: b, place: place, n: n}
	if role == "tool" {
		if all := answers(o["content"]); all != nil {
			for _, one := range all {
				r.result(one, b.last)
			}
		} else {
			r.result(o, b.last)
		}
		if r.failed {
			return
		}
		b.open = b.last
		return
	}
	if role == "agent" {
		m.Role = transcript.RoleAgent
		m.Name = label(nameOf(o.first("agent", "name", "author")), 80)
		m.Model = label(o.text("model"), 200)
	}
	r.message(m, o)
	if r.failed {
		return
	}
	b.add(m, r.results)
}

// answers returns the results in the content of a tool message, or nil if the message itself is one result.
func answers(content node) (list []object) {
	for _, one := range content.list() {
		o := one.object()
		if !isResult(o.text("type")) {
			return nil
		}
		list = append(list, o)
	}
	return list
}

// add appends a message. Text of an agent after the results of its calls belongs to the same turn.
func (b *builder) add(m *Message, results int) {
	switch {
	case len(m.Parts) == 0 && results > 0:
		b.open = b.last
		return
	case len(m.Parts) == 0:
		b.empty++
		return
	case m.Role == transcript.RoleAgent && b.open != nil && (m.Name == "" || b.open.Name == "" || m.Name == b.open.Name):
		b.open.Parts = append(b.open.Parts, m.Parts...)
		if m.Stop != "" {
			b.open.Stop = m.Stop
		}
	default:
		b.c.Messages = append(b.c.Messages, m)
		b.last = nil
		if m.Role == transcript.RoleAgent {
			b.last = m
		}
	}
	b.open = nil
	if b.last != nil && goesOn(b.last) {
		b.open = b.last
	}
}

// goesOn reports whether the turn continues after the message. Logs have an entry for each thought and call.
func goesOn(m *Message) bool {
	p := m.Parts[len(m.Parts)-1]
	return p.Thought != "" || p.Call != nil && p.Call.Status == ""
}

// reading reads one message.
type reading struct {
	b       *builder
	place   string
	n       node
	failed  bool
	results int // number of results assigned to calls
	made    []*Call
}

func (r *reading) fault(n node, place string, template fault.Template, values ...any) {
	if n.line == 0 {
		n = r.n
	}
	r.failed = true
	if place != "" {
		place = dot(r.place) + place
	} else {
		place = r.place
	}
	r.b.fault(n, place, template, values...)
}

// message reads the parts of a message. It keeps the order of pieces in a list. Otherwise thinking comes first, then
// calls, then the text; calls whose results are in separate messages come after the text.
func (r *reading) message(m *Message, o object) {
	o = withMetadata(o)
	if think := o.first("thinking", "reasoning", "reasoning_content", "thoughts"); think.there() {
		r.thinking(m, think)
	}
	behind := false // the calls come after the text
	var calls []node
	for _, name := range []string{"toolCalls", "tool_calls", "function_call"} {
		list := o[name]
		if !list.there() {
			continue
		}
		all := list.list()
		switch {
		case name == "function_call":
			all = []node{list}
		case list.kind() != '[':
			r.fault(list, name, "The tool calls must be a list.")
			return
		}
		behind = name != "toolCalls"
		for _, c := range all {
			behind = behind && !c.object().has("result", "output", "response")
		}
		calls = append(calls, all...)
	}
	body := o.first("content", "parts", "text", "message", "value")
	said := &Message{}
	r.content(said, body)
	if len(said.Parts) == 0 && !r.failed {
		r.content(said, o["text"])
	}
	asked := &Message{}
	for i, c := range calls {
		r.call(asked, c, "toolCalls", i)
	}
	told := &Message{}
	pieces := o["segments"]
	if !pieces.there() && o["content"].there() && o["content"].kind() == '"' { // content joins all texts of parts
		pieces = o["parts"]
	}
	r.segments(told, pieces, append(slices.Clone(asked.Parts), said.Parts...))
	switch {
	case len(told.Parts) > 0:
		m.Parts = r.woven(m.Parts, asked.Parts, said.Parts, told.Parts)
	case behind:
		m.Parts = append(append(m.Parts, said.Parts...), asked.Parts...)
	default:
		m.Parts = append(append(m.Parts, asked.Parts...), said.Parts...)
	}
	for _, name := range []string{"attachments", "files"} {
		for _, a := range o[name].list() {
			if name := a.object().text("file_name", "name", "filename", "path"); name != "" {
				m.Parts = append(m.Parts, Part{Block: &transcript.Content{Type: "resource_link", Name: label(name, 200), URI: "file:" + label(name, 200)}})
			}
		}
	}
}

func (r *reading) thinking(m *Message, n node) {
	if s := n.text(); s != "" {
		m.Parts = append(m.Parts, Part{Thought: s})
	}
	for _, one := range n.list() {
		s := one.text()
		if s == "" {
			s = one.object().text("thinking", "text", "summary")
		}
		if s != "" {
			m.Parts = append(m.Parts, Part{Thought: s})
		}
	}
	if o := n.object(); o != nil {
		if s := o.text("text", "content", "thinking"); s != "" {
			m.Parts = append(m.Parts, Part{Thought: s})
		}
	}
}

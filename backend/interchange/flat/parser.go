package flat

import (
	"fmt"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// parser makes conversations from the values of a file.
type parser struct {
	yield    func(*Conversation) error
	loose    *builder // of messages without an enclosing conversation
	found    bool     // a conversation or a fault was reported
	lostLine int      // the last unreadable line outside a conversation, or 0
	skipped  int      // entries that aren't messages
	lostAll  int      // losses since the last conversation
	replaced bool     // invalid UTF-8 was replaced
}

const replacedNote = "Bytes that aren't UTF-8 were replaced."

func (p *parser) give(b *builder) error {
	p.found, p.lostAll = true, 0
	b.note(p.skipped, "1 entry that isn't a message was left out.", "{{n}} entries that aren't messages were left out.")
	p.skipped = 0
	c := b.finish()
	if p.replaced {
		c.Notes = append(c.Notes, fault.Text(replacedNote))
	}
	return p.yield(c)
}

// end yields the conversation of the loose messages, if any.
func (p *parser) end() error {
	b := p.loose
	if p.loose = nil; b == nil {
		return nil
	}
	return p.give(b)
}

// lost reports a fault outside a conversation.
func (p *parser) lost(line int, template fault.Template, values ...any) error {
	p.found = true
	if err := p.yield(&Conversation{Line: line, Faults: []Fault{{Line: line, Message: fault.Text(template, values...)}}}); err != nil {
		return err
	}
	if p.lostAll++; p.lostAll == maxLost {
		return errNothing
	}
	return nil
}

// broken reports an unreadable line. If there are loose messages, it is a fault of their conversation.
func (p *parser) broken(line int, template fault.Template, values ...any) error {
	if p.loose == nil {
		p.lostLine = line
		return p.lost(line, template, values...)
	}
	p.loose.fault(node{line: line}, "", template, values...)
	return nil
}

// value reads one value of a file: a conversation, a message, or a list of either.
func (p *parser) value(n node, place string) error {
	if n.kind() == '[' {
		return p.values(n.list(), n.line, place)
	}
	o := n.object()
	if o == nil {
		return p.broken(n.line, "This is neither a conversation nor a message.")
	}
	if inner, skip := logged(n, o); skip {
		p.skipped++
		return nil
	} else if inner.line != 0 && string(inner.raw) != string(n.raw) {
		n, o = inner, inner.object()
	}
	if isMessage(o) && p.loose != nil && p.loose.c.Folder == "" {
		p.loose.c.Folder = o.text("cwd")
	}
	for _, name := range []string{"conversations", "spaces", "chats"} {
		if list := o[name]; list.there() && list.kind() == '[' {
			return p.values(list.list(), list.line, name)
		}
	}
	list := o.first("messages", "chat_messages", "history")
	said := list.list()
	if mapping := o["mapping"].object(); mapping != nil && !list.there() {
		list, said = node{raw: []byte("[]"), line: n.line}, tree(mapping, o.text("current_node"))
	}
	switch {
	case list.there() || isHeader(o):
		if err := p.end(); err != nil {
			return err
		}
		b := newBuilder(o, n.line)
		p.lostLine = 0
		if !list.there() {
			p.loose = b
			return nil
		}
		if list.kind() != '[' {
			b.fault(list, "messages", "The messages must be a list.")
		}
		for i, m := range said {
			b.message(m, fmt.Sprintf("%smessages[%d]", dot(place), i))
		}
		return p.give(b)
	case isMessage(o):
		if p.loose == nil {
			p.loose = newBuilder(object{"cwd": o["cwd"]}, n.line)
			if p.lostLine > 0 {
				p.loose.fault(node{line: p.lostLine}, "", "This line can't be read, and may be a message of this conversation.")
			}
		}
		p.loose.message(n, place)
		return nil
	}
	return p.broken(n.line, "This is neither a conversation (with messages) nor a message (with a role).")
}

// values reads a list of conversations, or of the messages of one.
func (p *parser) values(list []node, line int, place string) error {
	if len(list) > 0 {
		if o := list[0].object(); o != nil && isMessage(o) {
			b := newBuilder(nil, line)
			for i, m := range list {
				b.message(m, fmt.Sprintf("%s[%d]", place, i))
			}
			return p.give(b)
		}
	}
	for i, one := range list {
		if err := p.value(one, fmt.Sprintf("%s[%d]", place, i)); err != nil {
			return err
		}
	}
	return p.end()
}

func dot(place string) string {
	if place == "" {
		return ""
	}
	return place + "."
}

func isMessage(o object) bool {
	return !o.has("messages", "chat_messages") && (o.has("role", "sender", "from") || o["message"].object().has("role"))
}

func isHeader(o object) bool {
	return !isMessage(o) && o.has("title", "folder", "cwd", "agent", "conversationId")
}

func newBuilder(o object, line int) *builder {
	b := &builder{c: &Conversation{Line: line}, calls: map[string]*Call{}}
	c := b.c
	c.Title = label(o.text("title", "name", "space", "subject"), 80)
	c.Folder = o.text("folder", "cwd", "directory", "workingDirectory")
	c.Agent = label(nameOf(o.first("agent", "assistant")), 80)
	c.Model = label(o.text("model"), 200)
	at := o.first("createdAt", "created_at", "create_time", "time", "timestamp")
	var err error
	if c.Started, err = timeOf(at); err != nil {
		b.fault(at, "createdAt", "{{reason}}", sentence(err))
	}
	return b
}

// nameOf returns a text, or the name of an object.
func nameOf(n node) string {
	if s := n.text(); s != "" {
		return s
	}
	return n.object().text("name", "id", "title")
}

// builder builds a conversation.
type builder struct {
	c     *Conversation
	calls map[string]*Call // by their id in the file
	open  *Message         // the agent's last message, if its next one belongs to the same turn
	last  *Message         // the agent's last message
	size  int

	system, empty int
}

const maxFaults = 100

func (b *builder) fault(n node, place string, template fault.Template, values ...any) {
	if len(b.c.Faults) < maxFaults {
		b.c.Faults = append(b.c.Faults, Fault{n.line, place, fault.Text(template, values...)})
	}
	b.open, b.last = nil, nil
}

func (b *builder) note(n int, one, many fault.Template) {
	switch {
	case n == 1:
		b.c.Notes = append(b.c.Notes, fault.Text(one))
	case n > 1:
		b.c.Notes = append(b.c.Notes, fault.Text(many, n))
	}
}

// finish validates and returns the conversation.
func (b *builder) finish() *Conversation {
	c := b.c
	b.note(b.system, "1 system message was left out.", "{{n}} system messages were left out.")
	b.note(b.empty, "1 empty message was left out.", "{{n}} empty messages were left out.")
	if len(c.Messages) == 0 && len(c.Faults) == 0 {
		b.fault(node{line: c.Line}, "", "The conversation has no messages.")
	}
	if b.size > MaxValue {
		c.Messages = nil
		b.fault(node{line: c.Line}, "", "The conversation is larger than {{max}} MB.", MaxValue>>20)
	}
	for _, m := range c.Messages {
		if m.Role == transcript.RoleAgent && c.Agent == "" {
			c.Agent = m.Name
		}
		if c.Started == 0 {
			c.Started = m.At
		}
	}
	return c
}

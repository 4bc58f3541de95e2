// Package assemble puts a message together from a provider's stream, for the mappers. What comes is passed on at
// once, and kept in the order in which its parts began, whatever the wire does: calls written side by side, ids that
// are missing or used twice, arguments that are no JSON.
package assemble

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"weft/backend/llm"
)

// Answer is a message that is being written. It is used from one goroutine.
type Answer struct {
	emit  func(llm.Delta)
	taken map[string]bool // ids of calls in the conversation
	parts []*Part
	calls []*Part
	seed  int
}

// Part is one piece of the message.
type Part struct {
	// Sealed goes along with the part. A thinking without text is kept only if it has one.
	Sealed *llm.Sealed

	kind   llm.DeltaKind // Text, Thinking or CallStart
	text   strings.Builder
	id     string // of a call, the provider's
	name   string
	number int // of a call
	answer *Answer
	whole  completeness
}

// New starts a message that answers a request.
func New(req llm.Request, emit func(llm.Delta)) *Answer {
	a := &Answer{emit: emit, taken: map[string]bool{}, seed: len(req.Messages)}
	for _, m := range req.Messages {
		for _, c := range m.Calls() {
			a.taken[c.ID] = true
		}
	}
	return a
}

// Text adds to the text that is the last part, or begins one. Nothing does nothing.
func (a *Answer) Text(s string) { a.add(llm.DeltaText, s) }

// Thinking adds to the thinking that is the last part, or begins one.
func (a *Answer) Thinking(s string) { a.add(llm.DeltaThinking, s) }

func (a *Answer) add(kind llm.DeltaKind, s string) {
	if s == "" {
		return
	}
	last := a.Last()
	if last == nil || last.kind != kind {
		last = a.begin(kind)
	}
	last.Add(s)
}

// Last is the part that began last, nil if there is none.
func (a *Answer) Last() *Part {
	if len(a.parts) == 0 {
		return nil
	}
	return a.parts[len(a.parts)-1]
}

// LastThinking is the thinking that began last, nil if something else has begun since.
func (a *Answer) LastThinking() *Part {
	if last := a.Last(); last != nil && last.kind == llm.DeltaThinking {
		return last
	}
	return nil
}

// BeginText begins a text of its own; one that stays empty is left out.
func (a *Answer) BeginText() *Part { return a.begin(llm.DeltaText) }

// BeginThinking begins a thinking of its own.
func (a *Answer) BeginThinking() *Part { return a.begin(llm.DeltaThinking) }

func (a *Answer) begin(kind llm.DeltaKind) *Part {
	p := &Part{kind: kind, answer: a}
	a.parts = append(a.parts, p)
	return p
}

// Call begins a tool call. id is the provider's, "" where it gives none.
func (a *Answer) Call(id, name string) *Part {
	p := a.begin(llm.DeltaCallStart)
	p.id, p.name, p.number = id, name, len(a.calls)
	a.calls = append(a.calls, p)
	a.emit(llm.Delta{Kind: llm.DeltaCallStart, Call: p.number, ID: id, Name: name})
	return p
}

// Calls are the calls so far, in the order in which they began.
func (a *Answer) Calls() []*Part { return a.calls }

// Empty reports whether nothing has come.
func (a *Answer) Empty() bool { return len(a.parts) == 0 }

// Add adds to the part and passes it on; to a call it adds to its input.
func (p *Part) Add(s string) {
	if s == "" {
		return
	}
	p.text.WriteString(s)
	d := llm.Delta{Kind: p.kind, Text: s}
	if p.kind == llm.DeltaCallStart {
		p.whole.read(s)
		d.Kind, d.Call = llm.DeltaCallInput, p.number
	}
	p.answer.emit(d)
}

// Complete says what the part is as a whole, where the provider repeats it at its end: what was not written yet is
// added. If it contradicts what came, what came is kept.
func (p *Part) Complete(all string) {
	if rest, ok := strings.CutPrefix(all, p.text.String()); ok {
		p.Add(rest)
	}
}

// Len is how long the part's text or input is, in bytes.
func (p *Part) Len() int { return p.text.Len() }

// ID is the call's id, as the provider gave it.
func (p *Part) ID() string { return p.id }

// Whole reports whether the call's input is a complete JSON object or array.
func (p *Part) Whole() bool { return p.whole.done }

// Message is what came until now.
func (a *Answer) Message() llm.Message {
	m := llm.Message{Role: llm.RoleModel}
	ids := &names{taken: maps.Clone(a.taken), next: map[string]int{}}
	for _, p := range a.parts {
		switch {
		case p.kind == llm.DeltaCallStart:
			m.Parts = append(m.Parts, p.call(ids.of(cmp.Or(p.id, fmt.Sprintf("call_%d_%d", a.seed, p.number)))))
		case p.kind == llm.DeltaText && p.Len() > 0:
			m.Parts = append(m.Parts, llm.Text{Text: p.text.String(), Sealed: p.Sealed})
		case p.kind == llm.DeltaThinking && (p.Len() > 0 || p.Sealed != nil):
			m.Parts = append(m.Parts, llm.Thinking{Text: p.text.String(), Sealed: p.Sealed})
		}
	}
	return m
}

// names gives each call an id that no other one of the conversation has, the same each time for the same answer.
type names struct {
	taken map[string]bool
	next  map[string]int // what to try next for an id that is taken
}

func (n *names) of(wish string) string {
	id := wish
	for n.taken[id] {
		n.next[wish] = max(n.next[wish], 1) + 1
		id = fmt.Sprintf("%s_%d", wish, n.next[wish])
	}
	n.taken[id] = true
	return id
}

func (p *Part) call(id string) llm.ToolCall {
	c := llm.ToolCall{ID: id, Name: p.name, Input: json.RawMessage(`{}`), Sealed: p.Sealed}
	written := strings.TrimSpace(p.text.String())
	switch {
	case written == "":
	case isObject(written):
		c.Input = json.RawMessage(written)
	default:
		c.Raw = p.text.String()
	}
	return c
}

func isObject(s string) bool {
	b := []byte(s)
	return bytes.HasPrefix(b, []byte("{")) && json.Valid(b)
}

// completeness follows the brackets of JSON that comes in fragments.
type completeness struct {
	depth           int
	inString, after bool // after a backslash
	done            bool
}

func (c *completeness) read(s string) {
	for i := range len(s) {
		switch b := s[i]; {
		case c.after:
			c.after = false
		case c.inString:
			c.after, c.inString = b == '\\', b != '"'
		case b == '"':
			c.inString = true
		case b == '{' || b == '[':
			c.depth++
		case b == '}' || b == ']':
			c.depth--
			c.done = c.depth == 0
		}
	}
}

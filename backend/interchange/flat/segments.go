package flat

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// withMetadata returns a message with the fields that some programs keep in its metadata, which may be a JSON string:
// segments, calls and thinking.
func withMetadata(o object) object {
	kept := o["metadata"]
	if s := kept.text(); s != "" {
		inner := jsontext.Value(s)
		if !inner.IsValid(lenient) {
			return o
		}
		kept.raw = inner
	}
	more := kept.object()
	if more == nil {
		return o
	}
	all := object{}
	for _, name := range []string{"segments", "toolCalls", "tool_calls", "thinking", "reasoning"} {
		if v := more[name]; v.there() {
			all[name] = v
		}
	}
	if len(all) == 0 {
		return o
	}
	for name, v := range o {
		if v.there() || !all[name].there() {
			all[name] = v
		}
	}
	return all
}

// plain returns a word in lower case without "_", "-" and " ".
func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// groups are the names of the field with a group's calls.
var groups = []string{"tools", "toolCalls", "tool_calls", "calls", "items", "toolCallIds", "tool_call_ids"}

// thoughts are the types of thoughts.
var thoughts = []string{"thinking", "thought", "thoughts", "reasoning"}

// segments reads the pieces of a message in order: texts and groups of calls. others has the calls that the message
// lists elsewhere.
func (r *reading) segments(m *Message, list node, others []Part) {
	for i, one := range list.list() {
		r.segment(m, one, fmt.Sprintf("segments[%d]", i), others)
	}
}

func (r *reading) segment(m *Message, n node, place string, others []Part) {
	o := n.object()
	if o == nil {
		r.block(m, n, place)
		return
	}
	group, kind := o.first(groups...), plain(o.text("type", "kind"))
	aboutCalls := strings.Contains(kind, "tool") || strings.Contains(kind, "call")
	if aboutCalls && !group.there() {
		group = o.first("content", "children", "parts")
	}
	switch {
	case group.kind() == '[':
		for i, one := range group.list() {
			r.grouped(m, one, fmt.Sprintf("%s.tools[%d]", place, i), others)
		}
	case kind == "text" || kind == "content" || kind == "markdown":
		r.content(m, o.first("text", "content", "markdown", "value"))
	case aboutCalls, kind == "display", slices.Contains(thoughts, kind), o.has("toolCallId", "toolName", "tool_name", "call", "toolCall"):
		r.grouped(m, n, place, others)
	default:
		r.block(m, n, place)
	}
}

// grouped reads one item of a group: a call, the id of a call, or a thought.
func (r *reading) grouped(m *Message, n node, place string, others []Part) {
	o := n.object()
	id := n.text()
	for _, name := range []string{"call", "toolCall", "tool_call", "toolInvocation", "tool"} {
		if inner := o[name]; inner.object() != nil {
			n, o = inner, inner.object()
			break
		}
	}
	if o != nil {
		id = o.text(callIDs...)
	}
	switch kind := plain(o.text("type")); {
	case slices.Contains(thoughts, kind):
		r.thinking(m, o.first("thinking", "thought", "text", "reasoning", "summary", "content"))
		return
	case kind == "display" && !o.has("name", "toolName", "tool_name"): // content that is neither text nor a call
		if inner := o["display"]; inner.object() != nil {
			n = inner
		}
		r.block(m, n, place)
		return
	}
	if o.has("name", "toolName", "tool", "tool_name", "function", "title") {
		r.call(m, n, place, -1)
		return
	}
	if i := slices.IndexFunc(others, func(p Part) bool { return p.Call != nil && id != "" && p.Call.ID == id }); i >= 0 {
		m.Parts = append(m.Parts, Part{Call: others[i].Call})
		return
	}
	if o != nil && id == "" {
		r.block(m, n, place)
		return
	}
	r.fault(n, place, "A tool call needs a name.")
}

// woven merges the parts from a message's segments (told) with its other fields: thinking, calls (asked) and content
// (said). Duplicates appear once, at their position in the segments.
func (r *reading) woven(thinking, asked, said, told []Part) []Part {
	for _, p := range told {
		if p.Call == nil || p.Call.ID == "" {
			continue
		}
		same := func(q Part) bool { return q.Call != nil && q.Call.ID == p.Call.ID }
		for _, list := range []*[]Part{&asked, &said} {
			i := slices.IndexFunc(*list, same)
			if i < 0 {
				continue
			}
			if other := (*list)[i].Call; other != p.Call {
				p.Call.fill(other)
			}
			*list = slices.Delete(slices.Clone(*list), i, i+1)
			break
		}
	}
	saidThere, thoughtThere := squeezed(told, func(p Part) string { return p.Text }), squeezed(told, func(p Part) string { return p.Thought })
	again := func(p Part) bool {
		return p.Text != "" && strings.Contains(saidThere, squeeze(p.Text)) || p.Thought != "" && strings.Contains(thoughtThere, squeeze(p.Thought))
	}
	thinking, said = slices.DeleteFunc(slices.Clone(thinking), again), slices.DeleteFunc(slices.Clone(said), again)
	return slices.Concat(thinking, asked, told, said)
}

// squeezed returns the joined texts of parts without whitespace.
func squeezed(parts []Part, of func(Part) string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(squeeze(of(p)))
	}
	return b.String()
}

func squeeze(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, s)
}

// fill sets missing fields from another entry of the same call.
func (c *Call) fill(o *Call) {
	if c.Name == "" {
		c.Name = o.Name
	}
	if c.Kind == "" {
		c.Kind = o.Kind
	}
	if len(c.Input) == 0 {
		c.Input = o.Input
		c.Title = o.Title
	}
	if len(c.Output) == 0 && len(c.Content) == 0 {
		c.Output, c.Content = o.Output, o.Content
	}
	if c.Status == "" {
		c.Status = o.Status
	}
	if c.Summary == "" {
		c.Summary = o.Summary
	}
	if c.Error == "" {
		c.Error = o.Error
	}
	if c.Duration == nil {
		c.Duration = o.Duration
	}
	if c.Count == nil {
		c.Count = o.Count
	}
}

package flat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// writer generates conversations in one of the formats of other programs. said has the expected texts, in order.
type writer struct {
	*rand.Rand
	n    int
	said []string
}

func (w *writer) word() string {
	w.n++
	s := fmt.Sprintf("w%d%s", w.n, []string{"", "\u0000", "\n\n", "日本", "\u2028", "\"\\", "</script>", strings.Repeat("x", 9000)}[w.IntN(8)])
	s += fmt.Sprintf("·%d", w.n)
	w.said = append(w.said, fmt.Sprintf("·%d", w.n))
	return s
}

func (w *writer) of(list ...any) any { return list[w.IntN(len(list))] }

func (w *writer) time(m map[string]any) {
	switch w.IntN(4) {
	case 0:
		m[w.of("time", "timestamp", "created_at", "createdAt").(string)] = w.of(1772359200, 1772359200000, 1772359200.5, "2026-03-01T10:00:00Z", "2026-03-01 10:00:00")
	case 1:
		m["unknown"] = map[string]any{"role": "x", "deep": []any{1, nil, "messages"}}
	}
}

// turn generates a turn: text, calls, text.
func (w *writer) turn(style int) (list []any) {
	ids := make([]string, w.IntN(3))
	for i := range ids {
		w.n++
		ids[i] = w.of(fmt.Sprint("c", w.n), "same", strings.Repeat("i", 600)).(string)
	}
	if style != 0 {
		seen := map[string]bool{}
		for i := range ids { // results are matched by id
			if seen[ids[i]] {
				ids[i] = fmt.Sprint("d", w.n, i)
			}
			seen[ids[i]] = true
		}
	}
	m := map[string]any{"role": w.of("assistant", "agent", "model", "AI")}
	w.time(m)
	switch style {
	case 0: // flat
		m["thinking"] = w.word()
		var calls []any
		for _, id := range ids {
			calls = append(calls, map[string]any{"id": id, "name": "t", "input": map[string]any{"a": 1}, "result": w.word(), "status": "ok", "kind": w.of("read", "odd", "display")})
		}
		if calls != nil {
			m["toolCalls"] = calls
		}
		m["content"] = w.word()
		return []any{m}
	case 1: // OpenAI
		m["content"] = w.word()
		var calls, results []any
		for _, id := range ids {
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "t", "arguments": w.of(`{"a":1}`, "{not json", "").(string)}})
			results = append(results, map[string]any{"role": "tool", "tool_call_id": id, "content": w.word()})
		}
		m["tool_calls"] = calls
		list = append(append(list, m), results...)
	case 2: // segments
		return []any{w.segments(m, ids)}
	default: // Anthropic
		blocks := []any{map[string]any{"type": "thinking", "thinking": w.word(), "signature": "s"}, map[string]any{"type": "text", "text": w.word()}}
		var results []any
		for _, id := range ids {
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": id, "name": "t", "input": map[string]any{}})
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": id, "content": w.of(w.word(), nil)})
			if results[len(results)-1].(map[string]any)["content"] == nil {
				w.said = w.said[:len(w.said)-1]
			}
		}
		m["content"] = blocks
		list = append(list, m)
		if results != nil {
			list = append(list, map[string]any{"role": "user", "content": results})
		}
	}
	return append(list, map[string]any{"role": "assistant", "content": w.word()})
}

// segments generates a message with segments, and with duplicates of some of them in other fields.
func (w *writer) segments(m map[string]any, ids []string) any {
	var list, calls, group []any
	all, thought := "", ""
	flush := func() {
		if group != nil {
			list = append(list, map[string]any{"type": w.of("tool-group", "tool_group", "toolGroup", "tools"), w.of("tools", "toolCalls", "calls", "items").(string): group})
			group = nil
		}
	}
	text := func() {
		flush()
		s := w.word()
		all += s
		list = append(list, w.of(map[string]any{"type": "text", "content": s}, map[string]any{"type": "text", "text": s}, s))
	}
	for _, id := range ids {
		if w.IntN(2) == 0 {
			text()
		}
		if w.IntN(3) == 0 {
			s := w.word()
			thought += s
			group = append(group, map[string]any{"type": w.of("thought", "thinking", "reasoning"), w.of("text", "content").(string): s})
		}
		one := map[string]any{w.of("id", "toolCallId", "tool_call_id").(string): id, w.of("name", "toolName").(string): "t", w.of("input", "args").(string): map[string]any{"a": 1}, "status": w.of("completed", "success", "done"), w.of("result", "output").(string): w.word()}
		switch w.IntN(4) {
		case 0: // in full elsewhere
			calls = append(calls, one)
			group = append(group, w.of(id, map[string]any{"id": id}, map[string]any{"id": id, "name": "t", "status": "completed"}))
		case 1:
			group = append(group, map[string]any{"type": "tool", "call": one})
		case 2:
			calls = append(calls, one)
			group = append(group, one)
		default:
			group = append(group, one)
		}
		if w.IntN(2) == 0 {
			flush()
		}
	}
	text()
	if w.IntN(2) == 0 {
		m["content"] = all
	}
	in := m
	if w.IntN(2) == 0 {
		in = map[string]any{"other": 1}
	}
	in["segments"] = list
	if calls != nil {
		in["toolCalls"] = calls
	}
	if w.IntN(2) == 0 && thought != "" {
		in["thinking"] = thought
	}
	if in["other"] != nil {
		m["metadata"] = in
		if w.IntN(2) == 0 {
			raw, _ := json.Marshal(in, lenient)
			m["metadata"] = string(raw)
		}
	}
	return m
}

func (w *writer) file() (text []byte, lines bool) {
	style := w.IntN(4)
	var messages []any
	for range 1 + w.IntN(4) {
		if w.IntN(5) == 0 {
			messages = append(messages, map[string]any{"role": "system", "content": "left out"})
		}
		messages = append(messages, map[string]any{"role": w.of("user", "human"), "content": w.word()})
		messages = append(messages, w.turn(style)...)
	}
	opt := []json.Options{lenient, json.Deterministic(true)}
	if w.IntN(2) == 0 {
		opt = append(opt, jsontext.WithIndent("  "))
	}
	head := map[string]any{"title": "T", "agent": w.of("a", map[string]any{"name": "b"})}
	switch w.IntN(4) {
	case 0:
		head["messages"] = messages
		text, _ = json.Marshal(head, opt...)
	case 1:
		text, _ = json.Marshal(messages, opt...)
	case 2:
		head["messages"] = messages
		text, _ = json.Marshal(map[string]any{"conversations": []any{head}}, opt...)
	default:
		one, _ := json.Marshal(head, lenient)
		text, lines = one, w.IntN(2) == 0
		for _, m := range messages {
			one, _ = json.Marshal(m, lenient, json.Deterministic(true))
			text = append(append(text, w.of("\n", "\r\n", "\n\n").(string)...), one...)
		}
	}
	return text, lines
}

// TestRandomFilesKeepEveryMessage reads random files in the formats of other programs, and then damaged ones: those may
// be rejected, but otherwise it must be possible to fold them.
func TestRandomFilesKeepEveryMessage(t *testing.T) {
	for seed := range uint64(raced.Of(400)) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 14))}
		text, lines := w.file()
		list := readAll(t, string(text), lines)
		if len(list) != 1 || len(list[0].Faults) > 0 {
			t.Fatalf("seed %d: %d conversations, %v\n%.2000s", seed, len(list), list[0].Faults, text)
		}
		whole := texts(list[0])
		at := 0
		for _, s := range w.said {
			i := strings.Index(whole[at:], s)
			if i < 0 {
				t.Fatalf("seed %d: %s is not there, or at another place\n%.3000q\n%.3000s", seed, s, whole, text)
			}
			at += i
		}
		for _, s := range w.said {
			if n := strings.Count(whole, s+" ") + strings.Count(whole, s+"w"); n != 1 {
				t.Fatalf("seed %d: %s is there %d times\n%.3000q\n%.3000s", seed, s, n, whole, text)
			}
		}
		drawn(t, list[0])
		for range 20 {
			bad := append([]byte(nil), text...)
			switch w.IntN(4) {
			case 0:
				bad = bad[:w.IntN(len(bad))]
			case 1:
				bad[w.IntN(len(bad))] = byte(w.IntN(256))
			case 2:
				at := w.IntN(len(bad))
				bad = append(append(append([]byte(nil), bad[:at]...), w.of("\x00", "null", "\xff\xfe", "}", "[[[[", `"role":`, "\n").(string)...), bad[at:]...)
			case 3:
				from := w.IntN(len(bad))
				to := from + w.IntN(len(bad)-from)
				bad = append(append([]byte(nil), bad[:from]...), bad[to:]...)
			}
			for _, c := range readAll(t, string(bad), lines) {
				if len(c.Faults) > 0 {
					continue
				}
				if len(c.Messages) == 0 {
					t.Fatalf("seed %d: neither messages nor a fault\n%q", seed, bad)
				}
				drawn(t, c)
				c.Key()
			}
		}
	}
}

// texts joins all texts in the order in which they are drawn, with the results of calls after the texts of their
// message.
func texts(c *Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			b.WriteString(p.Thought + p.Text + " ")
			if p.Call != nil {
				for _, one := range p.Call.Content {
					b.WriteString(one.Text + " ")
				}
			}
		}
	}
	return b.String()
}

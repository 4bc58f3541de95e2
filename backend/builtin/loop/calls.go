package loop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"sync"

	"weft/backend/llm"
)

// clean prepares a model's message for the conversation: it makes call ids unique and inputs JSON objects, and drops
// blank parts.
func (t *run) clean(m llm.Message) llm.Message {
	out := llm.Message{Role: llm.RoleModel}
	for _, p := range m.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			if !blank(p) {
				out.Parts = append(out.Parts, p)
			}
			continue
		}
		id := cmp.Or(c.ID, "call")
		for c.ID == "" || t.ids[c.ID] {
			t.again[id]++
			c.ID = fmt.Sprintf("%s-%d", id, t.again[id]+1)
		}
		t.ids[c.ID] = true
		if len(bytes.TrimSpace(c.Input)) == 0 {
			c.Input = json.RawMessage(`{}`)
		}
		out.Parts = append(out.Parts, c)
	}
	return out
}

// blank reports whether a part is empty. Whitespace counts as text, and sealed parts must be sent back.
func blank(p llm.Part) bool {
	switch p := p.(type) {
	case llm.Text:
		return p.Text == "" && p.Sealed == nil
	case llm.Thinking:
		return p.Text == "" && p.Sealed == nil
	}
	return false
}

// do makes the calls of a message and returns their results in call order. Neighboring calls run concurrently unless
// Host.Alone forbids it. No further call begins after the run was canceled.
func (t *run) do(calls []llm.ToolCall) []llm.Part {
	results := make([]llm.Part, len(calls))
	for from := 0; from < len(calls); {
		to := from + 1
		for !t.Host.Alone(calls[from]) && to < len(calls) && !t.Host.Alone(calls[to]) {
			to++
		}
		if t.ctx.Err() != nil {
			for ; from < len(calls); from++ {
				const why = "Not done: the user stopped here."
				t.Host.Skip(from, calls[from], why)
				results[from] = failed(calls[from], why)
			}
			break
		}
		t.beside(calls, from, to, results)
		from = to
	}
	return results
}

// atOnce is the maximum number of concurrent calls.
const atOnce = 8

func (t *run) beside(calls []llm.ToolCall, from, to int, results []llm.Part) {
	if to == from+1 {
		results[from] = t.Host.Do(t.ctx, from, calls[from])
		return
	}
	free := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := from; i < to; i++ {
		free <- struct{}{}
		all.Go(func() {
			results[i] = t.Host.Do(t.ctx, i, calls[i])
			<-free
		})
	}
	all.Wait()
}

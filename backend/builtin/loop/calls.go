package loop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"sync"

	"weft/backend/llm"
)

// clean makes a model's message fit for the conversation: ids of calls are unique in all of it, inputs are
// JSON objects.
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

// blank reports whether a part says nothing at all. Space is something said; a seal has to go back.
func blank(p llm.Part) bool {
	switch p := p.(type) {
	case llm.Text:
		return p.Text == "" && p.Sealed == nil
	case llm.Thinking:
		return p.Text == "" && p.Sealed == nil
	}
	return false
}

// do does the calls of a message and returns their results in call order. Neighbors that may run beside each
// other do; the others wait for what is before them. Once the run is cancelled no further call begins.
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

// atOnce is how many calls run at the same time.
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

package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"weft/backend/llm"
)

var (
	// errPending is returned by a tool call that has no result yet. It ends the message.
	errPending = errors.New("the tool hasn't returned yet")
	// errDeclined is returned by a tool call that the user rejected.
	errDeclined = errors.New("you rejected the call")
)

// turn is one answer in progress: the results that the conversation has so far, and what is new since the last of them.
type turn struct {
	offered map[string]bool
	results []result
	at      int      // results before this index have been used
	said    bool     // this answer already has text, maybe in earlier messages
	fresh   []string // paragraphs and lines since the last used result
	pending *llm.ToolCall
}

// result is a call of the conversation and what it returned.
type result struct {
	call llm.ToolCall
	llm.ToolResult
}

func newTurn(req llm.Request, start int) *turn {
	t := &turn{offered: map[string]bool{}}
	for _, tool := range req.Tools {
		t.offered[tool.Name] = true
	}
	for at := start + 1; at+1 < len(req.Messages); at += 2 {
		returned := map[string]llm.ToolResult{}
		for _, p := range req.Messages[at+1].Parts {
			if r, ok := p.(llm.ToolResult); ok {
				returned[r.CallID] = r
			}
		}
		for _, c := range req.Messages[at].Calls() {
			if r, ok := returned[c.ID]; ok {
				t.results = append(t.results, result{c, r})
			}
		}
	}
	return t
}

// para adds a paragraph of Markdown. A blank line separates paragraphs, even across tool calls.
func (t *turn) para(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.said {
		text = "\n\n" + text
	}
	t.said = true
	t.fresh = append(t.fresh, text)
}

// list adds a list.
func (t *turn) list(items []string) {
	t.para("- %s", strings.Join(items, "\n- "))
}

// use calls a tool and decodes its result. The error is errPending, errDeclined, or the reason why the call failed. It
// skips calls in the conversation that the guide wouldn't make, such as those of an older version.
func use[T any](t *turn, tool string, input any) (T, error) {
	var out T
	raw, err := encode(input)
	if err != nil {
		return out, err
	}
	for i := t.at; i < len(t.results); i++ {
		r := t.results[i]
		if r.call.Name != tool || !sameJSON(r.call.Input, raw) {
			continue
		}
		t.at, t.fresh = i+1, nil
		if r.Failed {
			return out, failure(r.ToolResult)
		}
		if err := json.Unmarshal(r.Data, &out); err != nil {
			return out, fmt.Errorf("the result of the tool %s is invalid", tool)
		}
		return out, nil
	}
	if !t.offered[tool] {
		return out, fmt.Errorf("the tool %s isn't available", tool)
	}
	t.pending = &llm.ToolCall{Name: tool, Input: raw}
	return out, errPending
}

func failure(r llm.ToolResult) error {
	var data struct {
		Rejected bool `json:"rejected"`
	}
	if json.Unmarshal(r.Data, &data) == nil && data.Rejected {
		return errDeclined
	}
	text := strings.Join(strings.Fields(llm.Message{Parts: r.Parts}.Text()), " ")
	if text == "" {
		text = "the tool failed without a message"
	}
	return errors.New(text)
}

// message emits what is new and returns it as a response.
func (t *turn) message(ctx context.Context, emit func(llm.Delta), id string) (llm.Response, error) {
	res := llm.Response{Message: llm.Message{Role: llm.RoleModel}, Stop: llm.StopEnd, Model: Name}
	if t.pending == nil && len(t.fresh) == 0 {
		t.fresh = []string{"I have nothing to add."}
	}
	var said strings.Builder
	for _, text := range t.fresh {
		if ctx.Err() != nil {
			break
		}
		said.WriteString(text)
		emit(llm.Delta{Kind: llm.DeltaText, Text: text})
	}
	if said.Len() > 0 {
		res.Message.Parts = append(res.Message.Parts, llm.Text{Text: said.String()})
	}
	if c := t.pending; c != nil && ctx.Err() == nil {
		c.ID = id
		emit(llm.Delta{Kind: llm.DeltaCallStart, ID: c.ID, Name: c.Name})
		emit(llm.Delta{Kind: llm.DeltaCallInput, Text: string(c.Input)})
		res.Message.Parts = append(res.Message.Parts, *c)
		res.Stop = llm.StopTools
	}
	return res, ctx.Err()
}

// freeID returns a call id that the conversation does not contain.
func freeID(messages []llm.Message) string {
	taken := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			taken[c.ID] = true
		}
	}
	for n := len(taken) + 1; ; n++ {
		if id := fmt.Sprintf("guide-%d", n); !taken[id] {
			return id
		}
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// encode encodes an input the way models do, without escapes for HTML.
func encode(input any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(input)
	return bytes.TrimSpace(b.Bytes()), err
}

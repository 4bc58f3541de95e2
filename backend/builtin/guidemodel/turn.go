package guidemodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"weft/backend/builtin/guide"
	"weft/backend/llm"
)

// doesNotFit is said when the conversation holds calls that the guide would not have made.
const doesNotFit = "The tool calls so far are not the ones that I would make, so I go on from what I know myself."

// turn answers the guide from the conversation. It collects what is said since the last call that has a result; all
// before that was said in earlier messages.
type turn struct {
	ctx     context.Context
	stop    context.CancelFunc
	offered map[string]bool
	past    []done // the calls of this run that have results, in order, without the plans
	at      int    // those before it are used up
	plans   []json.RawMessage
	fresh   []item
	wanted  *item // the call without a result; nothing is said any more
}

// done is a call with its result.
type done struct {
	llm.ToolCall
	result llm.ToolResult
	plans  int // plans before it
}

// item is a piece of a message.
type item struct {
	kind  itemKind
	text  string // what is said or thought, or the tool's name
	input json.RawMessage
}

type itemKind uint8

const (
	said itemKind = iota
	thought
	planned
	called
)

const todoTool = "todo"

var _ guide.Turn = (*turn)(nil)

func newTurn(ctx context.Context, req llm.Request, start int) *turn {
	t := &turn{offered: map[string]bool{}}
	t.ctx, t.stop = context.WithCancel(ctx)
	for _, tool := range req.Tools {
		t.offered[tool.Name] = true
	}
	for at := start + 1; at+1 < len(req.Messages); at += 2 {
		results := map[string]llm.ToolResult{}
		for _, p := range req.Messages[at+1].Parts {
			if r, ok := p.(llm.ToolResult); ok {
				results[r.CallID] = r
			}
		}
		for _, c := range req.Messages[at].Calls() {
			r, answered := results[c.ID]
			switch {
			case !answered:
			case c.Name == todoTool:
				t.plans = append(t.plans, c.Input)
			default:
				t.past = append(t.past, done{c, r, len(t.plans)})
			}
		}
	}
	return t
}

// Say implements guide.Turn.
func (t *turn) Say(markdown string) { t.add(item{kind: said, text: markdown}) }

// Think implements guide.Turn.
func (t *turn) Think(text string) { t.add(item{kind: thought, text: text}) }

// Plan implements guide.Turn. A message shows one plan at most, the last: a plan replaces the one before, and the
// tools of a message may run side by side.
func (t *turn) Plan(steps []guide.Step) {
	if t.wanted != nil || !t.offered[todoTool] {
		return
	}
	for i := range t.fresh {
		if t.fresh[i].kind == planned {
			t.fresh = append(t.fresh[:i:i], t.fresh[i+1:]...)
			break
		}
	}
	t.add(item{kind: planned, text: todoTool, input: todos(steps)})
}

func (t *turn) add(it item) {
	if t.wanted == nil && (it.text != "" || it.kind == planned) {
		t.fresh = append(t.fresh, it)
	}
}

// call answers a tool call from the conversation, or ends the message with it. Calls of the conversation that the
// guide would not make are passed over.
func (t *turn) call(tool string, input any) (json.RawMessage, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := encode(input)
	if err != nil {
		return nil, err
	}
	for i := t.at; i < len(t.past); i++ {
		if d := t.past[i]; d.Name == tool && sameJSON(d.Input, raw) {
			t.at = i + 1
			t.fresh = nil
			return outcome(d.result)
		}
	}
	if !t.offered[tool] {
		return nil, fmt.Errorf("the tool %q is not offered here", tool)
	}
	t.wanted = &item{kind: called, text: tool, input: raw}
	t.stop()
	return nil, context.Canceled
}

// outcome is what a result tells the guide.
func outcome(r llm.ToolResult) (json.RawMessage, error) {
	if !r.Failed {
		return r.Data, nil
	}
	var mark struct {
		Rejected bool `json:"rejected"`
	}
	if json.Unmarshal(r.Data, &mark) == nil && mark.Rejected {
		return nil, guide.ErrDeclined
	}
	text := strings.Join(strings.Fields(llm.Message{Parts: r.Parts}.Text()), " ")
	if text == "" {
		text = "the tool failed and did not say why"
	}
	return nil, errors.New(text)
}

// sameJSON reports whether two inputs say the same.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// encode writes an input as a model would, without escapes for HTML.
func encode(input any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(input)
	return bytes.TrimSpace(b.Bytes()), err
}

func todos(steps []guide.Step) json.RawMessage {
	type todo struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	list := make([]todo, len(steps))
	for i, s := range steps {
		list[i] = todo{s.Text, "pending"}
		switch s.Status {
		case guide.Working:
			list[i].Status = "in_progress"
		case guide.Done:
			list[i].Status = "completed"
		case guide.Waiting:
		}
	}
	raw, _ := encode(map[string]any{"todos": list}) // strings only
	return raw
}

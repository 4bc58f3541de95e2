package builtin

import (
	"encoding/json"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/partialjson"
)

// A call as the protocol shows it: pending while the model writes its input, then waiting for the user or running,
// then completed or failed.
type toolCall struct {
	id     acp.ToolCallId
	name   string
	tool   *tool.Tool // nil if there is none of that name
	input  partialjson.Reader
	fields map[string]json.RawMessage // of the input, that are complete
	look   tool.Look
	status acp.ToolCallStatus
	resent int  // bytes of the input that were sent again, over all
	unseen bool // it is not shown as a call; see tool.Tool.Unseen
	shown  bool // there is something to see: a diff, a terminal, output
	again  bool // it had failed, and the user wants it once more
}

func (c *toolCall) open() bool {
	return c != nil && c.status != acp.ToolCallStatusCompleted && c.status != acp.ToolCallStatusFailed
}

// Delta implements loop.Host: every piece goes out when it comes.
func (t *turn) Delta(d llm.Delta) {
	switch d.Kind {
	case llm.DeltaText:
		if d.Text != "" {
			t.emitRaw(chunk("agent_message_chunk", d.Text))
		}
	case llm.DeltaThinking:
		if d.Text != "" {
			t.emitRaw(chunk("agent_thought_chunk", d.Text))
		}
	case llm.DeltaCallStart:
		t.announce(d.Call, d.Name)
	case llm.DeltaCallInput:
		t.grow(t.numbered(d.Call), d.Text)
	}
}

// announce shows a call whose input the model begins to write.
func (t *turn) announce(n int, name string) *toolCall {
	c := &toolCall{name: name, tool: t.tools[name], status: acp.ToolCallStatusPending}
	c.unseen = c.tool != nil && c.tool.Unseen
	t.mu.Lock()
	for len(t.calls) <= n {
		t.calls = append(t.calls, nil)
	}
	t.calls[n] = c
	t.mu.Unlock()
	if !c.unseen {
		t.show(c)
	}
	return c
}

func (t *turn) show(c *toolCall) {
	c.unseen = false
	t.mu.Lock()
	t.count++
	// Ids are unique in the session, also over a restart, as turns are counted from its log.
	c.id = acp.ToolCallId(fmt.Sprintf("call-%d-%d", t.number, t.count))
	t.mu.Unlock()
	kind := acp.ToolKindOther
	c.look = tool.Look{Title: c.name}
	if c.tool != nil {
		kind = c.tool.Kind
		c.look = c.tool.Look(t.env, nil)
	}
	t.emit(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: c.id, Title: c.look.Title, Kind: kind, Status: acp.ToolCallStatusPending, Locations: c.look.Locations,
		Meta: weftMeta(map[string]any{"toolName": c.name}),
	}})
}

// change sends an update of a call that is shown.
func (t *turn) change(c *toolCall, update acp.SessionToolCallUpdate) {
	if !c.unseen {
		update.ToolCallId = c.id
		t.emit(acp.SessionUpdate{ToolCallUpdate: &update})
	}
}

// numbered is the n-th call of the message that is coming in, nil if it was not announced.
func (t *turn) numbered(n int) *toolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < 0 || n >= len(t.calls) {
		return nil
	}
	return t.calls[n]
}

// An input of very many fields is not sent as a whole with each of them: at most so many times what was written, and
// some bytes.
const (
	resend    = 8
	minResend = 64 << 10
)

// grow passes on a fragment of an input, and what can be told from the fields that it completes.
func (t *turn) grow(c *toolCall, fragment string) {
	if c == nil || fragment == "" || c.unseen {
		return
	}
	changes, _ := c.input.Write(fragment) // where it is broken, what follows is still passed on
	completed := false
	for _, ch := range changes {
		if ch.Kind == partialjson.Complete {
			if c.fields == nil {
				c.fields = map[string]json.RawMessage{}
			}
			c.fields[ch.Field], completed = ch.Raw, true
		}
	}
	if !completed {
		t.emitRaw(inputDelta(c.id, fragment))
		return
	}
	update := acp.SessionToolCallUpdate{Meta: map[string]any{"weft/inputDelta": fragment}}
	if object := c.input.Object(); c.resent+len(object) <= resend*c.input.Len()+minResend {
		c.resent += len(object)
		update.RawInput = object
	}
	if c.tool != nil {
		t.relook(c, c.tool.Look(t.env, c.fields), &update)
	}
	t.change(c, update)
}

// relook puts what has changed of a call's look into an update.
func (t *turn) relook(c *toolCall, look tool.Look, update *acp.SessionToolCallUpdate) {
	if look.Title != "" && look.Title != c.look.Title {
		update.Title = acp.Ptr(look.Title)
		c.look.Title = look.Title
	}
	if len(look.Locations) > 0 && !sameLocations(look.Locations, c.look.Locations) {
		update.Locations = look.Locations
		c.look.Locations = look.Locations
	}
}

func sameLocations(a, b []acp.ToolCallLocation) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// Asked implements loop.Host: the usage, and calls that came without deltas.
func (t *turn) Asked(r llm.Response) {
	for i, c := range r.Message.Calls() {
		if t.numbered(i) == nil {
			t.announce(i, c.Name)
			t.grow(t.numbered(i), string(c.Input))
		}
	}
	t.tellUsage(r)
}

func (t *turn) tellUsage(r llm.Response) {
	u := r.Usage
	if u.Input+u.Output == 0 {
		return
	}
	usd, known := llm.Cost(t.agent.set.provider.ID, t.opt.Model, u)
	s := t.session
	s.mu.Lock()
	s.cost += usd
	total := s.cost
	s.mu.Unlock()
	update := &acp.SessionUsageUpdate{Used: int(u.Input + u.Output), Size: int(t.runner.Context)}
	if known || total > 0 {
		update.Cost = &acp.Cost{Amount: total, Currency: "USD"}
		t.record(record{Cost: total})
	}
	t.emit(acp.SessionUpdate{UsageUpdate: update})
}

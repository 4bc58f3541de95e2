package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/partialjson"
)

// toolCall is a call as the protocol shows it: pending while the model writes its input, then waiting for the user or running,
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

// open reports whether a call was announced and has not ended.
func (c *toolCall) open() bool {
	return c != nil && c.status != acp.ToolCallStatusCompleted && c.status != acp.ToolCallStatusFailed
}

// relook puts what has changed of the call's look into an update.
func (c *toolCall) relook(look tool.Look, update *acp.SessionToolCallUpdate) {
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

// toolCalls shows the calls of one message to the client, while the model writes them and while they are worked on.
type toolCalls struct {
	report *reporter
	tools  *toolbox
	turn   int // the number of the prompt in its session

	mu    sync.Mutex  // protects what follows, and the status of a call as it ends
	count int         // calls of the turn so far
	calls []*toolCall // of the message that is coming in or being worked on, by their number in it
}

// announce shows a call whose input the model begins to write.
func (l *toolCalls) announce(n int, name string) *toolCall {
	c := &toolCall{name: name, tool: l.tools.byName[name], status: acp.ToolCallStatusPending}
	c.unseen = c.tool != nil && c.tool.Unseen
	l.mu.Lock()
	for len(l.calls) <= n {
		l.calls = append(l.calls, nil)
	}
	l.calls[n] = c
	l.mu.Unlock()
	if !c.unseen {
		l.show(c)
	}
	return c
}

// show shows a call, which gets its id.
func (l *toolCalls) show(c *toolCall) {
	c.unseen = false
	l.mu.Lock()
	l.count++
	// Ids are unique in the session, also over a restart, as turns are counted from its log.
	c.id = acp.ToolCallId(fmt.Sprintf("call-%d-%d", l.turn, l.count))
	l.mu.Unlock()
	kind := acp.ToolKindOther
	c.look = tool.Look{Title: c.name}
	if c.tool != nil {
		kind = c.tool.Kind
		c.look = c.tool.Look(l.tools.env, nil)
	}
	l.report.emit(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: c.id, Title: c.look.Title, Kind: kind, Status: acp.ToolCallStatusPending, Locations: c.look.Locations,
		Meta: weftMeta(map[string]any{"toolName": c.name}),
	}})
}

// change sends an update of a call that is shown.
func (l *toolCalls) change(c *toolCall, update acp.SessionToolCallUpdate) {
	if !c.unseen {
		update.ToolCallId = c.id
		l.report.emit(acp.SessionUpdate{ToolCallUpdate: &update})
	}
}

// numbered returns the n-th call of the message that is coming in, nil if it was not announced.
func (l *toolCalls) numbered(n int) *toolCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n >= len(l.calls) {
		return nil
	}
	return l.calls[n]
}

// An input of very many fields is not sent as a whole with each of them: at most so many times what was written, and
// some bytes.
const (
	resend    = 8
	minResend = 64 << 10
)

// grow passes on a fragment of an input, and what can be told from the fields that it completes.
func (l *toolCalls) grow(c *toolCall, fragment string) {
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
		l.report.emitRaw(inputDelta(c.id, fragment))
		return
	}
	update := acp.SessionToolCallUpdate{Meta: map[string]any{"weft/inputDelta": fragment}}
	if object := c.input.Object(); c.resent+len(object) <= resend*c.input.Len()+minResend {
		c.resent += len(object)
		update.RawInput = object
	}
	if c.tool != nil {
		c.relook(c.tool.Look(l.tools.env, c.fields), &update)
	}
	l.change(c, update)
}

// complete shows the calls of a whole message that came without deltas.
func (l *toolCalls) complete(calls []llm.ToolCall) {
	for i, c := range calls {
		if l.numbered(i) == nil {
			l.announce(i, c.Name)
			l.grow(l.numbered(i), string(c.Input))
		}
	}
}

// settle ends a call for the user. One that was not shown is shown if it failed, unless ctx, that of the turn, has ended.
func (l *toolCalls) settle(ctx context.Context, c *toolCall, end acp.SessionToolCallUpdate) {
	l.mu.Lock()
	c.status = *end.Status
	l.mu.Unlock()
	if c.unseen && c.status == acp.ToolCallStatusFailed && ctx.Err() == nil {
		l.show(c)
	}
	l.change(c, end)
}

// closeAll marks the calls that are still open as failed, for a turn that ends early.
func (l *toolCalls) closeAll(ctx context.Context, why string, mark map[string]any) {
	l.mu.Lock()
	calls := l.calls
	l.mu.Unlock()
	for _, c := range calls {
		if c.open() {
			l.settle(ctx, c, c.end(why, mark))
		}
	}
}

// forget drops the calls of a message that have their results.
func (l *toolCalls) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = nil
}

// end returns the update for a call that will not run to its end. What there is to see of it stays.
func (c *toolCall) end(why string, mark map[string]any) acp.SessionToolCallUpdate {
	update := endOfCall(why, mark)
	if c.shown {
		update.Content = nil
	}
	return update
}

// endOfCall returns the update for a call that will not run to its end.
func endOfCall(why string, mark map[string]any) acp.SessionToolCallUpdate {
	meta := map[string]any{"summary": why}
	for k, v := range mark {
		meta[k] = v
	}
	return acp.SessionToolCallUpdate{
		Status: acp.Ptr(acp.ToolCallStatusFailed), Content: []acp.ToolCallContent{textContent(why)},
		RawOutput: map[string]any{"summary": why, "error": why}, Meta: weftMeta(meta),
	}
}

func weftMeta(fields map[string]any) map[string]any { return map[string]any{"weft": fields} }

func textContent(text string) acp.ToolCallContent { return acp.ToolContent(acp.TextBlock(text)) }

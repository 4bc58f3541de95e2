package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/conversation/partialjson"
	"weft/backend/llm"
)

// toolCall is a call in the protocol: pending while the model writes its input or the user is asked, then in progress,
// then completed or failed.
type toolCall struct {
	id     acp.ToolCallId
	name   string
	tool   *tool.Tool // nil if there is no such tool
	input  partialjson.Reader
	fields map[string]json.RawMessage // complete fields of the input
	look   tool.Look
	status acp.ToolCallStatus
	resent int  // total bytes of the input that were sent again
	unseen bool // not shown as a call; see tool.Tool.Unseen
	shown  bool // it has content: a diff, a terminal, output
	again  bool // the user retries a failed call
}

// open reports whether a call was announced and hasn't ended.
func (c *toolCall) open() bool {
	return c != nil && c.status != acp.ToolCallStatusCompleted && c.status != acp.ToolCallStatusFailed
}

// relook adds the changes of the call's look to an update.
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

// toolCalls shows the calls of one message to the client, while the model writes them and while they run.
type toolCalls struct {
	report *reporter
	tools  *toolbox
	turn   int // the number of the prompt in its session

	mu    sync.Mutex  // protects the fields below, and the final status of a call
	count int         // shown calls of the turn so far
	calls []*toolCall // of the current message, by their index in it
}

// announce shows a call when the model begins to write its input.
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

// show assigns an id to a call and shows it.
func (l *toolCalls) show(c *toolCall) {
	c.unseen = false
	l.mu.Lock()
	l.count++
	// Ids are unique in the session, even after a restart, because turns are counted from its log.
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

// change sends an update of a call, unless it isn't shown.
func (l *toolCalls) change(c *toolCall, update acp.SessionToolCallUpdate) {
	if !c.unseen {
		update.ToolCallId = c.id
		l.report.emit(acp.SessionUpdate{ToolCallUpdate: &update})
	}
}

// numbered returns the n-th call of the current message, or nil if it wasn't announced.
func (l *toolCalls) numbered(n int) *toolCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n >= len(l.calls) {
		return nil
	}
	return l.calls[n]
}

// The whole input is sent again after each complete field, but not more bytes in total than resend times its size plus
// minResend.
const (
	resend    = 8
	minResend = 64 << 10
)

// grow sends a fragment of an input. If the fragment completes fields, it also sends the input so far and the new look.
func (l *toolCalls) grow(c *toolCall, fragment string) {
	if c == nil || fragment == "" || c.unseen {
		return
	}
	changes, _ := c.input.Write(fragment) // send fragments of invalid JSON too
	completed := false
	for _, ch := range changes {
		if ch.Raw != nil {
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

// complete shows the calls of a complete message that came without deltas.
func (l *toolCalls) complete(calls []llm.ToolCall) {
	for i, c := range calls {
		if l.numbered(i) == nil {
			l.announce(i, c.Name)
			l.grow(l.numbered(i), string(c.Input))
		}
	}
}

// settle ends a call for the user. If it is unseen but failed, settle shows it, unless ctx (the turn's) has ended.
func (l *toolCalls) settle(ctx context.Context, c *toolCall, end acp.SessionToolCallUpdate) {
	l.mu.Lock()
	c.status = *end.Status
	l.mu.Unlock()
	if c.unseen && c.status == acp.ToolCallStatusFailed && ctx.Err() == nil {
		l.show(c)
	}
	l.change(c, end)
}

// closeAll marks the open calls as failed when a turn ends early.
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

// forget drops the calls of the current message.
func (l *toolCalls) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = nil
}

// end returns the update for a call that won't complete. Its content so far stays.
func (c *toolCall) end(why string, mark map[string]any) acp.SessionToolCallUpdate {
	update := endOfCall(why, mark)
	if c.shown {
		update.Content = nil
	}
	return update
}

// endOfCall returns the update for a call that won't complete.
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

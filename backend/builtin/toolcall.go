package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// toolCall is one call of a tool within a turn.
type toolCall struct {
	turn    *turn
	id      acp.ToolCallId
	tool    string // list, glob, search, read, write
	title   string
	kind    acp.ToolKind
	at      []acp.ToolCallLocation
	input   map[string]any
	content []acp.ToolCallContent
	pending bool // it waits for a permission before it runs
	began   time.Time
}

// outcome is what a tool returns for the person to see.
type outcome struct {
	summary string // "Found 12 matches in 4 files"
	count   int    // of results
	output  map[string]any
	content []acp.ToolCallContent // replaces the call's content; nil keeps it
}

// errRejected ends a call that the person did not allow.
var errRejected = errors.New("declined by the person; nothing was written")

// do announces a call, runs it, and reports how it ended. Once the turn is cancelled, calls that have not begun
// do nothing, and the one that runs is left open for the end of the turn to mark. It returns run's error, or
// the turn's if it was cancelled.
func (c *toolCall) do(run func(context.Context) (outcome, error)) error {
	t := c.turn
	if err := t.ctx.Err(); err != nil {
		return err
	}
	c.begin()
	result, err := run(t.ctx)
	if cerr := t.ctx.Err(); cerr != nil {
		return cerr
	}
	t.mu.Lock()
	t.open = without(t.open, c.id)
	t.mu.Unlock()
	took := t.agent.now().Sub(c.began).Milliseconds()
	if err != nil {
		t.emit(c.failed(err, took))
		return err
	}
	t.emit(c.completed(result, took))
	return nil
}

func without(ids []acp.ToolCallId, id acp.ToolCallId) []acp.ToolCallId {
	kept := ids[:0]
	for _, other := range ids {
		if other != id {
			kept = append(kept, other)
		}
	}
	return kept
}

func (c *toolCall) begin() {
	t := c.turn
	t.mu.Lock()
	t.calls++
	// Ids are unique in the session, also over a restart, as turns are counted from its log.
	c.id = acp.ToolCallId(fmt.Sprintf("call-%d-%d", t.number, t.calls))
	t.open = append(t.open, c.id)
	t.mu.Unlock()
	c.began = t.agent.now()
	status := acp.ToolCallStatusInProgress
	if c.pending {
		status = acp.ToolCallStatusPending
	}
	t.emit(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: c.id, Title: c.title, Kind: c.kind, Status: status, Locations: c.at, RawInput: c.input, Content: c.content,
		Meta: weftMeta(map[string]any{"tool": c.tool}),
	}})
}

// running tells that a call which was pending runs now; its duration counts from here.
func (c *toolCall) running() {
	c.began = c.turn.agent.now()
	c.turn.emit(acp.UpdateToolCall(c.id, acp.WithUpdateStatus(acp.ToolCallStatusInProgress)))
}

func (c *toolCall) completed(r outcome, ms int64) acp.SessionUpdate {
	output := map[string]any{"summary": r.summary, "resultCount": r.count}
	for k, v := range r.output {
		output[k] = v
	}
	return acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{
		ToolCallId: c.id, Status: acp.Ptr(acp.ToolCallStatusCompleted), Content: r.content, RawOutput: output,
		Meta: weftMeta(map[string]any{"summary": r.summary, "resultCount": r.count, "durationMs": ms}),
	}}
}

func (c *toolCall) failed(err error, ms int64) acp.SessionUpdate {
	text := upperFirst(strings.TrimSuffix(err.Error(), ".")) + "."
	meta := map[string]any{"summary": text, "durationMs": ms, "error": text, "retryable": false}
	content := []acp.ToolCallContent{textContent(text)}
	if errors.Is(err, errRejected) {
		meta["rejected"] = true
		content = append(c.content[:len(c.content):len(c.content)], content...) // what was declined stays visible
	}
	return acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{
		ToolCallId: c.id, Status: acp.Ptr(acp.ToolCallStatusFailed), Content: content,
		RawOutput: map[string]any{"summary": text, "error": text}, Meta: weftMeta(meta),
	}}
}

// endOfCall is the update for a call that will not run to its end.
func endOfCall(id acp.ToolCallId, why string, mark map[string]any) acp.SessionUpdate {
	meta := map[string]any{"summary": why}
	for k, v := range mark {
		meta[k] = v
	}
	return acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{
		ToolCallId: id, Status: acp.Ptr(acp.ToolCallStatusFailed), Content: []acp.ToolCallContent{textContent(why)},
		RawOutput: map[string]any{"summary": why, "error": why}, Meta: weftMeta(meta),
	}}
}

func weftMeta(fields map[string]any) map[string]any { return map[string]any{"weft": fields} }

func textContent(text string) acp.ToolCallContent { return acp.ToolContent(acp.TextBlock(text)) }

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "./_") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

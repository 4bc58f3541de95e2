package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/conversation/transcript"
	"weft/backend/llm"
)

// toolRetry is how long to wait before a tool is retried after a transient failure.
const toolRetry = time.Second

// errRejected ends a call that the user didn't allow.
var errRejected = errors.New("declined by the user; nothing was done")

// Alone implements loop.Host. Calls that only read and calls of tools marked Beside run concurrently, except unseen
// ones: a plan must be shown before the calls that follow it.
func (t *turn) Alone(c llm.ToolCall) bool {
	known := t.tools.byName[c.Name]
	return known != nil && !known.Beside && (known.Effect != tool.Reads || known.Unseen)
}

// Skip implements loop.Host.
func (t *turn) Skip(n int, c llm.ToolCall, why string) {
	shown := t.calls.numbered(n)
	if shown == nil {
		shown = t.calls.announce(n, c.Name)
	}
	mark := map[string]any{}
	if t.ctx.Err() != nil {
		why, mark["cancelled"] = "Cancelled.", true
	}
	t.calls.settle(t.ctx, shown, shown.end(why, mark))
}

// Do implements loop.Host. It prepares a call, asks for permission if necessary, runs it and reports the result.
func (t *turn) Do(ctx context.Context, n int, lc llm.ToolCall) llm.ToolResult {
	c := t.calls.numbered(n)
	if c == nil {
		c = t.calls.announce(n, lc.Name)
	}
	began := t.agent.now()
	d := &doing{turn: t, call: c, input: lc.Input, retried: c.again}
	result, err := d.through(ctx, lc)
	took := t.agent.now().Sub(began)
	if !d.ran.IsZero() {
		took = t.agent.now().Sub(d.ran)
	}
	switch {
	case ctx.Err() != nil && err != nil:
		t.calls.settle(t.ctx, c, c.end("Cancelled.", map[string]any{"cancelled": true}))
		return failure(lc, "The user stopped this call.", nil)
	case err != nil:
		t.calls.settle(t.ctx, c, d.failed(err, took))
		var e *tool.Error
		if errors.As(err, &e) && len(e.Parts) > 0 {
			return llm.ToolResult{CallID: lc.ID, Name: lc.Name, Failed: true, Parts: e.Parts}
		}
		var data json.RawMessage
		if errors.Is(err, errRejected) {
			data = json.RawMessage(`{"rejected":true}`)
		}
		return failure(lc, sentence(err), data)
	}
	if result.Plan != nil {
		t.report.emit(acp.UpdatePlan(result.Plan...))
	}
	t.calls.settle(t.ctx, c, d.completed(result, took))
	out := llm.ToolResult{CallID: lc.ID, Name: lc.Name, Parts: result.Parts}
	if t.agent.brain.offline() && result.Data != nil {
		out.Data, _ = json.Marshal(result.Data) // only the guide uses it, and can do without
	}
	if len(out.Parts) == 0 {
		out.Parts = []llm.Part{llm.Text{Text: result.Summary}}
	}
	return out
}

func failure(c llm.ToolCall, said string, data json.RawMessage) llm.ToolResult {
	return llm.ToolResult{CallID: c.ID, Name: c.Name, Failed: true, Data: data, Parts: []llm.Part{llm.Text{Text: said}}}
}

// doing is one call in progress.
type doing struct {
	turn    *turn
	call    *toolCall
	input   json.RawMessage
	ready   tool.Prepared
	ran     time.Time
	retried bool
}

// through does all steps of a call, from its input to its result. It converts a panic of the tool to an error.
func (d *doing) through(ctx context.Context, lc llm.ToolCall) (result tool.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			d.turn.agent.log.Error("panic in a tool", "tool", lc.Name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("the tool %s failed: %v", lc.Name, r)
		}
	}()
	t, c := d.turn, d.call
	if c.tool == nil {
		return result, &tool.Error{Message: fmt.Sprintf("There is no tool %q. The tools are: %s.", lc.Name, t.tools.names())}
	}
	if lc.Raw != "" {
		return result, &tool.Error{Message: "The input isn't a JSON object, so nothing was done. Call the tool again with valid JSON."}
	}
	if d.ready, err = c.tool.Prepare(ctx, t.tools.env, d.input); err != nil {
		return result, err
	}
	d.proposed()
	if err := d.permitted(ctx); err != nil {
		return result, err
	}
	d.running()
	result, err = d.ready.Run(ctx, d.progress)
	var e *tool.Error
	if errors.As(err, &e) && e.Retryable && ctx.Err() == nil {
		d.progress(tool.Progress{Content: []acp.ToolCallContent{textContent(dotted(err) + " Trying again in a second.")}})
		d.retried = true
		if !pause(ctx, toolRetry) {
			return result, ctx.Err()
		}
		result, err = d.ready.Run(ctx, d.progress)
	}
	return result, err
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// proposed shows what the call would do, with its whole input.
func (d *doing) proposed() {
	c := d.call
	update := acp.SessionToolCallUpdate{Content: d.ready.Content, RawInput: d.input}
	c.shown = c.shown || len(d.ready.Content) > 0
	c.relook(d.ready.Look, &update)
	d.turn.calls.change(c, update)
}

// permitted returns nil if the session's mode, an earlier grant or the user allows the call. It blocks while the user
// is asked.
func (d *doing) permitted(ctx context.Context) error {
	t := d.turn
	switch t.session.mode().rule(d.ready.Effect) {
	case mayRun:
		return d.judged(ctx)
	case mustNot:
		return &tool.Error{Message: "This session is read only, so this wasn't done. The user can choose another mode."}
	case mustAsk:
	}
	if t.session.granted(d.ready.Grant) {
		return d.judged(ctx)
	}
	return d.ask(ctx)
}

// running reports that the call runs. Its duration counts from here.
func (d *doing) running() {
	d.ran = d.turn.agent.now()
	d.call.status = acp.ToolCallStatusInProgress
	d.turn.calls.change(d.call, acp.SessionToolCallUpdate{Status: acp.Ptr(acp.ToolCallStatusInProgress)})
}

func (d *doing) progress(p tool.Progress) {
	update := acp.SessionToolCallUpdate{Content: p.Content}
	d.call.shown = d.call.shown || len(p.Content) > 0
	if p.Title != "" {
		update.Title = acp.Ptr(p.Title)
	}
	d.turn.calls.change(d.call, update)
}

func (d *doing) completed(r tool.Result, took time.Duration) acp.SessionToolCallUpdate {
	output := map[string]any{"summary": r.Summary}
	meta := map[string]any{"summary": r.Summary, "durationMs": took.Milliseconds()}
	if !r.Uncounted {
		output["resultCount"], meta["resultCount"] = r.Count, r.Count
	}
	for k, v := range r.Output {
		output[k] = v
	}
	if d.retried || r.Retried {
		meta["wasRetried"] = true
	}
	update := acp.SessionToolCallUpdate{
		Status: acp.Ptr(acp.ToolCallStatusCompleted), Content: r.Content, RawOutput: output, Meta: weftMeta(meta),
	}
	d.call.relook(tool.Look{Title: r.Title, Locations: r.Locations}, &update)
	return update
}

func (d *doing) failed(err error, took time.Duration) acp.SessionToolCallUpdate {
	text := sentence(err)
	meta := map[string]any{"summary": text, "durationMs": took.Milliseconds(), "error": text, "retryable": transcript.MayPass(text)}
	content := []acp.ToolCallContent{textContent(text)}
	output := map[string]any{"summary": text, "error": text}
	var e *tool.Error
	if errors.As(err, &e) {
		meta["retryable"] = e.Retryable || transcript.MayPass(text)
		d.retried = d.retried || e.Retried
		if e.Summary != "" {
			meta["summary"] = e.Summary
		}
		if e.Content != nil {
			content = e.Content
		}
		for k, v := range e.Output {
			output[k] = v
		}
	}
	if d.retried {
		meta["wasRetried"] = true
	}
	if errors.Is(err, errRejected) {
		meta["rejected"] = true
		content = append(slices.Clip(d.ready.Content), content...) // keep the declined change visible
	}
	update := acp.SessionToolCallUpdate{Status: acp.Ptr(acp.ToolCallStatusFailed), Content: content, RawOutput: output, Meta: weftMeta(meta)}
	if d.ready.Run == nil && len(d.input) > 2 { // it wasn't proposed, so the client doesn't have its input
		update.RawInput = d.input
	}
	return update
}

// sentence returns an error as a sentence for the user.
func sentence(err error) string {
	s := dotted(err)
	if s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "./_") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

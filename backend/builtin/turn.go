package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/loop"
	"weft/backend/builtin/mcptools"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// turn is one answer in progress. It is the [loop.Host] of its run and reports it: each update is stored before it is
// sent, in the same order.
type turn struct {
	agent   *agent
	session *session
	number  int // of the prompt in its session, from 1
	opt     options
	work    workdir
	tools   toolbox
	runner  *loop.Runner

	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed when the turn has ended and all updates were sent

	report reporter
	calls  toolCalls
}

var _ loop.Host = (*turn)(nil)

// prompt runs one turn. It returns an error if the session is working on another prompt.
func (a *agent) prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s := a.sessions.get(p.SessionId)
	if s == nil {
		return acp.PromptResponse{}, unknownSession(p.SessionId)
	}
	if err := a.brain.signedIn(ctx); err != nil {
		return acp.PromptResponse{}, err
	}
	t, err := a.begin(s)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	a.client.in.admit()
	defer t.end()
	// If the client cancels the request, the turn is canceled.
	defer context.AfterFunc(ctx, t.stop)()

	for _, block := range p.Prompt {
		t.report.store(acp.UpdateUserMessage(block)) // the client has it, but needs it after a load
	}
	if t.number == 1 {
		t.report.announceTitle(p.Prompt)
	}
	out, err := t.run(p)
	return t.finish(out, err)
}

// finish records the end of a run and returns the response to the prompt.
func (t *turn) finish(out loop.Outcome, err error) (acp.PromptResponse, error) {
	var none acp.PromptResponse
	stop := acp.StopReason(out.End)
	if t.ctx.Err() != nil {
		stop, err = acp.StopReasonCancelled, nil
	}
	if err != nil {
		t.calls.closeAll(t.ctx, "The agent failed.", nil)
		t.report.record(record{Stop: "error"})
		return none, turnError(err, t.agent.now())
	}
	if stop == acp.StopReasonCancelled {
		t.calls.closeAll(t.ctx, "Cancelled.", map[string]any{"cancelled": true})
	}
	t.report.record(record{Stop: string(stop)})
	if err := t.session.log.sync(); err != nil {
		t.agent.log.Warn("session isn't on disk yet", "session", t.session.id, "err", err)
	}
	if err := t.report.lost(); err != nil {
		return none, internalError(fmt.Sprintf("Couldn't store the answer: %v.", err))
	}
	return acp.PromptResponse{StopReason: stop, Usage: usageOf(out.Usage)}, nil
}

// turnError returns the protocol's error for a run that failed at now.
func turnError(err error, now time.Time) error {
	var rerr *acp.RequestError
	if errors.As(err, &rerr) {
		return rerr
	}
	out := internalError(err.Error())
	var e *llm.Error
	var failed *loop.Error
	if errors.As(err, &failed) {
		data := map[string]any{"retryable": failed.Retryable(), "wasRetried": failed.WasRetried}
		if errors.As(err, &e) {
			data["code"] = string(e.Code)
			if said := e.Said.For(out.Message); said != "" {
				data["said"] = said
			}
			if e.After > 0 {
				data["retryAt"] = now.Add(e.After).UnixMilli()
			}
			if e.Code == llm.CodeAuth {
				out.Code = -32000
			}
		}
		out.Data = data
	}
	return out
}

// begin registers a turn with its session.
func (a *agent) begin(s *session) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil, invalidRequest("This session is still working on the previous prompt. Wait until it has finished, or cancel it.")
	}
	s.turns++
	t := &turn{
		agent: a, session: s, number: s.turns, opt: s.selection.options, done: make(chan struct{}),
		report: reporter{session: s, now: a.now, logger: a.log},
	}
	t.calls.report, t.calls.tools, t.calls.turn = &t.report, &t.tools, t.number
	t.ctx, t.stop = context.WithCancel(a.life)
	t.work = openWorkdir(s.cwd, &toolClient{a.client, s.id})
	s.running = t
	return t, nil
}

func (t *turn) end() {
	t.stop()
	t.work.close()
	t.session.mu.Lock()
	t.session.running = nil
	t.session.mu.Unlock()
	close(t.done)
}

// run lets the model answer; a panic becomes an error.
func (t *turn) run(p acp.PromptRequest) (out loop.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			t.agent.log.Error("panic in a turn", "session", t.session.id, "panic", r, "stack", string(debug.Stack()))
			err = internalError(fmt.Sprintf("Weft's agent failed while answering: %v. The session is kept; please ask again.", r))
		}
	}()
	offline := t.agent.brain.offline()
	var parts []llm.Part
	if offline {
		parts = guideParts(t.work, p.Prompt)
	} else {
		parts = promptParts(t.work, p.Prompt)
	}
	servers := t.session.servers().wait(t.ctx)
	if err := t.equip(servers, p); err != nil {
		return out, err
	}
	if servers != nil && t.number == 1 {
		for _, problem := range servers.Problems() {
			t.report.note(problem)
		}
	}
	if !offline && isCompact(p.Prompt) {
		return t.compact()
	}
	return t.runner.Run(t.ctx, &t.session.conversation.view, append(parts, t.makeAgain()...))
}

// compact shortens the conversation instead of answering a prompt.
func (t *turn) compact() (loop.Outcome, error) {
	done, err := t.runner.Shorten(t.ctx, &t.session.conversation.view)
	if err == nil && !done {
		t.Delta(llm.Delta{Kind: llm.DeltaText, Text: "There is nothing to summarize yet."})
	}
	return loop.Outcome{End: loop.EndTurn}, err
}

// equip creates the runner and its tools.
func (t *turn) equip(servers *mcptools.Set, p acp.PromptRequest) error {
	a := t.agent
	model, err := a.brain.get(t.ctx)
	if err != nil {
		return err
	}
	all := a.tools()
	if servers != nil {
		all = append(all, servers.Tools()...)
	}
	s := t.session
	kept := a.store.kept(s.id)
	t.tools = newToolbox(all, &tool.Env{
		Folder: t.work.folder, Problem: t.work.problem, Client: &toolClient{a.client, s.id}, Seen: s.seen, Now: a.now,
		ShellTimeout: shellTimeout, ShellLimit: shellLimit, Keep: kept.add, Kept: kept.find,
	})
	size := a.set.context
	if size == 0 {
		size = s.context(a.set.provider.ID, t.opt.Model)
	}
	t.runner = &loop.Runner{
		Model: model, Host: t, Name: t.opt.Model, System: t.systemText(), Tools: specs(all), MaxTokens: a.set.maxOut,
		Effort: t.opt.Effort, Context: size, Output: outputOf(p.Meta),
		Log: s.reduced(a.log),
	}
	return nil
}

// outputOf returns the schema for the answer in a prompt's _meta, or nil.
func outputOf(meta map[string]any) *llm.Output {
	schema, ok := meta["weft/outputSchema"]
	if !ok {
		return nil
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	return &llm.Output{Name: "answer", Schema: raw}
}

func (a *agent) cancel(_ context.Context, p acp.CancelNotification) (struct{}, error) {
	if s := a.sessions.get(p.SessionId); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running != nil {
			s.running.stop()
		}
	}
	return struct{}{}, nil
}

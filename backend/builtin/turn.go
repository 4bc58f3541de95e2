package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/loop"
	"weft/backend/builtin/mcptools"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/quantity"
)

// turn is one answer in progress. It is the [loop.Host] of its run: it shows what the run does, in one order, each
// update stored before it is sent.
type turn struct {
	agent   *agent
	session *session
	number  int // of the prompt in its session, from 1
	folder  *folder.Folder
	problem error // why there is no folder
	env     *tool.Env
	opt     options
	tools   map[string]*tool.Tool
	runner  *loop.Runner

	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed when the turn has ended and everything is sent

	emitting sync.Mutex // held while an update is stored and sent

	mu      sync.Mutex
	count   int         // tool calls so far
	calls   []*toolCall // of the message that is coming in or being worked on, by their number in it
	failure error       // the first update that could not be stored or sent
}

var _ loop.Host = (*turn)(nil)

// prompt runs one turn. It answers a prompt for a session that is working on another one with an error.
func (a *agent) prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s := a.session(p.SessionId)
	if s == nil {
		return acp.PromptResponse{}, unknownSession(p.SessionId)
	}
	if err := a.signedIn(ctx); err != nil {
		return acp.PromptResponse{}, err
	}
	t, err := a.begin(s)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	a.in.admit()
	defer t.end()
	// A client that withdraws the request cancels the turn.
	defer context.AfterFunc(ctx, t.stop)()

	for _, block := range p.Prompt {
		t.store(acp.UpdateUserMessage(block)) // the client knows it; a load will not
	}
	if t.number == 1 {
		t.announceTitle(p.Prompt)
	}
	out, err := t.run(p)
	return t.finish(out, err)
}

// finish records how a run ended and makes the answer to the prompt of it.
func (t *turn) finish(out loop.Outcome, err error) (acp.PromptResponse, error) {
	var none acp.PromptResponse
	stop := acp.StopReason(out.End)
	if t.ctx.Err() != nil {
		stop, err = acp.StopReasonCancelled, nil
	}
	if err != nil {
		t.closeCalls("The agent failed.", nil)
		t.record(record{Stop: "error"})
		return none, turnError(err)
	}
	if stop == acp.StopReasonCancelled {
		t.closeCalls("Cancelled.", map[string]any{"cancelled": true})
	}
	t.record(record{Stop: string(stop)})
	if err := t.session.log.sync(); err != nil {
		t.agent.log.Warn("session isn't on disk yet", "session", t.session.id, "err", err)
	}
	if t.failure != nil {
		return none, internalError(fmt.Sprintf("Couldn't store the answer: %v.", t.failure))
	}
	return acp.PromptResponse{StopReason: stop, Usage: usageOf(out.Usage)}, nil
}

// turnError is the protocol's error of a run that could not continue.
func turnError(err error) error {
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
			if e.Code == llm.CodeAuth {
				out.Code = -32000
			}
		}
		out.Data = data
	}
	return out
}

func usageOf(u llm.Usage) *acp.Usage {
	if u == (llm.Usage{}) {
		return nil
	}
	return &acp.Usage{
		InputTokens: int(u.Input), OutputTokens: int(u.Output), TotalTokens: int(u.Input + u.Output),
		CachedReadTokens: acp.Ptr(int(u.CacheRead)), CachedWriteTokens: acp.Ptr(int(u.CacheWrite)), ThoughtTokens: acp.Ptr(int(u.Thinking)),
	}
}

// begin registers a turn with its session.
func (a *agent) begin(s *session) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil, invalidRequest("This session is still working on the previous prompt. Wait until it has finished, or cancel it.")
	}
	s.turns++
	t := &turn{agent: a, session: s, number: s.turns, opt: s.opt, done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(a.life)
	if t.folder, t.problem = folder.Open(s.cwd); t.folder != nil && a.permits() {
		client := &toolClient{a, s.id}
		t.folder.Deny = func(ctx context.Context, kind string, rels []string) ([]bool, error) {
			paths := make([]string, len(rels))
			for i, rel := range rels {
				paths[i] = t.folder.Abs(rel)
			}
			return client.Denied(ctx, kind, paths)
		}
	}
	s.running = t
	return t, nil
}

func (t *turn) end() {
	t.stop()
	if t.folder != nil {
		_ = t.folder.Close() // opened for reading only
	}
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
	parts := t.take(p.Prompt)
	servers := t.session.servers().wait(t.ctx)
	if err := t.equip(servers, p); err != nil {
		return out, err
	}
	if servers != nil && t.number == 1 {
		for _, problem := range servers.Problems() {
			t.note(problem)
		}
	}
	if t.wantsCompact(p.Prompt) {
		return t.compact()
	}
	return t.runner.Run(t.ctx, &t.session.view, append(parts, t.makeAgain()...))
}

func (s *session) servers() *servers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mcp
}

// equip makes the runner and its tools.
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
	t.tools = make(map[string]*tool.Tool, len(all))
	specs := make([]llm.Tool, len(all))
	for i := range all {
		t.tools[all[i].Name] = &all[i]
		specs[i] = all[i].Tool
	}
	t.env = t.makeEnv()
	size := a.set.context
	if size == 0 {
		size = t.contextOf(t.opt.Model)
	}
	t.runner = &loop.Runner{
		Model: model, Host: t, Name: t.opt.Model, System: t.systemText(), Tools: specs, MaxTokens: a.set.maxOut,
		Effort: t.opt.Effort, Context: size, Output: outputOf(p.Meta),
		Log: t.session.reduced(a.log),
	}
	return nil
}

// reduced logs what of the session's requests could not be sent as it is, each loss once.
func (s *session) reduced(log *slog.Logger) func(string) {
	return func(sentence string) {
		s.mu.Lock()
		known := s.losses[sentence]
		s.losses[sentence] = true
		s.mu.Unlock()
		if !known {
			log.Warn("the request was reduced", "session", s.id, "loss", sentence)
		}
	}
}

// contextOf is how many tokens a model reads: what its provider tells, else what Weft knows.
func (t *turn) contextOf(model string) int64 {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	for _, m := range t.session.models {
		if m.ID == model && m.Context > 0 {
			return m.Context
		}
	}
	return llm.Context(t.agent.set.provider.ID, model)
}

// outputOf reads the schema that the answer has to fit from a prompt's _meta, nil if there is none.
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
	if s := a.session(p.SessionId); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running != nil {
			s.running.stop()
		}
	}
	return struct{}{}, nil
}

func (t *turn) announceTitle(blocks []acp.ContentBlock) {
	for _, b := range blocks {
		if b.Text != nil && title(b.Text.Text) != "" {
			t.emit(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: acp.Ptr(title(b.Text.Text))}})
			return
		}
	}
}

// closeCalls marks the calls that are still open as failed, for a turn that ends early.
func (t *turn) closeCalls(why string, mark map[string]any) {
	t.mu.Lock()
	calls := t.calls
	t.mu.Unlock()
	for _, c := range calls {
		if c.open() {
			t.settle(c, c.end(why, mark))
		}
	}
}

// emit stores an update and then sends it.
func (t *turn) emit(update acp.SessionUpdate) {
	raw, err := json.Marshal(update)
	if err != nil {
		t.fail(err)
		return
	}
	t.emitRaw(raw)
}

// store keeps an update without sending it.
func (t *turn) store(update acp.SessionUpdate) {
	raw, err := json.Marshal(update)
	if err == nil {
		err = t.session.log.appendUpdate(t.agent.now(), raw)
	}
	t.fail(err)
}

func (t *turn) emitRaw(update []byte) {
	t.emitting.Lock()
	defer t.emitting.Unlock()
	t.fail(t.session.log.appendUpdate(t.agent.now(), update))
	_, err := t.agent.out.Write(t.session.line(update))
	t.fail(err)
}

func (t *turn) record(r record) {
	r.At = t.agent.now().UnixMilli()
	t.fail(t.session.log.append(r))
}

func (t *turn) fail(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil {
		t.failure = err
		t.agent.log.Warn("update lost", "session", t.session.id, "err", err)
	}
}

// note shows a sentence about the turn that is not part of the answer.
func (t *turn) note(sentence string) { t.emitRaw(chunk("agent_thought_chunk", sentence+"\n\n")) }

// Waiting implements loop.Host.
func (t *turn) Waiting(err error, attempt int, wait time.Duration) {
	t.note(fmt.Sprintf("%s Trying again in %s (%d).", dotted(err), wait.Round(100*time.Millisecond), attempt))
}

// Shortened implements loop.Host.
func (t *turn) Shortened(s loop.Summary) error {
	if err := t.session.log.append(record{At: t.agent.now().UnixMilli(), Short: &s}); err != nil {
		return err
	}
	t.note(fmt.Sprintf("The conversation was getting too long for the model. From now on it receives a summary of %s instead of the oldest %d messages. Nothing was deleted.", quantity.Bytes(int64(len(s.Text))), s.Dropped))
	return nil
}

// Keep implements loop.Host.
func (t *turn) Keep(m llm.Message) error {
	if m.Role == llm.RoleUser {
		t.mu.Lock()
		t.calls = nil // those of the message before have their results
		t.mu.Unlock()
	}
	return t.session.log.append(record{At: t.agent.now().UnixMilli(), Message: &m})
}

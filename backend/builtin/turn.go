package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/guide"
)

// turn is one answer in progress. It implements guide.Turn. The provider uses it from one goroutine; updates
// are stored and sent in the order of its calls.
type turn struct {
	agent   *agent
	session *session
	number  int // of the prompt in its session, from 1
	folder  *folder.Folder

	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed when the turn has ended and everything is sent

	mu      sync.Mutex
	calls   int              // tool calls so far
	open    []acp.ToolCallId // calls that have not ended
	failure error            // the first update that could not be stored or sent
}

var _ guide.Turn = (*turn)(nil)

// prompt runs one turn. It answers a prompt for a session that is working on another one with an error.
func (a *agent) prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s := a.session(p.SessionId)
	if s == nil {
		return acp.PromptResponse{}, unknownSession(p.SessionId)
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
		t.store(acp.UpdateUserMessage(block))
	}
	req := t.take(p.Prompt)
	if t.number == 1 {
		t.announceTitle(req.Text)
	}
	err = t.run(req)
	stop := acp.StopReasonEndTurn
	switch {
	case t.ctx.Err() != nil:
		t.closeCalls("Cancelled.", map[string]any{"cancelled": true})
		stop = acp.StopReasonCancelled
	case err != nil:
		t.closeCalls("The agent failed.", nil)
		t.record(record{Stop: "error"})
		return acp.PromptResponse{}, err
	}
	t.record(record{Stop: string(stop)})
	if err := s.log.sync(); err != nil {
		a.log.Warn("session is not on disk yet", "session", s.id, "err", err)
	}
	if t.failure != nil {
		return acp.PromptResponse{}, internalError(fmt.Sprintf("The answer could not be stored: %v.", t.failure))
	}
	return acp.PromptResponse{StopReason: stop}, nil
}

// begin registers a turn with its session.
func (a *agent) begin(s *session) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil, invalidRequest("This session is still working on the prompt before. Wait until it has finished, or cancel it first.")
	}
	s.turns++
	t := &turn{agent: a, session: s, number: s.turns, done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(a.life)
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

// run lets the provider answer; a panic becomes an error.
func (t *turn) run(req guide.Request) (err error) {
	defer func() {
		if r := recover(); r != nil {
			t.agent.log.Error("panic in a turn", "session", t.session.id, "panic", r, "stack", string(debug.Stack()))
			err = internalError(fmt.Sprintf("Weft's guide failed while answering: %v. The session is kept; please ask again.", r))
		}
	}()
	return t.agent.answer(t.ctx, t, req)
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

// Say implements guide.Turn.
func (t *turn) Say(markdown string) {
	if markdown != "" && t.ctx.Err() == nil {
		t.emit(acp.UpdateAgentMessageText(markdown))
	}
}

// Think implements guide.Turn.
func (t *turn) Think(text string) {
	if text != "" && t.ctx.Err() == nil {
		t.emit(acp.UpdateAgentThoughtText(text))
	}
}

// Plan implements guide.Turn.
func (t *turn) Plan(steps []guide.Step) {
	if t.ctx.Err() != nil {
		return
	}
	entries := make([]acp.PlanEntry, len(steps))
	for i, s := range steps {
		status := acp.PlanEntryStatusPending
		switch s.Status {
		case guide.Working:
			status = acp.PlanEntryStatusInProgress
		case guide.Done:
			status = acp.PlanEntryStatusCompleted
		case guide.Waiting:
		}
		entries[i] = acp.PlanEntry{Content: s.Text, Priority: acp.PlanEntryPriorityMedium, Status: status}
	}
	t.emit(acp.UpdatePlan(entries...))
}

func (t *turn) announceTitle(prompt string) {
	if prompt != "" {
		t.emit(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: acp.Ptr(title(prompt))}})
	}
}

// closeCalls marks the calls that are still open as failed, for a turn that ends early.
func (t *turn) closeCalls(why string, mark map[string]any) {
	t.mu.Lock()
	open := t.open
	t.open = nil
	t.mu.Unlock()
	for _, id := range open {
		t.emit(endOfCall(id, why, mark))
	}
}

// emit stores an update and then sends it.
func (t *turn) emit(update acp.SessionUpdate) {
	if raw := t.store(update); raw != nil {
		t.note(t.agent.send(t.session.id, raw))
	}
}

// store appends an update to the session's log and returns it encoded, or nil if it cannot be encoded.
func (t *turn) store(update acp.SessionUpdate) json.RawMessage {
	raw, err := json.Marshal(update)
	if err != nil {
		t.note(err)
		return nil
	}
	t.record(record{Update: raw})
	return raw
}

func (t *turn) record(r record) {
	r.At = t.agent.now().UnixMilli()
	t.note(t.session.log.append(r))
}

func (t *turn) note(err error) {
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

package runs

import (
	"context"
	"errors"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/agent/failure"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/files/workspace"
	"weft/backend/llm/usage"
	"weft/backend/permission/actions"
	"weft/backend/space/elsewhere"
	"weft/backend/space/lifecycle"
	"weft/backend/space/mentions"
	"weft/backend/space/prompt"
	"weft/backend/space/requests"
	"weft/backend/space/turn"
)

// run is a turn in progress. Its methods are called with the lock of the space held.
type run struct {
	s  *Session
	id string
	asked
	watching
	turn      turn.Turn
	fold      *transcript.Fold
	used      usage.Account
	need      *lifecycle.Need[*liveSession] // set while the run waits for a session
	ctx       context.Context               // of preparing and sending the prompt
	cancel    context.CancelFunc
	done      chan struct{} // closed when the run is over
	mentions  mentions.Run
	elsewhere *elsewhere.Run[target] // its messages in other spaces
	sent      *liveSession           // the session that got the prompt; nil until then
	actions   actions.Turn           // the agent's actions and requests, and the answers
	heldTo    bool                   // the agent's options met the needs of the space when the prompt was sent
	enforced  bool                   // the options were checked, so the prompt is sent with this session
}

// asked is the prompt of a run.
type asked struct {
	draft    prompt.Draft
	from     string // the member that asks, "" for the user
	promptID string // of the message with the prompt
}

// watching is the state of the file watch for a run.
type watching struct {
	watched chan struct{}         // closed when the watch was notified of the run
	ready   func(context.Context) // set before watched is closed; blocks until the agent may change files
}

// currentFold returns the run's current message. After a mention it begins a new one.
func (r *run) currentFold() *transcript.Fold {
	if f := r.s.turns.Resume(); f != nil && f.RunID == r.id && f != r.fold {
		r.fold = f
		r.s.Touched()
	}
	return r.fold
}

// place returns the origin of a display in another space: the run and its call, which may be "". The name of the space is
// missing: see [elsewhere.Message.HomeTitle].
func (r *run) place(call string) *displays.From {
	s := r.s
	from := &displays.From{SpaceID: s.space.ID, Agent: s.member().Name, RunID: r.id, MessageID: s.turns.Current().ID}
	if call != "" {
		from.ToolCallID = call
		if in := s.turns.With(call); in != nil {
			from.MessageID = in.ID
		}
	}
	return from
}

// start continues a run that was stored: it requests a session.
func (r *run) start() {
	if !r.turn.Start() {
		return // stopped meanwhile
	}
	r.s.life.Used()
	r.s.perform(watchRun{r})
	r.await()
}

// await requests a session; connected is called with it.
func (r *run) await() {
	r.need = &lifecycle.Need[*liveSession]{Done: r.connected}
	r.s.life.Need(r.need)
}

// connected continues a run that waited for a session.
func (r *run) connected(l *liveSession, err error) {
	r.need = nil
	if err != nil {
		r.finish(acp.PromptResult{}, err)
		return
	}
	l.stage.BeginTurn()
	r.turn.Prepare()
	r.s.perform(preparePrompt{l, r})
}

// prepared continues a run whose prompt is complete, or could not be prepared.
func (r *run) prepared(l *liveSession, prompt []sdk.ContentBlock, err error) {
	if err == nil && r.turn.Stopping() {
		err = context.Canceled
	}
	switch {
	case workspace.Replaced(err) && r.turn.Reopen():
		r.reopen(l)
		return
	case errors.Is(err, errRewrapped) && !r.turn.Stopping() && l.stage.Phase() == lifecycle.InTurn:
		r.turn.Again()
		l.stage.EndTurn()
		r.await()
		return
	}
	if err != nil {
		r.turnOver(l, acp.PromptResult{}, err)
		return
	}
	r.s.perform(sendPrompt{l, r, prompt})
}

// reopen requests a new session, in a new process, because the space's folder was replaced by another one.
func (r *run) reopen(l *liveSession) {
	s := r.s
	l.replaced = true
	r.currentFold().Note(turn.Replaced(l.config.Name, s.space.Folder))
	s.Flush()
	l.stage.EndTurn()
	r.await()
}

// markSending notes that the prompt is about to be sent. It returns false if the run was stopped. release lets the next
// session of the process send its prompt.
func (r *run) markSending(l *liveSession, release func()) bool {
	s := r.s
	r.sent = l
	r.actions.Found.Begin(l.plan != nil, s.inbox.Mode.Now(), s.m.opt.Rules())
	if r.turn.Stopping() || l.stage.Phase() != lifecycle.InTurn {
		s.Effect(release)
		return false
	}
	r.turn.Send()
	r.turn.Progress.Sent = s.m.now()
	l.prompted = true
	r.expectActivity(l, release)
	return true
}

// expectActivity starts the timer for the agent's first message after a prompt.
func (r *run) expectActivity(l *liveSession, release func()) {
	s, limit := r.s, r.s.m.opt.Limits.Quiet
	missing := l.pulse.Expect(release)
	s.Later(limit, func() {
		if !missing() || s.run != r || r.turn.Stopping() {
			return
		}
		r.currentFold().Note(turn.Silence(l.config.Name, limit))
		s.Flush()
	})
}

// noteProgress updates the progress of the run with an update, or with a request if u is nil. r may be nil.
func (r *run) noteProgress(u *transcript.Update) {
	if r == nil || !r.turn.Prompted() || r.s.turns.Replaying() {
		return
	}
	if u == nil || u.Shows() {
		r.turn.Show()
	}
	if u == nil {
		r.turn.Progress.TakeRequest(r.s.m.now())
	} else {
		r.turn.Progress.Take(u, r.s.m.now())
	}
}

// turnOver handles the end of the agent's turn.
func (r *run) turnOver(l *liveSession, res acp.PromptResult, err error) {
	l.stage.EndTurn()
	if r.needsNewProcess(l, err) {
		r.restart(l)
		return
	}
	l.signedIn = l.signedIn && err != nil // after a success the sign-in is known to work in this process
	r.finish(res, err)
	l.stage.Serve()
}

// needsNewProcess reports whether the agent needs a new process: it has only asked for a sign-in, although the user has
// signed in in its process. Some agents apply a sign-in only when they start.
func (r *run) needsNewProcess(l *liveSession, err error) bool {
	return err != nil && l.signedIn && r.turn.Phase() == turn.Sent && !r.turn.Shows() && !r.turn.Stopping() && !r.s.life.Left() && failure.Of(err).Code == "auth_required"
}

// restart restarts the run in a new process.
func (r *run) restart(l *liveSession) {
	r.turn.Again()
	r.s.life.StartFresh()
	l.stage.End(lifecycle.Ending{})
	r.await()
}

// finish ends the run and starts the next queued prompt.
func (r *run) finish(res acp.PromptResult, err error) {
	if !r.turn.End() {
		return
	}
	s := r.s
	r.cancel()
	now := s.m.now()
	s.Writer = s.turns
	if !s.turns.Paused() || err != nil && !r.turn.Stopping() { // a message to put the error in
		r.currentFold()
	}
	r.fold.Model = s.turns.Model
	result := turn.Result{Err: err, StopReason: res.StopReason, Usage: r.used.Total(res.Usage, s.cost), Prompt: r.draft.Text}
	l := s.life.Live()
	if l != nil {
		result.Usage = l.measured.Over(result.Usage)
		l.measured = usage.Measured{}
		l.calls.EndWriting()
		l.terminals.TurnEnds(r.id, r.turn.Stopping())
		l.calls.Drafts.End()
		result.Empty = func() transcript.Failure {
			return l.conn.Failure(newError("empty_answer", "The agent ended its turn without an answer."))
		}
	}
	s.reportUnasked(r, true)
	if err != nil && l == nil && !r.turn.Stopping() {
		s.inbox.Withdraw(requests.Exited)
	}
	s.inbox.Withdraw(requests.Stopped)
	result.Refused = r.actions.Refused
	done := r.turn.Complete(s.turns, r.fold, result, now)
	if l != nil {
		l.calls.Forget()
	}
	r.elsewhere.End(done.StopReason)
	s.leaveDisplays(r.id)
	s.Box.Add(done)
	s.Flush()
	s.run, s.last = nil, r
	s.deliverReply(*s.member(), r, r.mentions.Words.String())
	if tell := r.mentions.Ended(done, r.turn.Stopping()); tell != nil {
		s.After(tell)
	}
	s.perform(unwatchRun{r})
	if (err == nil || r.turn.Stopping()) && !s.life.Left() {
		s.nextPrompt()
	}
	s.life.Rest()
	s.changed()
	s.Effect(func() { close(r.done) })
	s.life.FinishLeaving()
}

// stop implements [Prompts.Stop]. r may be nil. why is the resolution of open permission requests.
func (r *run) stop(why transcript.Resolution) {
	if r == nil || !r.turn.Stop() {
		return
	}
	s := r.s
	for _, id := range r.elsewhere.Stop() {
		s.Effect(func() { s.m.opt.OnChange(id) })
	}
	s.Touched()
	r.cancel()
	s.inbox.Withdraw(why)
	s.Flush()
	switch r.turn.Phase() {
	case turn.New:
		r.finish(acp.PromptResult{}, context.Canceled)
	case turn.Waiting:
		s.life.CallOff(r.need)
		r.finish(acp.PromptResult{}, context.Canceled)
	case turn.Sent:
		if l := s.life.Live(); l != nil {
			r.cancelTurn(l)
		}
	case turn.Preparing, turn.Over: // prepared ends it, or it has ended
	}
}

// cancelTurn asks the agent to end its turn. If the agent doesn't within the limit, it ends the session.
func (r *run) cancelTurn(l *liveSession) {
	s := r.s
	l.conn.Canceled = s.m.opt.Now()
	s.perform(cancelTurn{l})
	s.Later(s.m.opt.Limits.Stop, func() {
		if s.run != r || s.life.Live() != l {
			return
		}
		s.m.opt.Log.Warn().Str("agent", l.config.ID).Msg("the agent didn't end its turn after a stop; ending its session")
		if s.w.shares(l) {
			r.currentFold().Note(turn.Unstopped(l.config.Name))
		}
		l.stage.End(lifecycle.Ending{})
	})
}

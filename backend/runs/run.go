package runs

import (
	"context"
	"errors"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/displays"
	"weft/backend/elsewhere"
	"weft/backend/failure"
	"weft/backend/lifecycle"
	"weft/backend/mentions"
	"weft/backend/pending"
	"weft/backend/prompt"
	"weft/backend/requests"
	"weft/backend/transcript"
	"weft/backend/turn"
	"weft/backend/usage"
	"weft/backend/workspace"
)

// run is a turn in progress. Its methods are called with the lock of the space.
type run struct {
	s  *Session
	id string
	asked
	watching
	turn      turn.Turn
	fold      *transcript.Fold
	used      usage.Account
	need      *lifecycle.Need[*liveSession] // of a session, while it waits for that
	ctx       context.Context               // of what is done before the agent has the prompt
	cancel    context.CancelFunc
	done      chan struct{} // closed when the run is over
	mentions  mentions.Run
	elsewhere *elsewhere.Run[target] // what it writes to other spaces
	sent      *liveSession           // with which the agent got the prompt, nil until then
	actions   actions.Turn           // what the agent did, asked for, and was answered
	heldTo    bool                   // the agent asks as the space needs it, when it got the prompt
	obeyed    bool                   // it was seen to that the agent is held to what the user wants, so that the prompt is sent
}

// asked is what the agent is asked.
type asked struct {
	draft    prompt.Draft
	from     string // the member that asks, "" for the user
	promptID string // of the message with it
}

// watching is what whoever watches the files knows of a run.
type watching struct {
	watched chan struct{}         // closed when the beginning was told
	ready   func(context.Context) // set by then; blocks until the files may change
}

// part is the message of a run in progress; after a mention it is another one.
func (r *run) part() *transcript.Fold {
	if f := r.s.turns.Resume(); f != nil && f.RunID == r.id && f != r.fold {
		r.fold = f
		r.s.Touched()
	}
	return r.fold
}

// place is where the run, and its call, "" if that is not known, are. The name of the space is read meanwhile.
func (r *run) place(call string) *displays.From {
	s := r.s
	from := &displays.From{SpaceID: s.space.ID, SpaceName: pending.Short(s.m.saved.Title(s.space.ID)), Agent: s.member.Name, RunID: r.id, MessageID: s.turns.Current().ID}
	if call != "" {
		from.ToolCallID = call
		if in := s.turns.With(call); in != nil {
			from.MessageID = in.ID
		}
	}
	return from
}

// start continues a run that is stored: its agent is needed.
func (r *run) start() {
	if !r.turn.Start() {
		return // it was stopped
	}
	r.s.life.Used()
	r.s.w.begins(r.s, r)
	r.await()
}

// await has the run wait for a session.
func (r *run) await() {
	r.need = &lifecycle.Need[*liveSession]{Done: r.connected}
	r.s.life.Need(r.need)
}

// connected continues a run that has waited for a session.
func (r *run) connected(l *liveSession, err error) {
	r.need = nil
	if err != nil {
		r.finish(acp.PromptResult{}, err)
		return
	}
	l.stage.BeginTurn()
	r.turn.Prepare()
	r.s.w.prepare(l, r, func(prompt []sdk.ContentBlock, err error) {
		r.s.Step(func() { r.prepared(l, prompt, err) })
	})
}

// prepared continues a run whose prompt is complete.
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
	r.s.w.prompt(l, r, prompt, func(res acp.PromptResult, err error) {
		r.s.Step(func() {
			l.lives()
			r.turnOver(l, res, err)
		})
	})
}

// reopen gives a run another session, in a new process, whose folder is the one that is there now. What the agent has of the one before stays there.
func (r *run) reopen(l *liveSession) {
	s := r.s
	l.replaced = true
	r.part().Note(turn.Replaced(l.config.Name, s.space.Folder))
	s.Flush()
	l.stage.EndTurn()
	r.await()
}

// sends notes that the agent is about to get the prompt; false where the run was stopped. release lets the next prompt of the process be sent.
func (r *run) sends(l *liveSession, release func()) bool {
	s := r.s
	r.sent = l
	r.actions.Found.Begin(l.plan != nil, s.desk.Mode.Now(), s.m.opt.Rules())
	if r.turn.Stopping() || l.stage.Phase() != lifecycle.InTurn {
		s.Effect(release)
		return false
	}
	r.turn.Send()
	r.turn.Progress.Sent = s.m.now()
	l.prompted = true
	r.expectLife(l, release)
	return true
}

// expectLife begins to wait for a sign of life of a prompt that is about to be sent.
func (r *run) expectLife(l *liveSession, release func()) {
	s, limit := r.s, r.s.m.opt.Limits.Quiet
	missing := l.pulse.Expect(release)
	s.Later(limit, func() {
		if !missing() || s.run != r || r.turn.Stopping() {
			return
		}
		r.part().Note(turn.Silence(l.config.Name, limit))
		s.Flush()
	})
}

// notesWork notes what the agent has sent for the run in progress, and whether that shows something; nil is a request.
func (r *run) notesWork(u *transcript.Update) {
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

// turnOver takes the end of a turn of the agent.
func (r *run) turnOver(l *liveSession, res acp.PromptResult, err error) {
	l.stage.EndTurn()
	if r.wantsProcess(l, err) {
		r.again(l)
		return
	}
	l.signedIn = l.signedIn && err != nil // the sign-in holds in this process
	r.finish(res, err)
	l.stage.Serve()
}

// wantsProcess reports whether an agent has asked for a sign-in though the user has signed in in its process, and done nothing else: some take that over
// only when they start.
func (r *run) wantsProcess(l *liveSession, err error) bool {
	return err != nil && l.signedIn && r.turn.Phase() == turn.Sent && !r.turn.Shows() && !r.turn.Stopping() && !r.s.life.Left() && failure.Of(err).Code == "auth_required"
}

// again has a run begin once more in a new process.
func (r *run) again(l *liveSession) {
	r.turn.Again()
	r.s.life.StartFresh()
	l.stage.End(lifecycle.Ending{})
	r.await()
}

// finish ends a run and starts the next one that waits.
func (r *run) finish(res acp.PromptResult, err error) {
	if !r.turn.End() {
		return
	}
	s := r.s
	r.cancel()
	now := s.m.now()
	s.Writer = s.turns
	if !s.turns.Paused() || err != nil && !r.turn.Stopping() { // it is to say what went wrong
		r.part()
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
		s.desk.Withdraw(requests.Exited)
	}
	s.desk.Withdraw(requests.Stopped)
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
	s.heard(s.member, r, r.mentions.Words.String())
	if tell := r.mentions.Ended(done, r.turn.Stopping()); tell != nil {
		s.After(tell)
	}
	s.w.over(s, r)
	if (err == nil || r.turn.Stopping()) && !s.life.Left() {
		s.nextPrompt()
	}
	s.life.Rest()
	s.changed()
	s.Effect(func() { close(r.done) })
	s.life.FinishLeaving()
}

// stop is [Prompts.Stop] for the run in progress, nil for none; why is what becomes of open permission requests.
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
	s.desk.Withdraw(why)
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
	case turn.Preparing, turn.Over: // it ends by itself, or has ended
	}
}

// cancelTurn asks the agent to end its turn, and ends its process if it doesn't within the limit.
func (r *run) cancelTurn(l *liveSession) {
	s := r.s
	l.conn.Canceled = s.m.opt.Now()
	s.w.cancel(l)
	s.Later(s.m.opt.Limits.Stop, func() {
		if s.run != r || s.life.Live() != l {
			return
		}
		s.m.opt.Log.Warn().Str("agent", l.config.ID).Msg("the agent did not end its turn after a stop; it is ended")
		if s.w.shares(l) {
			r.part().Note(turn.Unstopped(l.config.Name))
		}
		l.stage.End(lifecycle.Ending{})
	})
}

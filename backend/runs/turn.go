package runs

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/elsewhere"
	"weft/backend/failure"
	"weft/backend/lifecycle"
	"weft/backend/mentions"
	"weft/backend/owner"
	"weft/backend/prompt"
	"weft/backend/promptqueue"
	"weft/backend/requests"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// ContinuePrompt is what an agent is told after it was restarted in the middle of a turn.
const ContinuePrompt = "You were interrupted and restarted. Please continue where you left off."

// Send gives a prompt to members of a space, or queues it for those with a turn in progress; without members it is for the default member. What they
// are asked is in the space once. It blocks for a commit, and for the start of an agent that has yet to say what parts it can take. It returns
// the id of the message or of the queue entry.
func (ps Prompts) Send(ctx context.Context, spaceID string, to []string, text string, parts ...Part) (queued bool, id string, err error) {
	r, err := ps.m.runtime(ctx, spaceID)
	if err != nil {
		return false, "", err
	}
	if len(to) == 0 {
		to = []string{""}
	}
	var sessions []*Session
	for _, member := range to {
		s, err := r.memberSession(ctx, member)
		if err != nil {
			return false, "", err
		}
		if err := s.admit(ctx, parts); err != nil {
			return false, "", err
		}
		if !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	err = r.Do(r.sending(sessions, promptqueue.Prompt{Text: text, Parts: parts}, &queued, &id))
	return queued, id, err
}

// sending is the command that gives a prompt to members.
func (r *spaceRuntime) sending(sessions []*Session, q promptqueue.Prompt, queued *bool, id *string) owner.Command {
	return owner.Command{
		Before: func() error {
			for _, s := range sessions {
				if !s.life.Busy() {
					s.turns.EndReplay()
				}
			}
			return nil
		},
		Change: func() (then, undo func(), err error) {
			*queued, *id, then, undo, err = r.prompt(sessions, q)
			return then, undo, err
		},
	}
}

// prompt begins a run of each of the sessions, or queues the prompt for those that are busy; then starts the runs. The lock is held.
func (r *spaceRuntime) prompt(sessions []*Session, q promptqueue.Prompt) (queued bool, id string, then, undo func(), err error) {
	for _, s := range sessions {
		if r.gone || s.life.Left() {
			return false, "", nil, nil, owner.ErrClosing
		}
	}
	var later []*Session
	var begun []func()
	undo = r.mark()
	for _, s := range sessions {
		if s.life.Busy() {
			later = append(later, s)
			continue
		}
		said, start, takeBack := s.prepare(q)
		id, q.Said = said, said
		begun, undo = append(begun, start), both(takeBack, undo)
	}
	queued = id == ""
	if len(later) > 1 && queued {
		q.Group = r.newID("group")
	}
	for _, s := range later {
		if waits := r.line(s.member.ID, q); id == "" {
			id = waits
		}
	}
	return queued, id, func() {
		for _, start := range begun {
			start()
		}
		r.changed()
	}, undo, nil
}

// mark returns what gives the space back its queue and its writer.
func (r *spaceRuntime) mark() (undo func()) {
	queue, writer := r.queue, r.Writer
	return func() { r.queue, r.Writer = queue, writer }
}

func both(first, then func()) func() {
	return func() {
		first()
		then()
	}
}

// Restart ends a member's session ("": of the default member), and with it the agent's process if that serves no other space, and then sends
// text with a new process; an empty text sends [ContinuePrompt]. An agent that cannot continue its session gets, behind
// the text, what was said last.
func (ps Prompts) Restart(ctx context.Context, spaceID, memberID, text string, last Prompt) error {
	s, err := ps.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	if err := s.life.Close(); err != nil {
		return err
	}
	if text == "" {
		text = ContinuePrompt
	}
	s.Lock()
	s.life.StartFresh()
	if last.Text != "" && last.Text != text || len(last.Parts) > 0 {
		s.again = &last
	}
	s.Unlock()
	_, _, err = ps.Send(ctx, spaceID, []string{s.member.ID}, text)
	return err
}

// begin starts a run. The lock is held. It returns the id of the message with what is asked.
func (s *Session) begin(q promptqueue.Prompt) string {
	id, start, _ := s.prepare(q)
	s.Flush()
	s.Afterwards(start)
	s.changed()
	return id
}

// prepare is a run before it is stored. start is called once it is, undo where it can't be. The lock is held.
func (s *Session) prepare(q promptqueue.Prompt) (id string, start, undo func()) {
	takeBack, again := s.turns.Mark(), s.again
	s.turns.Agent = s.author()
	if q.From != "" || s.again == nil && q.Text != ContinuePrompt { // an agent that continues keeps the limit of what it was asked before
		s.desk.Mode.Limit(q.Limit, q.From)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{
		id: s.newID("run"), prompt: q.Text, parts: q.Parts, from: q.From, again: s.again, started: s.m.now(), before: s.cost, ctx: ctx, cancel: cancel, done: make(chan struct{}),
		budget: q.Budget, depth: q.Depth, reply: q.Reply,
	}
	r.elsewhere = elsewhere.NewRun(home{s.spaceRuntime}, r.id, s.space.ID, r.started)
	s.again = nil
	if r.budget == nil {
		r.budget = mentions.NewBudget(s.m.opt.Now())
	}
	s.Writer = s.turns
	if r.promptID = q.Said; r.promptID == "" {
		r.promptID = s.turns.Prompt(q.Text, prompt.Contents(q.Parts)...)
	}
	s.Box.Add(&transcript.RunCreated{
		RunID: r.id, AgentID: s.space.AgentID, AgentName: s.turns.Agent.Name, MemberID: transcript.MemberField(s.member.ID), PromptID: r.promptID,
	})
	r.fold = s.turns.Begin(r.id, q.Text)
	r.fold.ExpectEchoes(len(q.Parts))
	if q.From != "" {
		r.prompt = q.From + " asks you in this space:\n\n" + q.Text
		r.fold.ExpectEcho(r.prompt)
	}
	if text := s.desk.Mode.Notice(); text != "" {
		r.fold.Note(text)
	}
	s.run = r
	s.Touched()
	start = func() { s.start(r) }
	undo = func() {
		cancel()
		takeBack()
		s.run, s.again = nil, again
		s.Touched()
	}
	return r.promptID, start, undo
}

// part is the message of a run in progress; after a mention it is another one. The lock is held.
func (s *Session) part(r *run) *transcript.Fold {
	if f := s.turns.Resume(); f != nil && f.RunID == r.id && f != r.fold {
		r.fold = f
		s.Touched()
	}
	return r.fold
}

// start continues a run that is stored: its agent is needed. The lock is held.
func (s *Session) start(r *run) {
	if r.phase != runNew {
		return // it was stopped
	}
	r.phase = runWaiting
	s.life.Used()
	s.w.begins(s, r)
	r.need = &lifecycle.Need[*liveSession]{Done: func(l *liveSession, err error) { s.connected(r, l, err) }}
	s.life.Need(r.need)
}

// connected continues a run that has waited for a session. The lock is held.
func (s *Session) connected(r *run, l *liveSession, err error) {
	r.need = nil
	if err != nil {
		s.finish(r, acp.PromptResult{}, err)
		return
	}
	l.stage.BeginTurn()
	r.phase = runPreparing
	s.w.prepare(l, r, func(prompt []sdk.ContentBlock, err error) {
		s.Lock()
		defer s.Unlock()
		s.prepared(r, l, prompt, err)
	})
}

// prepared continues a run whose prompt is complete. The lock is held.
func (s *Session) prepared(r *run, l *liveSession, prompt []sdk.ContentBlock, err error) {
	if err == nil && r.stopping {
		err = context.Canceled
	}
	if err != nil {
		s.turnOver(r, l, acp.PromptResult{}, err)
		return
	}
	s.w.prompt(l, r, prompt, func(res acp.PromptResult, err error) {
		s.Lock()
		defer s.Unlock()
		l.lives()
		s.turnOver(r, l, res, err)
	})
}

// sends notes that the agent is about to get the prompt of a run; false where it was stopped. release lets the next prompt of the process be sent. The
// lock is held.
func (s *Session) sends(r *run, l *liveSession, release func()) bool {
	r.sent = l
	r.actions.Found.Begin(l.plan != nil, s.desk.Mode.Now(), s.m.opt.Rules())
	if r.stopping || l.stage.Phase() != lifecycle.InTurn {
		s.Effect(release)
		return false
	}
	r.phase, r.prompted, l.prompted = runSent, true, true
	l.expectLife(r, release)
	return true
}

// turnOver takes the end of a turn of the agent. The lock is held.
func (s *Session) turnOver(r *run, l *liveSession, res acp.PromptResult, err error) {
	l.stage.EndTurn()
	s.finish(r, res, err)
	l.stage.Serve()
}

// finish ends a run and starts the next one that waits. The lock is held.
func (s *Session) finish(r *run, res acp.PromptResult, err error) {
	if r.phase == runOver {
		return
	}
	r.phase = runOver
	r.cancel()
	now := s.m.now()
	s.Writer = s.turns
	if !s.turns.Paused() || err != nil && !r.stopping { // it is to say what went wrong
		s.part(r)
	}
	r.fold.Model = s.turns.Model
	if res.Usage == nil {
		res.Usage = r.tokens.JSON()
	}
	res.Usage = usage.WithCost(res.Usage, s.cost.Since(r.before))
	l := s.life.Live()
	if l != nil {
		res.Usage = l.measured.Over(res.Usage)
		l.measured = usage.Measured{}
		l.calls.EndWriting()
		l.turnEnds(r)
		l.calls.Drafts.End()
	}
	s.weighFound(r, true)
	done := &transcript.RunCompleted{RunID: r.id, Model: s.turns.Model}
	if err != nil && l == nil && !r.stopping {
		s.desk.Withdraw(requests.Exited)
	}
	s.desk.Withdraw(requests.Stopped)
	switch {
	case err == nil:
		if res.StopReason == "cancelled" && !r.stopping { // nobody has stopped it
			if res.StopReason = "ended"; r.actions.Refused {
				res.StopReason = "refused"
			}
		}
		if r.stopping {
			r.fold.CancelOpen(now) // some agents end their turn as if nothing had been stopped
		}
		done.StopReason, done.Usage = res.StopReason, res.Usage
		if done.Error = l.empty(r, res); done.Error != nil {
			r.fold.Trouble(*done.Error)
		}
		s.turns.EndRun(r.fold, res.StopReason, res.Usage, now)
	case r.stopping:
		done.StopReason = "cancelled"
		s.turns.EndRun(r.fold, "cancelled", nil, now)
	default:
		f := failure.Of(err)
		done.StopReason, done.Error = "error", &f
		r.fold.Fail(f, now)
	}
	if l != nil {
		l.calls.Forget()
	}
	r.elsewhere.End(done.StopReason)
	s.leaveDisplays(r.id)
	if done.Error != nil {
		trimmed := *done.Error
		trimmed.Detail = ""
		done.Error = &trimmed
	}
	s.Box.Add(done)
	s.Flush()
	s.run, s.last = nil, r
	s.heard(s.member, r, r.words.String())
	r.answerWaiter(s, done)
	s.w.over(s, r)
	if !r.stopping && err == nil && !s.life.Left() {
		s.nextPrompt()
	}
	s.life.Rest()
	s.changed()
	s.Effect(func() { close(r.done) })
	s.life.FinishLeaving()
}

// Stop ends the run of a member that is in progress, "": all of the space: open permission requests are answered with cancelled,
// the agent is told (session/cancel), and its process is ended if it does not come to an
// end within 10 s (see condemn where that serves other spaces, too). It does not wait for the end; it is no error if nothing runs.
func (ps Prompts) Stop(_ context.Context, spaceID, memberID string) error {
	r := ps.m.open(spaceID)
	if r == nil {
		return nil
	}
	r.Lock()
	defer r.Unlock()
	for _, s := range r.inOrder() {
		if memberID == "" || s.member.ID == memberID {
			s.stopRun(requests.Stopped)
		}
	}
	r.changed()
	return nil
}

// StopRun is [Prompts.Stop] for one run, whatever space it works in. It is no error if it has ended.
func (ps Prompts) StopRun(_ context.Context, runID string) error {
	for _, s := range ps.m.all() {
		s.Lock()
		if s.run != nil && s.run.id == runID {
			s.stopRun(requests.Stopped)
			s.changed()
		}
		s.Unlock()
	}
	return nil
}

// stopRun is Stop with the lock held; why is what becomes of open permission requests.
func (s *Session) stopRun(why transcript.Resolution) {
	r := s.run
	if r == nil || r.stopping {
		return
	}
	r.stopping = true
	for _, id := range r.elsewhere.Stop() {
		s.Effect(func() { s.m.looksAnew(id) })
	}
	s.Touched()
	r.cancel()
	s.desk.Withdraw(why)
	s.Flush()
	switch r.phase {
	case runNew:
		s.finish(r, acp.PromptResult{}, context.Canceled)
	case runWaiting:
		s.life.CallOff(r.need)
		s.finish(r, acp.PromptResult{}, context.Canceled)
	case runSent:
		if l := s.life.Live(); l != nil {
			s.cutsShort(r, l)
		}
	case runPreparing, runOver: // it ends by itself, or has ended
	}
}

// cutsShort tells the agent to end its turn, and ends its process if it doesn't. The lock is held.
func (s *Session) cutsShort(r *run, l *liveSession) {
	l.cancelled = s.m.opt.Now()
	s.w.cancel(l)
	s.Later(s.m.opt.Limits.Stop, func() {
		if s.run != r || s.life.Live() != l {
			return
		}
		s.m.opt.Log.Warn().Str("agent", l.config.ID).Msg("the agent did not end its turn after a stop; it is ended")
		if s.w.shares(l) {
			s.part(r).Note(l.config.Name + " did not stop. It was cut off from this space, and its process ends as soon as it has finished in other spaces.")
		}
		l.stage.End(lifecycle.Ending{})
	})
}

// leave ends the session for good, with the turn that is in progress; why is what becomes of open permission requests. then is an effect once
// everything has ended. The lock is held.
func (s *Session) leave(why transcript.Resolution, then func()) {
	s.life.Leave(func() { s.stopRun(why) }, func() {
		s.leaving = slices.DeleteFunc(s.leaving, func(o *Session) bool { return o == s })
		s.Effect(then)
	})
}

// close ends the session for good, and blocks until it is gone; why is what becomes of open permission requests.
func (s *Session) close(why transcript.Resolution) {
	gone := make(chan struct{})
	s.Step(func() { s.leave(why, func() { close(gone) }) })
	<-gone
}

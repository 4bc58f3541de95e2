package runs

import (
	"context"
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/llm/usage"
	"weft/backend/space/elsewhere"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/prompt"
	"weft/backend/space/promptqueue"
	"weft/backend/space/requests"
	"weft/backend/space/turn"
)

// ContinuePrompt is the prompt for an agent that was restarted in the middle of a turn.
const ContinuePrompt = "You were interrupted and restarted. Please continue where you left off."

// Send sends a prompt to members of a space, or queues it for those with a turn in progress. An empty list means the
// default member. The prompt appears in the space once. Send blocks for a commit and, if a part has a blob, until the
// agent has started and its capabilities are known. It returns the id of the message or of the queue entry.
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

// sending returns the command that sends a prompt to members.
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

// prompt creates a run for each session, or queues the prompt if the session is busy. then starts the runs, undo
// removes them. The lock is held.
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
		q.Group = r.w.newID("group")
	}
	for _, s := range later {
		if waits := r.enqueue(s.member().ID, q); id == "" {
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

// mark returns a function that restores the queue and the writer of the space.
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

// Restart ends the session of a member ("": the default member), and its process unless it has other sessions, and then
// sends text in a new process. An empty text means [ContinuePrompt]. If the agent can't continue its session, last is
// added to the prompt.
func (ps Prompts) Restart(ctx context.Context, spaceID, memberID, text string, last prompt.Said) error {
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
	if last.Text != "" && last.Text != text || len(last.Attachments) > 0 {
		s.again = &last
	}
	s.Unlock()
	_, _, err = ps.Send(ctx, spaceID, []string{s.member().ID}, text)
	return err
}

// begin creates and starts a run. It returns the id of the message with the prompt. The lock is held.
func (s *Session) begin(q promptqueue.Prompt) string {
	id, start, _ := s.prepare(q)
	s.Flush()
	s.Afterwards(start)
	s.changed()
	return id
}

// prepare creates a run. The caller must call start once the run is stored, or undo if it can't be stored. The lock is
// held.
func (s *Session) prepare(q promptqueue.Prompt) (id string, start, undo func()) {
	takeBack, again := s.turns.Mark(), s.again
	if l := s.life.Live(); l != nil {
		l.session.Prompted()
	}
	s.turns.Agent = s.author()
	if q.From != "" || s.again == nil && q.Text != ContinuePrompt { // a continued prompt keeps its limit
		s.inbox.Mode.Limit(q.Limit, q.From)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{
		s: s, id: s.w.newID("run"), asked: asked{draft: prompt.Draft{Text: q.Text, Attachments: q.Parts, Again: s.again}, from: q.From}, turn: turn.Turn{Started: s.m.now()}, used: usage.Open(s.cost),
		ctx: ctx, cancel: cancel, done: make(chan struct{}), mentions: mentions.NewRun(q.Budget, q.Depth, q.Reply, s.m.opt.Now()),
	}
	r.elsewhere = elsewhere.NewRun(home{s.spaceRuntime}, r.id, s.space.ID, r.turn.Started)
	s.again = nil
	s.Writer = s.turns
	if r.promptID = q.Said; r.promptID == "" {
		r.promptID = s.turns.Prompt(q.Text, prompt.Contents(q.Parts)...)
	}
	s.Box.Add(&transcript.RunCreated{
		RunID: r.id, AgentID: s.space.AgentID, AgentName: s.turns.Agent.Name, MemberID: transcript.MemberField(s.member().ID), PromptID: r.promptID,
	})
	r.fold = s.turns.Begin(r.id, q.Text)
	r.fold.ExpectEchoes(len(q.Parts))
	if q.From != "" {
		r.draft.Text = q.From + " asks you in this space:\n\n" + q.Text
		r.fold.ExpectEcho(r.draft.Text)
	}
	if limited := s.inbox.Mode.Notice(); limited != "" {
		r.fold.Note(limited)
	}
	s.run = r
	s.Touched()
	undo = func() {
		cancel()
		takeBack()
		s.run, s.again = nil, again
		s.Touched()
	}
	return r.promptID, r.start, undo
}

// Stop stops the run of a member ("": all runs of the space). It answers open permission requests with "cancelled",
// sends session/cancel, and ends the session if the agent doesn't end its turn within 10 s. Queued prompts of the
// member are held; a prompt sent later goes first. Stop doesn't wait for the end of the run. It is not an error if
// there is none.
func (ps Prompts) Stop(_ context.Context, spaceID, memberID string) error {
	r := ps.m.open(spaceID)
	if r == nil {
		return nil
	}
	r.accept(stopped{r, memberID})
	return nil
}

// stop stops the run for the user and holds the member's queued prompts, so that a prompt sent later goes first. The
// lock is held.
func (s *Session) stop() {
	if s.run == nil {
		return
	}
	if s.queue.Hold(s.member().ID) {
		s.noteQueue()
	}
	s.run.stop(requests.Stopped)
}

// StopRun is [Prompts.Stop] for one run in any space. It is not an error if the run has ended.
func (ps Prompts) StopRun(_ context.Context, runID string) error {
	for _, s := range ps.m.all() {
		s.Lock()
		if s.run != nil && s.run.id == runID {
			s.stop()
			s.changed()
		}
		s.Unlock()
	}
	return nil
}

// leave ends the session and its run for good. why is the resolution of open permission requests. then is carried out
// as an effect once everything has ended. The lock is held.
func (s *Session) leave(why transcript.Resolution, then func()) {
	s.life.Leave(func() { s.run.stop(why) }, func() {
		s.leaving = slices.DeleteFunc(s.leaving, func(o *Session) bool { return o == s })
		s.Effect(then)
	})
}

// close is leave, but blocks until everything has ended. The lock isn't held.
func (s *Session) close(why transcript.Resolution) {
	gone := make(chan struct{})
	s.Step(func() { s.leave(why, func() { close(gone) }) })
	<-gone
}

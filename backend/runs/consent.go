package runs

import (
	"cmp"
	"context"

	"weft/backend/actions"
	"weft/backend/owner"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// consent decides whether an operation is carried out: by the user's rules and the mode of the space, by what the user has answered about it already, by a
// mode of the agent that the user chose, or by the user, who is asked. It blocks until then, holding nothing. done is given the result of the
// operation. Errors: *Error with a sentence for the agent, and the cause of ctx.
func (l *link) consent(ctx context.Context, o *requests.Operation) (done func(error), err error) {
	done, stored, err := l.decide(ctx, o)
	if stored == nil {
		return done, err
	}
	return done, cmp.Or(err, owner.Await(ctx, stored)) // before it is done
}

// decide is consent; stored is closed once the decision is stored, nil where none was noted.
func (l *link) decide(ctx context.Context, o *requests.Operation) (done func(error), stored <-chan struct{}, err error) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	done = func(error) {}
	if s.link != l || l.dropped.Load() {
		return done, nil, &Error{Code: "closed", Message: "This session has ended."}
	}
	a := &requests.Permission{Noted: l.vouchFor(o), Options: requests.Options, Call: o.Call, At: s.m.now(), Operation: o, Action: &o.Action}
	a.Describe(s.place())
	if o.Kind == actions.Edit && a.Outside() {
		return done, nil, &Error{Code: "outside", Message: o.Files[0] + " is outside of the space's folder, or a link to nothing, so it was not touched."}
	}
	if how, ok := s.policy().Judge(a); ok {
		if how.By == nil || how.By.Who != "answered" && how.By.Who != "default" {
			s.noteDecision(a, how)
			stored = s.Unstored()
		}
		return done, stored, requests.Refused(how)
	}
	if s.run == nil || s.run.stopping {
		return done, nil, &Error{Code: "no_run", Message: "The user can be asked for permission only during a turn, so this was not done."}
	}
	if !s.permissions.Hold(o) {
		return done, nil, &Error{Code: "too_many", Message: "The user has not answered your other requests yet, so this was not done. Wait for these answers first."}
	}
	patch := l.shownFor(a)
	said := make(chan struct{})
	a.ID, a.Tool, a.Tell = s.newID("ask"), patch.ID, func(requests.Outcome) { close(said) }
	if patch.Announced {
		s.part(s.run)
		done = func(err error) { l.endOperation(patch.ID, err) }
	}
	s.permissions.Add(a)
	s.turns.AskPermission(patch, a.ID, a.Options, a.Reading(), s.m.now())
	s.Flush()
	s.changed()
	changed := false
	s.Unlock()
	select {
	case <-said:
		now := o.TextNow()
		s.Lock()
		changed = o.Kind == actions.Edit && now != o.OldText()
	case <-ctx.Done():
		s.Lock()
		if s.permissions.IsOpen(a) {
			s.withdraw(a)
			s.Flush()
		}
	}
	s.permissions.Release(o)
	if a.How.Outcome != "selected" && ctx.Err() != nil {
		return done, nil, context.Cause(ctx)
	}
	if err := requests.Refused(a.How); err != nil {
		if a.How.Outcome == "selected" {
			done = func(error) {} // the row says already that it was rejected
		}
		return done, nil, err
	}
	return done, nil, s.policy().Still(a, changed)
}

// remember keeps an answer for what comes of it, and answers open requests about the same thing with it. The lock is held.
func (s *Session) remember(a *requests.Permission, r transcript.Resolution) {
	if a.OptionKind(r) == "allow_always" {
		s.m.notes.Let(s.space.AgentID, a.About.Kind)
	}
	if s.run == nil {
		return
	}
	answer, ok := a.Answer(r)
	if !ok {
		return
	}
	s.run.actions.Answers.Remember(answer)
	if answer.Always && answer.Kind == actions.Edit && s.link != nil {
		s.options.TrustEdits()
	}
}

// shownFor returns the call at which an operation is asked about: that of the agent which shows just this, else a row of Weft's own. The lock is held.
func (l *link) shownFor(a *requests.Permission) *transcript.ToolPatch {
	if at := a.Operation.At; at != "" && l.calls[at] != nil {
		return &transcript.ToolPatch{ID: at}
	}
	for id, call := range l.calls {
		if a.Operation.ShownBy(&call.Call, l.shown[id], l.s.space.Folder) && !l.s.permissions.AsksAbout(id) {
			return &transcript.ToolPatch{ID: id}
		}
	}
	row := a.Operation.Row
	row.ID, row.Announced, row.Input, row.Kind = l.s.newID("tool"), true, a.Call.Input, &a.Call.Kind
	return &row
}

// endOperation ends a row of Weft's own with the result of the operation.
func (l *link) endOperation(id string, err error) {
	s := l.s
	s.Lock()
	defer s.Unlock()
	if s.turns.With(id) == nil {
		return
	}
	status := transcript.StatusCompleted
	p := &transcript.ToolPatch{ID: id, Status: &status}
	if err != nil {
		words := err.Error()
		status, p.Error = transcript.StatusFailed, &words
	}
	s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, s.m.now())
	s.Flush()
}

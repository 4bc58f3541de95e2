package runs

import (
	"cmp"
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/owner"
	"weft/backend/space/requests"
)

// consent decides whether an operation is allowed: by the user's rules and the mode of the space, by an earlier answer
// of the user, by a mode of the agent that the user chose, or by asking the user. It blocks until then, without a lock.
// The caller must call done with the result of the operation. Errors: *Error with a sentence for the agent, and the
// cause of ctx.
func (l agentRequests) consent(ctx context.Context, o *requests.Operation) (done func(error), err error) {
	done, stored, err := l.decide(ctx, o)
	if stored == nil {
		return done, err
	}
	return done, cmp.Or(err, owner.Await(ctx, stored)) // store the decision before the operation
}

// decide is consent without waiting for the store. stored is closed when the decision is stored; it is nil if nothing
// was recorded.
func (l agentRequests) decide(ctx context.Context, o *requests.Operation) (done func(error), stored <-chan struct{}, err error) {
	s := l.s
	view := s.foresee(o.Call)
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	done = func(error) {}
	if s.life.Live() != l.liveSession || l.dropped.Load() {
		return done, nil, newError("closed", "This session has ended.")
	}
	var w *requests.Waiting
	recorded := false
	s.withView(view, func() { w, recorded, err = l.calls.Consent(o) })
	row := ""
	if o.OwnRow && err == nil {
		row = o.At
	}
	done = func(err error) {
		if row != "" && (err != nil || o.Kind != actions.Execute) { // the row of a started command ends with the command
			s.Step(func() { s.inbox.Permissions.EndRow(row, err) })
		}
	}
	if w == nil {
		if recorded {
			stored = s.Unstored()
		}
		return done, stored, err
	}
	changed := false
	s.Unlock()
	select {
	case <-w.Answer:
		now := o.TextNow()
		view = s.foresee(o.Call) // links may have changed
		s.Lock()
		changed = o.Kind == actions.Edit && now != o.OldText() && now != o.Changes[0].New
	case <-ctx.Done():
		s.Lock()
		s.inbox.Permissions.GiveUp(w.Permission)
		s.Flush()
	}
	s.withView(view, func() { err = s.inbox.Permissions.Consented(w, changed, context.Cause(ctx)) })
	if w.How.Outcome == "selected" && requests.Refused(w.How) != nil {
		row = "" // the row already shows the rejection
	}
	return done, nil, err
}

// permits returns whether the agent may do what it asks about. If the user has to decide, it blocks until the user has
// answered.
func (l agentRequests) permits(ctx context.Context, p requests.ToPermit) (any, error) {
	if err := l.ours(p.SessionID); err != nil {
		return nil, err
	}
	s := l.s
	out, err := p.Decide(s.place(), s.m.opt.Rules(), func() permission.Mode {
		s.Lock()
		defer s.Unlock()
		return s.inbox.Mode.Now()
	})
	if err != nil {
		return nil, err
	}
	if out != nil {
		return out, nil
	}
	done, err := l.consent(ctx, p.Operation(l.folder()))
	done(err)
	if err != nil {
		return nil, err
	}
	return requests.Permitted{Denied: []int{}}, nil
}

// Permit requests permission for a call of a gateway tool, the way agents do for their own tools: the user's rules and
// the mode of the space decide, or the user is asked at the agent's call in the run of from. It blocks until then.
// Errors: *Error (no_run, denied, cancelled).
func (ts Tools) Permit(ctx context.Context, from MemberKey, c requests.GatewayCall) error {
	if c.Again {
		return ts.permitAgain(ctx, from, &c)
	}
	s, r, err := ts.runIn(from)
	if err != nil {
		return err
	}
	stored, err := s.permit(ctx, r, &c)
	if stored == nil {
		return err
	}
	return cmp.Or(err, owner.Await(ctx, stored)) // store the decision before the tool acts
}

// permit is [Tools.Permit] for a run, without waiting for the store. stored is closed when the decision is stored; it
// is nil if there was none.
func (s *Session) permit(ctx context.Context, r *run, c *requests.GatewayCall) (stored <-chan struct{}, err error) {
	view := s.foresee(c.Asks())
	s.Lock()
	defer s.Unlock()
	shown := c.Call
	if shown == "" {
		if _, g, _ := s.claimed(ctx, c.Tool, c.Sent); g != nil {
			shown = g.ID
		}
	}
	if s.run != r || r.turn.Stopping() {
		return nil, errNoRun
	}
	var w *requests.Waiting
	var how transcript.Resolution
	s.withView(view, func() { w, how = s.inbox.Permissions.Permit(c, shown) })
	if w == nil {
		return s.Unstored(), c.Denied(how)
	}
	s.Unlock()
	select {
	case said := <-w.Answer:
		s.Lock()
		how = requests.Resolution(said)
	case <-ctx.Done():
		s.Lock()
		s.inbox.Permissions.GiveUp(w.Permission)
		s.Flush()
		return nil, c.Canceled(ctx.Err())
	}
	s.inbox.Permissions.Permitted(c, w, how)
	return s.Unstored(), c.Denied(how)
}

// permitAgain checks a call that the user repeats. The user's rules and the mode of the space can still refuse it.
// Errors: *Error (denied).
func (ts Tools) permitAgain(ctx context.Context, from MemberKey, c *requests.GatewayCall) error {
	s, err := ts.m.session(ctx, from.SpaceID, from.MemberID)
	if err != nil {
		return err
	}
	view := s.foresee(c.Asks())
	s.Lock()
	defer s.Unlock()
	s.withView(view, func() { err = s.inbox.Permissions.PermitAgain(c) })
	return err
}

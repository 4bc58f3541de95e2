package runs

import (
	"cmp"
	"context"

	"weft/backend/asking"
	"weft/backend/owner"
	"weft/backend/transcript"
)

// Permit asks whether a tool of the gateway may act, as an agent asks for its own tools: the user's rules and the mode of the
// space decide, or the user does, in the run of From, at the call that the agent shows. It blocks until then. Errors: *Error (no_run, denied, cancelled).
func (ts Tools) Permit(ctx context.Context, from MemberKey, c asking.GatewayCall) error {
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
	return cmp.Or(err, owner.Await(ctx, stored)) // before it acts
}

// permit is [Tools.Permit] for a run; stored is closed once the decision is stored, nil where there was none.
func (s *Session) permit(ctx context.Context, r *run, c *asking.GatewayCall) (stored <-chan struct{}, err error) {
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
	var how transcript.Resolution
	w, how := s.desk.Permissions.Permit(c, shown)
	if w == nil {
		return s.Unstored(), c.Denied(how)
	}
	s.Unlock()
	select {
	case said := <-w.Answer:
		s.Lock()
		how = asking.Resolution(said)
	case <-ctx.Done():
		s.Lock()
		s.desk.Permissions.GiveUp(w.Permission)
		s.Flush()
		return nil, c.Canceled(ctx.Err())
	}
	s.desk.Permissions.Permitted(c, w, how)
	return s.Unstored(), c.Denied(how)
}

// permitAgain asks whether a tool of the gateway may act once more, as the user wants: rules and the mode of the space can
// still refuse it. Errors: *Error (denied).
func (ts Tools) permitAgain(ctx context.Context, from MemberKey, c *asking.GatewayCall) error {
	s, err := ts.m.session(ctx, from.SpaceID, from.MemberID)
	if err != nil {
		return err
	}
	s.Lock()
	defer s.Unlock()
	return s.desk.Permissions.PermitAgain(c)
}

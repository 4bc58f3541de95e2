package runs

import (
	"context"

	"weft/backend/acp"
	"weft/backend/transcript"
)

// ask is an open permission request.
type ask struct {
	link    *link
	request *acp.Request
	options []transcript.PermissionOption // as the agent sent them
}

// askPermission puts the agent's question before the person. The mutex is held.
func (l *link) askPermission(in *acp.Inbound) {
	req, err := acp.DecodePermission(in.Request.Params)
	if err != nil {
		l.answer(in.Request.Error(acp.CodeInvalidParams, err.Error()))
		l.note("The agent asked for permission in a way that cannot be answered: " + err.Error() + ".")
		return
	}
	if l.acpID != "" && req.SessionID != l.acpID {
		l.answer(in.Request.Result(cancelledOutcome))
		return
	}
	if req.Tool == nil {
		title, id := "Permission", newID("tool")
		req.Tool = &transcript.ToolPatch{ID: id, Title: &title}
	}
	id := newID("ask")
	if l.s.run == nil || l.s.run.stopping {
		// There is no turn to ask the person in, but the call is shown all the same.
		l.s.turns.AskPermission(req.Tool, id, req.Options, l.s.m.now())
		l.s.turns.ResolvePermission(id, "cancelled", "", l.s.m.now())
		l.answer(in.Request.Result(cancelledOutcome))
		return
	}
	req.Tool.Announced = true
	l.s.m.opt.Watch.Tool(l.s.space.ID, req.Tool)
	l.s.asks[id] = &ask{link: l, request: in.Request, options: req.Options}
	l.s.turns.AskPermission(req.Tool, id, req.Options, l.s.m.now())
	l.s.m.opt.OnChange(l.s.space.ID)
}

type outcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId,omitempty"`
	} `json:"outcome"`
}

var cancelledOutcome = func() (o outcome) {
	o.Outcome.Outcome = "cancelled"
	return o
}()

// Answer gives the person's answer to a permission request; an empty optionID answers
// "cancelled". Errors: not_waiting where the request is not open (any more), invalid where
// it has no such option.
func (m *Manager) Answer(_ context.Context, spaceID, requestID, optionID string) error {
	s := m.known(spaceID)
	if s == nil {
		return errNotWaiting
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[requestID]
	if a == nil {
		return errNotWaiting
	}
	o, result := cancelledOutcome, "cancelled"
	if optionID != "" {
		i := transcript.OptionIndex(a.options, optionID)
		if i < 0 {
			return &Error{Code: "invalid", Message: "The agent did not offer this answer."}
		}
		o.Outcome.Outcome, o.Outcome.OptionID, result = "selected", a.options[i].ID, "selected"
	}
	// Stored before the agent learns of it: what it does next comes after.
	delete(s.asks, requestID)
	s.turns.ResolvePermission(requestID, result, optionID, m.now())
	s.flush()
	a.link.answer(a.request.Result(o))
	m.opt.OnChange(spaceID)
	return nil
}

var errNotWaiting = &Error{Code: "not_waiting", Message: "The agent does not wait for this answer any more."}

// withdrawAsks answers all open requests with cancelled. The mutex is held.
func (s *Session) withdrawAsks() {
	for id, a := range s.asks {
		delete(s.asks, id)
		s.turns.ResolvePermission(id, "cancelled", "", s.m.now())
		a.link.answer(a.request.Result(cancelledOutcome))
	}
}

// withdrawn ends a request that the agent took back. The mutex is held.
func (s *Session) withdrawn(r *acp.Request) {
	for id, a := range s.asks {
		if a.request == r {
			delete(s.asks, id)
			s.turns.ResolvePermission(id, "cancelled", "", s.m.now())
			a.link.answer(r.Cancelled()) // it wants an answer all the same
			s.m.opt.OnChange(s.space.ID)
		}
	}
}

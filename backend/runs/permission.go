package runs

import (
	"context"

	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// askPermission answers a permission request by the user's rules, or puts it before the user. The lock is held.
func (l *link) askPermission(in *acp.Inbound) {
	req := acp.DecodePermission(in.Request.Params)
	if l.acpID != "" && req.SessionID != l.acpID {
		l.respond(in.Request, requests.Canceled)
		return
	}
	if req.Tool != nil {
		l.vouch(req.Tool.ID)
	}
	if list := acp.Questions(in.Request.Params); list != nil {
		l.askQuestions(in, req, list)
		return
	}
	if req.Tool == nil {
		title, id := "Permission", l.s.newID("tool")
		req.Tool = &transcript.ToolPatch{ID: id, Title: &title}
	}
	s := l.s
	a := &requests.Permission{
		ID: s.newID("ask"), Request: in.Request, Tell: l.teller(in.Request), Options: req.Options, Tool: req.Tool.ID, Call: l.calls.With(req.Tool), At: l.s.m.now(),
	}
	a.Describe(s.place())
	shown := l.shown.With(req.Tool)
	tool, own := l.requested(a, req.Tool, shown)
	if own && l.allowsOwn(a, req.Tool, tool) {
		return
	}
	if own {
		req.Tool = l.gate.AsCalled(req.Tool, &tool)
	} else {
		req.Tool, a.Call = l.legibleRequest(req.Tool)
		a.Describe(s.place())
	}
	a.Action = actions.Requested(&a.Call, a.About, shown)
	a.Noted = actions.About(&a.Call, a.About)
	s.noteAction(a.Noted)
	told := *req.Tool
	l.caught(l.modelCalls.Request(req.Tool), req.Tool.ID)
	if u := l.gated(&transcript.Update{Kind: transcript.UpdateTool, Tool: req.Tool}); u != nil { // some show a call only so
		told = *u.Tool
	} else if l.gate.Drawn(req.Tool.ID) {
		told = transcript.ToolPatch{ID: req.Tool.ID}
	}
	if s.run == nil || s.run.stopping {
		// There is no turn to ask the user in, but the call is shown all the same.
		r := requests.Stopped
		s.turns.DecidePermission(&told, a.ID, a.Options, a.Reading(), r, s.m.now())
		s.noteDecision(a, r)
		l.respond(in.Request, requests.Canceled)
		return
	}
	told.Announced = true
	s.watchTool(&told)
	if r, ok := s.policy().Judge(a); ok {
		s.turns.DecidePermission(&told, a.ID, a.Options, a.Reading(), r, s.m.now())
		s.noteDecision(a, r)
		s.remember(a, r)
		s.Flush()
		req := in.Request
		s.After(func() { s.w.answer(l, req, a.Outcome(r)) }) // what the agent does next comes after
		return
	}
	s.permissions.Add(a)
	s.turns.AskPermission(&told, a.ID, a.Options, a.Reading(), s.m.now())
	s.changed()
}

// teller returns what answers a request of the agent.
func (l *link) teller(r *acp.Request) func(requests.Outcome) {
	return func(o requests.Outcome) { l.s.w.answer(l, r, o) }
}

func (s *Session) place() permission.Place {
	return permission.Place{SpaceID: s.space.ID, Folder: s.space.Folder, AgentID: s.space.AgentID}
}

// Answer gives the user's answer to a permission request; an empty optionID answers
// "cancelled". Errors: not_waiting where the request is not open (any more), invalid where
// it has no such option.
func (m *Manager) Answer(_ context.Context, spaceID, requestID, optionID string) error {
	return m.answer(spaceID, requestID, func(a *requests.Permission) (transcript.Resolution, error) {
		switch {
		case optionID == "":
			return transcript.Resolution{Outcome: "cancelled"}, nil
		case transcript.OptionIndex(a.Options, optionID) < 0:
			return transcript.Resolution{}, &Error{Code: "invalid", Message: "The agent did not offer this answer."}
		}
		return transcript.Resolution{Outcome: "selected", OptionID: optionID}, nil
	})
}

// AnswerAs answers a permission request for the user with the agent's option that has an effect.
// Errors: not_waiting, and no_option where the agent offers none that says it.
func (m *Manager) AnswerAs(spaceID, requestID string, effect permission.Effect) error {
	return m.answer(spaceID, requestID, func(a *requests.Permission) (transcript.Resolution, error) {
		if r, ok := a.Answered(effect, nil); ok {
			return r, nil
		}
		return transcript.Resolution{}, &Error{Code: "no_option", Message: "The agent offers no answer that allows just this once. Choose one of its own."}
	})
}

// answer ends a request as the user says. Where that can't be stored it stays open, with an error.
func (m *Manager) answer(spaceID, requestID string, how func(*requests.Permission) (transcript.Resolution, error)) error {
	r := m.open(spaceID)
	if r == nil {
		return errNotWaiting
	}
	return r.Do(r.answers(requestID, how))
}

// answers is the command that ends a request as the user says.
func (r *room) answers(requestID string, how func(*requests.Permission) (transcript.Resolution, error)) owner.Command {
	return owner.Command{
		Final: true,
		Before: func() error {
			_, a := r.request(requestID)
			if a == nil {
				return errNotWaiting
			}
			_, err := how(a)
			return err
		},
		Change: func() (then, undo func(), err error) {
			s, a := r.request(requestID)
			if a == nil {
				return nil, nil, errNotWaiting
			}
			res, err := how(a)
			if err == nil {
				s.resolve([]*requests.Permission{a}, []transcript.Resolution{res})
			}
			return nil, nil, err
		},
	}
}

// RefuseAll refuses all open permission requests of a space and returns how many that were. Where an agent offers no
// answer that refuses, it is told "cancelled". Requests stay open where that can't be stored, with an error.
func (m *Manager) RefuseAll(spaceID string) (n int, err error) {
	r := m.open(spaceID)
	if r == nil || len(m.State(spaceID).Waits) == 0 {
		return 0, nil
	}
	err = r.Do(owner.Command{Final: true, Change: func() (then, undo func(), err error) {
		for _, s := range r.inOrder() {
			asks := s.permissions.List()
			how := make([]transcript.Resolution, len(asks))
			for i, a := range asks {
				how[i], _ = a.Answered(permission.Reject, nil)
			}
			if len(asks) > 0 {
				s.resolve(asks, how)
			}
			n += len(asks)
		}
		return nil, nil, nil
	}})
	return n, err
}

// Asked reads an open permission request again, as it stands now. Error: not_waiting.
func (m *Manager) Asked(spaceID, requestID string) (*permission.Subject, error) {
	r := m.open(spaceID)
	if r == nil {
		return nil, errNotWaiting
	}
	r.Lock()
	s, a := r.request(requestID)
	r.Unlock()
	if a == nil {
		return nil, errNotWaiting
	}
	return permission.Describe(&a.Call, s.place()), nil
}

// request returns an open permission request and whose it is, nil if it is not open. The lock is held.
func (r *room) request(id string) (*Session, *requests.Permission) {
	for _, s := range r.seats {
		if a := s.permissions.Get(id); a != nil {
			return s, a
		}
	}
	return nil, nil
}

var errNotWaiting = &Error{Code: "not_waiting", Message: "The agent does not wait for this answer any more."}

// resolve ends open requests: stored first, in one commit, and then told to the agent. The lock
// is held.
func (s *Session) resolve(asks []*requests.Permission, how []transcript.Resolution) {
	for i, a := range asks {
		s.permissions.End(a, how[i])
		s.turns.ResolvePermission(a.ID, how[i], s.m.now())
		s.noteDecision(a, how[i])
		s.remember(a, how[i])
	}
	s.Flush()
	s.After(func() {
		for i, a := range asks {
			a.Tell(a.Outcome(how[i]))
		}
	})
	s.resolveAlike()
	s.changed()
}

// resolveAlike ends the open requests about what has just been answered. The lock is held.
func (s *Session) resolveAlike() {
	policy := s.policy()
	var asks []*requests.Permission
	var how []transcript.Resolution
	for _, a := range s.permissions.List() {
		if r, ok, _ := policy.AsBefore(a); ok {
			asks, how = append(asks, a), append(how, r)
		}
	}
	if len(asks) > 0 {
		s.resolve(asks, how)
	}
}

// Reconsider decides the open requests of a space, or with an empty id of all of them, by the rules
// as they are now, and returns how many that has answered.
func (m *Manager) Reconsider(spaceID string) (answered int) {
	for _, s := range m.all() {
		if spaceID == "" || s.space.ID == spaceID {
			answered += s.reconsider()
		}
	}
	return answered
}

func (s *Session) reconsider() int {
	s.Lock()
	defer s.Unlock()
	policy := s.policy()
	var asks []*requests.Permission
	var how []transcript.Resolution
	for _, a := range s.permissions.List() {
		a.Describe(s.place())
		if r, ok := policy.Judge(a); ok {
			asks, how = append(asks, a), append(how, r)
		}
	}
	if len(asks) > 0 {
		s.resolve(asks, how)
	}
	return len(asks)
}

// Covered counts the open requests that set, and not the rules as they are, would decide. One reports whether
// that request is among them.
func (m *Manager) Covered(set *permission.Set, spaceID, requestID string) (one bool, others int) {
	for _, s := range m.all() {
		s.Lock()
		policy := s.policy()
		policy.Rules = set
		for _, a := range s.permissions.List() {
			if _, ok := policy.ByRules(a); !ok {
				continue
			}
			if s.space.ID == spaceID && a.ID == requestID {
				one = true
			} else {
				others++
			}
		}
		s.Unlock()
	}
	return one, others
}

// withdrawPermissions answers all open requests with cancelled. The lock is held.
func (s *Session) withdrawPermissions(why transcript.Resolution) {
	for _, a := range s.permissions.List() {
		s.permissions.End(a, why)
		s.turns.ResolvePermission(a.ID, why, s.m.now())
		s.noteDecision(a, why)
		s.Effect(func() { a.Tell(requests.Canceled) })
	}
	s.Touched()
}

// withdrawn ends a request that the agent took back. The lock is held.
func (l *link) withdrawn(r *acp.Request) {
	if a := l.s.permissions.Of(r); a != nil {
		l.s.withdraw(a)
		l.takeBack(r) // it wants an answer all the same
	}
}

// abandoned ends the requests about a call that the agent has ended without their answers. The lock is held.
func (s *Session) abandoned(tool string) {
	for _, a := range s.permissions.List() {
		if a.Tool == tool && !s.turns.Waits(a.ID) {
			s.withdraw(a)
			s.Effect(func() { a.Tell(requests.Canceled) })
		}
	}
}

// withdraw ends a request that the agent does not wait for any more. The lock is held.
func (s *Session) withdraw(a *requests.Permission) {
	s.permissions.End(a, requests.Withdrawn)
	s.turns.ResolvePermission(a.ID, requests.Withdrawn, s.m.now())
	s.noteDecision(a, requests.Withdrawn)
	s.changed()
}

// noteDecision keeps what became of a request, to be committed with the event that reports it. The lock is held.
func (s *Session) noteDecision(a *requests.Permission, r transcript.Resolution) {
	d := a.Decision(r)
	d.At, d.SpaceID, d.AgentID, d.AgentName = s.m.now(), s.space.ID, s.space.AgentID, s.turns.Agent.Name
	if s.run != nil && d.Outcome == requests.Refusal {
		s.run.refused = true
	}
	if a.Noted != nil && d.Outcome == requests.Refusal {
		a.Noted.Refused = true
	}
	s.Decided(d)
}

// policy returns what decides requests without asking the user, as it is now. The lock is held.
func (s *Session) policy() *requests.Policy {
	p := &requests.Policy{Place: s.place(), Rules: s.m.opt.Rules(), Mode: s.modeNow(), SpaceMode: s.mode, AskedBy: s.limitBy, Trusts: s.options.Trusts}
	if s.run != nil {
		p.Answers = &s.run.actions.Answers
	}
	return p
}

package runs

import (
	"context"

	"weft/backend/acp"
	"weft/backend/asking"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
	"weft/backend/turn"
)

// askPermission answers a permission request by the user's rules, or puts it before the user. The lock is held.
func (l agentRequests) askPermission(in *acp.Inbound) {
	req := acp.DecodePermission(in.Request.Params)
	if l.session.Other(req.SessionID) {
		l.respond(in.Request, requests.Canceled)
		return
	}
	if req.Tool != nil {
		req.Tool = l.calls.IDs.Request(req.Tool)
	}
	if list := acp.Questions(in.Request.Params); list != nil {
		if req.Tool != nil {
			l.calls.Watch.Vouch(req.Tool.ID)
		}
		l.askQuestions(in, req, list)
		return
	}
	if req.Tool == nil {
		title, id := "Permission", l.s.w.newID("tool")
		req.Tool = &transcript.ToolPatch{ID: id, Title: &title}
	}
	a, r := &requests.Permission{ID: l.s.w.newID("ask"), Request: in.Request, Options: req.Options, Tool: req.Tool.ID, At: l.s.m.now()}, l.s.run
	a.Tell = func(o requests.Outcome) { l.tell(a, r, o) }
	l.calls.Ask(a, req.Tool)
}

// tell gives the agent the answer to a permission request of a run. What was allowed for a folder in whose place is another one by now is rejected.
func (l agentRequests) tell(a *requests.Permission, r *run, o requests.Outcome) {
	if r == nil || !a.Allows(o) || l.conn.Files == nil { // the latter in a simulation
		l.s.w.answer(l.liveSession, a.Request, o)
		return
	}
	l.s.w.Run(func() {
		err := l.conn.Files.Current(r.ctx, "")
		if r.ctx.Err() != nil {
			o = requests.Canceled // it was stopped meanwhile
		} else if err != nil {
			o = a.Rejected()
			l.put(func() { l.note(turn.Rejected(l.config.Name, l.s.space.Folder)) })
		}
		l.s.w.answer(l.liveSession, a.Request, o)
	})
}

func (s *Session) place() permission.Place {
	return permission.Place{SpaceID: s.space.ID, Folder: s.space.Folder, AgentID: s.space.AgentID}
}

// Answer gives the user's answer to a permission request; an empty optionID answers
// "cancelled". Errors: not_waiting where the request is not open (any more), invalid where it has no such option.
func (rs Requests) Answer(_ context.Context, spaceID, requestID, optionID string) error {
	return rs.answer(spaceID, requestID, asking.Selected(optionID))
}

// AnswerAs answers a permission request for the user with the agent's option that has an effect.
// Errors: not_waiting, and no_option where the agent offers none that says it.
func (rs Requests) AnswerAs(spaceID, requestID string, effect permission.Effect) error {
	return rs.answer(spaceID, requestID, asking.WithEffect(effect))
}

// answer ends a request as the user says. Where that can't be stored it stays open, with an error.
func (rs Requests) answer(spaceID, requestID string, how asking.Answers) error {
	r := rs.m.open(spaceID)
	if r == nil {
		return asking.ErrNotWaiting
	}
	return r.Do(asking.Answering(r.desks, requestID, how))
}

// RefuseAll refuses all open permission requests of a space and returns how many that were. Where an agent offers no
// answer that refuses, it is told "cancelled". Requests stay open where that can't be stored, with an error.
func (rs Requests) RefuseAll(spaceID string) (n int, err error) {
	r := rs.m.open(spaceID)
	if r == nil || len(rs.m.State(spaceID).Waits) == 0 {
		return 0, nil
	}
	err = r.Do(asking.RefusingAll(r.desks, &n))
	return n, err
}

// Asked reads an open permission request again, as it stands now. It follows links on disk. Error: not_waiting.
func (rs Requests) Asked(spaceID, requestID string) (*permission.Subject, error) {
	r := rs.m.open(spaceID)
	if r == nil {
		return nil, asking.ErrNotWaiting
	}
	r.Lock()
	call, at, err := r.desks().Call(requestID)
	r.Unlock()
	if err != nil {
		return nil, err
	}
	return permission.Describe(&call, at), nil
}

// desks returns those of the sessions, in the order in which their members came. The lock is held.
func (r *spaceRuntime) desks() (list asking.Desks) {
	for _, s := range r.inOrder() {
		list = append(list, s.desk)
	}
	return list
}

// Reconsider decides the open requests of a space, or with an empty id of all of them, by the rules
// as they are now, and returns how many that has answered.
func (rs Requests) Reconsider(spaceID string) (answered int) {
	for _, s := range rs.m.all() {
		if spaceID == "" || s.space.ID == spaceID {
			s.Step(func() { answered += s.desk.Permissions.Reconsider() })
			s.required()
		}
	}
	return answered
}

// Covered counts the open requests that set, and not the rules as they are, would decide. One reports whether
// that request is among them.
func (rs Requests) Covered(set *permission.Set, spaceID, requestID string) (one bool, others int) {
	for _, s := range rs.m.all() {
		id := requestID
		if s.space.ID != spaceID {
			id = ""
		}
		s.Step(func() {
			found, more := s.desk.Permissions.Covered(set, id)
			one, others = one || found, others+more
		})
	}
	return one, others
}

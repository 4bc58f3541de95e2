package runs

import (
	"context"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/requests"
	"weft/backend/space/turn"
)

// askPermission answers a permission request by the user's rules, or asks the user. The lock is held.
func (l agentRequests) askPermission(in *acp.Inbound) {
	req := *in.Permission
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
	a.Tell = func(o requests.Outcome) { l.sendOutcome(a, r, o) }
	l.calls.Ask(a, req.Tool)
}

// sendOutcome answers a permission request of a run. If the space's folder was replaced since, it rejects the request.
func (l agentRequests) sendOutcome(a *requests.Permission, r *run, o requests.Outcome) {
	if r == nil || !a.Allows(o) || l.conn.Files == nil { // a simulation has no files
		l.s.perform(answerRequest{l.liveSession, a.Request, o})
		return
	}
	l.s.w.Run(func() {
		err := l.conn.Files.Current(r.ctx, "")
		if r.ctx.Err() != nil {
			o = requests.Canceled // stopped meanwhile
		} else if err != nil {
			o = a.Rejected()
			l.put(func() { l.note(turn.Rejected(l.config.Name, l.s.space.Folder)) })
		}
		l.s.perform(answerRequest{l.liveSession, a.Request, o})
	})
}

// Answer answers a permission request for the user. An empty optionID means "cancelled".
// Errors: not_waiting if the request isn't open, invalid if it has no such option.
func (rs Requests) Answer(_ context.Context, spaceID, requestID, optionID string) error {
	return rs.answer(spaceID, requestID, requests.Selected(optionID))
}

// AnswerAs answers a permission request for the user with the agent's option that has the effect.
// Errors: not_waiting, and no_option if there is no such option.
func (rs Requests) AnswerAs(spaceID, requestID string, effect permission.Effect) error {
	return rs.answer(spaceID, requestID, requests.WithEffect(effect))
}

// answer answers a request. If the answer can't be stored, the request stays open and answer returns an error.
func (rs Requests) answer(spaceID, requestID string, how requests.Answers) error {
	r := rs.m.open(spaceID)
	if r == nil {
		return requests.ErrNotWaiting
	}
	return r.Do(requests.AnswerCommand(r.inboxes, requestID, how))
}

// RefuseAll rejects all open permission requests of a space and returns their number. A request without a rejecting
// option is answered with "cancelled". If the answers can't be stored, the requests stay open and RefuseAll returns an
// error.
func (rs Requests) RefuseAll(spaceID string) (n int, err error) {
	r := rs.m.open(spaceID)
	if r == nil || len(rs.m.State(spaceID).Waits) == 0 {
		return 0, nil
	}
	err = r.Do(requests.RefuseAllCommand(r.inboxes, &n))
	return n, err
}

// Asked returns the current subject of an open permission request. It reads links on disk. Error: not_waiting.
func (rs Requests) Asked(spaceID, requestID string) (*permission.Subject, error) {
	r := rs.m.open(spaceID)
	if r == nil {
		return nil, requests.ErrNotWaiting
	}
	r.Lock()
	call, at, err := r.inboxes().Call(requestID)
	r.Unlock()
	if err != nil {
		return nil, err
	}
	return permission.Describe(&call, at), nil
}

// inboxes returns the inboxes of the sessions in the order of their members. The lock is held.
func (r *spaceRuntime) inboxes() (list requests.Inboxes) {
	for _, s := range r.inOrder() {
		list = append(list, s.inbox)
	}
	return list
}

// Reconsider applies the current rules to the open requests of a space, or of all spaces if spaceID is
// empty. It returns the number of requests that it answered.
func (rs Requests) Reconsider(spaceID string) (answered int) {
	for _, s := range rs.m.all() {
		if spaceID == "" || s.space.ID == spaceID {
			answered += s.reconsider()
			s.requirementsChanged()
		}
	}
	return answered
}

// Covered reports which open requests the rules in set would answer, in addition to the current rules: one
// reports whether the request with the id is among them, others counts the rest.
func (rs Requests) Covered(set *permission.Set, spaceID, requestID string) (one bool, others int) {
	for _, s := range rs.m.all() {
		id := requestID
		if s.space.ID != spaceID {
			id = ""
		}
		view := s.foreseeOpen()
		s.Step(func() {
			s.withView(view, func() {
				found, more := s.inbox.Permissions.Covered(set, id)
				one, others = one || found, others+more
			})
		})
	}
	return one, others
}

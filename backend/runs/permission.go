package runs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// ask is an open permission request.
type ask struct {
	id      string
	n       int                           // counts up within the session
	request *acp.Request                  // nil: the gateway asks
	tell    func(outcome)                 // answers it, once; it does not block
	options []transcript.PermissionOption // as the agent sent them
	tool    string                        // id of the call
	call    permission.Call
	about   *permission.Subject   // as it was read when it came
	at      int64                 // unix ms
	wish    *wish                 // what Weft itself would do; nil if the agent does it, or the gateway
	action  *actions.Action       // for comparison with others; nil if it is like no other
	noted   *actions.Action       // as the run keeps it, nil for none
	how     transcript.Resolution // how it ended
}

// askPermission answers the agent's question by the person's rules, or puts it before the
// person. The lock is held.
func (l *link) askPermission(in *acp.Inbound) {
	req := acp.DecodePermission(in.Request.Params)
	if l.acpID != "" && req.SessionID != l.acpID {
		l.respond(in.Request, cancelledOutcome)
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
	s.asked++
	a := &ask{id: s.newID("ask"), n: s.asked, request: in.Request, tell: l.teller(in.Request), options: req.Options, tool: req.Tool.ID, call: l.calls.With(req.Tool), at: l.s.m.now()}
	a.about = permission.Describe(&a.call, s.place())
	shown := l.shown.With(req.Tool)
	tool, own := l.requested(a, req.Tool, shown)
	if own && l.allowsOwn(a, req.Tool, tool) {
		return
	}
	if own {
		req.Tool = l.gate.AsCalled(req.Tool, &tool)
	} else {
		req.Tool, a.call = l.legibleRequest(req.Tool)
		a.about = permission.Describe(&a.call, s.place())
	}
	a.action = actions.Requested(&a.call, a.about, shown)
	a.noted = actions.About(&a.call, a.about)
	s.noteAction(a.noted)
	told := *req.Tool
	l.toldAsked(req.Tool)
	if u := l.gated(&transcript.Update{Kind: transcript.UpdateTool, Tool: req.Tool}); u != nil { // some show a call only so
		told = *u.Tool
	} else if l.gate.Drawn(req.Tool.ID) {
		told = transcript.ToolPatch{ID: req.Tool.ID}
	}
	if s.run == nil || s.run.stopping {
		// There is no turn to ask the person in, but the call is shown all the same.
		r := transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "stop"}}
		s.turns.DecidePermission(&told, a.id, a.options, a.reading(), r, s.m.now())
		s.noteDecision(a, r)
		l.respond(in.Request, cancelledOutcome)
		return
	}
	told.Announced = true
	s.watchTool(&told)
	if r, ok := s.judged(a); ok {
		s.turns.DecidePermission(&told, a.id, a.options, a.reading(), r, s.m.now())
		s.noteDecision(a, r)
		s.remember(a, r)
		s.flush()
		req := in.Request
		s.after(func() { s.w.answer(l, req, a.outcome(r)) }) // what the agent does next comes after
		return
	}
	s.asks[a.id] = a
	s.turns.AskPermission(&told, a.id, a.options, a.reading(), s.m.now())
	s.changed()
}

// reading returns what the user is shown of the request, as JSON for its event.
func (a *ask) reading() jsontext.Value {
	b, err := json.Marshal(a.about.Reading(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // never: texts only
	}
	return b
}

// teller answers a request of the agent.
func (l *link) teller(r *acp.Request) func(outcome) {
	return func(o outcome) { l.s.w.answer(l, r, o) }
}

func (s *Session) place() permission.Place {
	return permission.Place{SpaceID: s.space.ID, Folder: s.space.Folder, AgentID: s.space.AgentID}
}

// decided answers how a request ends that a rule or a mode decides; ok is false where the person has
// to be asked after all.
func (a *ask) decided(s *Session, d permission.Decision) (r transcript.Resolution, ok bool) {
	if d.Verdict == permission.Ask {
		return r, false
	}
	return a.answered(permission.Effect(d.Verdict), s.byDecision(d))
}

// byDecision is the rule or the mode that decided.
func (s *Session) byDecision(d permission.Decision) *transcript.By {
	by := &transcript.By{Who: "rule", Effect: string(d.Verdict)}
	if d.Rule != nil {
		by.RuleID, by.Kind, by.Command, by.Path, by.Tool = d.Rule.ID, d.Rule.Kind, d.Rule.Command, d.Rule.Path, d.Rule.Tool
		return by
	}
	by.Who, by.Mode = "mode", string(d.Mode)
	if d.Mode != s.mode {
		by.AskedBy = s.limitBy
	}
	return by
}

// answered picks the agent's option for an effect. Where it has none to reject with, nobody answers.
func (a *ask) answered(effect permission.Effect, by *transcript.By) (r transcript.Resolution, ok bool) {
	switch i := permission.Option(a.options, effect); {
	case i >= 0:
		return transcript.Resolution{Outcome: "selected", OptionID: transcript.OptionID(a.options, i), By: by}, true
	case effect == permission.Reject:
		return transcript.Resolution{Outcome: "cancelled", By: by}, true
	}
	return r, false
}

// outcome is the answer to the agent. A "no" whose id says "yes" as well is told as "cancelled".
func (a *ask) outcome(r transcript.Resolution) outcome {
	i := -1
	if r.Outcome == "selected" {
		i = transcript.OptionIndex(a.options, r.OptionID)
	}
	if i < 0 || strings.HasPrefix(a.options[i].Kind, "reject") && permission.Ambiguous(a.options, i) {
		return cancelledOutcome
	}
	var o outcome
	o.Outcome.Outcome, o.Outcome.OptionID = "selected", a.options[i].ID
	return o
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
	return m.answer(spaceID, requestID, func(a *ask) (transcript.Resolution, error) {
		switch {
		case optionID == "":
			return transcript.Resolution{Outcome: "cancelled"}, nil
		case transcript.OptionIndex(a.options, optionID) < 0:
			return transcript.Resolution{}, &Error{Code: "invalid", Message: "The agent did not offer this answer."}
		}
		return transcript.Resolution{Outcome: "selected", OptionID: optionID}, nil
	})
}

// AnswerAs answers a permission request for the person with the agent's option that has an effect.
// Errors: not_waiting, and no_option where the agent offers none that says it.
func (m *Manager) AnswerAs(spaceID, requestID string, effect permission.Effect) error {
	return m.answer(spaceID, requestID, func(a *ask) (transcript.Resolution, error) {
		if r, ok := a.answered(effect, nil); ok {
			return r, nil
		}
		return transcript.Resolution{}, &Error{Code: "no_option", Message: "The agent offers no answer that allows just this once. Choose one of its own."}
	})
}

// answer ends a request as the user says. Where that can't be stored it stays open, with an error.
func (m *Manager) answer(spaceID, requestID string, how func(*ask) (transcript.Resolution, error)) error {
	r := m.open(spaceID)
	if r == nil {
		return errNotWaiting
	}
	return r.do(r.answers(requestID, how))
}

// answers is the command that ends a request as the user says.
func (r *room) answers(requestID string, how func(*ask) (transcript.Resolution, error)) command {
	return command{
		final: true,
		before: func() error {
			_, a := r.request(requestID)
			if a == nil {
				return errNotWaiting
			}
			_, err := how(a)
			return err
		},
		change: func() (then, undo func(), err error) {
			s, a := r.request(requestID)
			if a == nil {
				return nil, nil, errNotWaiting
			}
			res, err := how(a)
			if err == nil {
				s.resolve([]*ask{a}, []transcript.Resolution{res})
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
	err = r.do(command{final: true, change: func() (then, undo func(), err error) {
		for _, s := range r.inOrder() {
			asks := s.openAsks()
			how := make([]transcript.Resolution, len(asks))
			for i, a := range asks {
				how[i], _ = a.answered(permission.Reject, nil)
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
	return permission.Describe(&a.call, s.place()), nil
}

// request returns an open permission request and whose it is, nil if it is not open. The lock is held.
func (r *room) request(id string) (*Session, *ask) {
	for _, s := range r.seats {
		if a := s.asks[id]; a != nil {
			return s, a
		}
	}
	return nil, nil
}

var errNotWaiting = &Error{Code: "not_waiting", Message: "The agent does not wait for this answer any more."}

// resolve ends open requests: stored first, in one commit, and then told to the agent. The lock
// is held.
func (s *Session) resolve(asks []*ask, how []transcript.Resolution) {
	for i, a := range asks {
		delete(s.asks, a.id)
		s.turns.ResolvePermission(a.id, how[i], s.m.now())
		s.noteDecision(a, how[i])
		s.remember(a, how[i])
		a.how = how[i]
	}
	s.flush()
	s.after(func() {
		for i, a := range asks {
			a.tell(a.outcome(how[i]))
		}
	})
	s.resolveAlike()
	s.changed()
}

// resolveAlike ends the open requests about what has just been answered. The lock is held.
func (s *Session) resolveAlike() {
	var asks []*ask
	var how []transcript.Resolution
	for _, a := range s.openAsks() {
		before := s.answeredBefore(a)
		if before == nil {
			continue
		}
		if r, ok := a.answered(before.Effect(), before.By()); ok {
			asks, how = append(asks, a), append(how, r)
		}
	}
	if len(asks) > 0 {
		s.resolve(asks, how)
	}
}

// Reconsider holds the open requests of a space, or with an empty id of all of them, against the rules
// as they are now, and answers how many that has answered.
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
	var asks []*ask
	var how []transcript.Resolution
	for _, a := range s.openAsks() {
		a.about = permission.Describe(&a.call, s.place())
		if r, ok := s.judged(a); ok {
			asks, how = append(asks, a), append(how, r)
		}
	}
	if len(asks) > 0 {
		s.resolve(asks, how)
	}
	return len(asks)
}

// Covered counts the open requests that set, and not the rules as they are, would decide. one tells whether
// that request is among them.
func (m *Manager) Covered(set *permission.Set, spaceID, requestID string) (one bool, others int) {
	for _, s := range m.all() {
		s.Lock()
		for _, a := range s.asks {
			if _, ok := a.decided(s, set.Decide(permission.Describe(&a.call, s.place()), s.modeNow())); !ok {
				continue
			}
			if s.space.ID == spaceID && a.id == requestID {
				one = true
			} else {
				others++
			}
		}
		s.Unlock()
	}
	return one, others
}

// openAsks answers the open requests as they came.
func (s *Session) openAsks() []*ask {
	return slices.SortedFunc(maps.Values(s.asks), func(a, b *ask) int { return cmp.Compare(a.n, b.n) })
}

// Why requests end that nobody answered.
var (
	stopped = transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "stop"}}
	exited  = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "exit"}}
	shut    = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "weft"}}
)

// withdrawAsks answers all open requests with cancelled. The lock is held.
func (s *Session) withdrawAsks(why transcript.Resolution) {
	for _, a := range s.openAsks() {
		s.turns.ResolvePermission(a.id, why, s.m.now())
		s.noteDecision(a, why)
		a.how = why
		s.effect(func() { a.tell(cancelledOutcome) })
	}
	clear(s.asks)
	s.touched()
}

// withdrawn ends a request that the agent took back. The lock is held.
func (l *link) withdrawn(r *acp.Request) {
	s := l.s
	for _, a := range s.asks {
		if a.request != nil && a.request == r {
			s.withdraw(a)
			l.takeBack(r) // it wants an answer all the same
			return
		}
	}
}

// abandoned ends the requests about a call that the agent has ended without their answers. The lock is held.
func (s *Session) abandoned(tool string) {
	for _, a := range s.openAsks() {
		if a.tool == tool && !s.turns.Waits(a.id) {
			s.withdraw(a)
			s.effect(func() { a.tell(cancelledOutcome) })
		}
	}
}

// withdraw ends a request that the agent does not wait for any more. The lock is held.
func (s *Session) withdraw(a *ask) {
	r := transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}}
	delete(s.asks, a.id)
	a.how = r
	s.turns.ResolvePermission(a.id, r, s.m.now())
	s.noteDecision(a, r)
	s.changed()
}

// noteDecision keeps what became of a request, to be committed with the event that tells it. The lock is held.
func (s *Session) noteDecision(a *ask, r transcript.Resolution) {
	d := permissions.Decision{Title: a.call.Title, Kind: a.about.Kind, About: a.about.About(), At: s.m.now()}
	d.SpaceID, d.AgentID, d.AgentName = s.space.ID, s.space.AgentID, s.turns.Agent.Name
	kind := ""
	if r.Outcome == "selected" {
		if i := transcript.OptionIndex(a.options, r.OptionID); i >= 0 {
			d.Option, kind = a.options[i].Name, a.options[i].Kind
		}
	}
	decide(&d, r, kind)
	if s.run != nil && d.Outcome == "refused" {
		s.run.refused = true
	}
	if a.noted != nil && d.Outcome == "refused" {
		a.noted.Refused = true
	}
	s.decisions = append(s.decisions, d)
}

// decide fills in who ended a request and how, in the words of the history.
func decide(d *permissions.Decision, r transcript.Resolution, optionKind string) {
	switch {
	case r.Outcome == transcript.OutcomeUnasked:
		d.Outcome = transcript.OutcomeUnasked
	case r.By != nil && r.By.Effect == string(permission.Allow):
		d.Outcome = "allowed"
	case r.By != nil && r.By.Effect == string(permission.Reject):
		d.Outcome = "refused"
	case r.Outcome == "lost":
		d.Outcome = "lost"
	case r.Outcome != "selected":
		d.Outcome = "cancelled"
	case strings.HasPrefix(optionKind, "allow"):
		d.Outcome = "allowed"
	case strings.HasPrefix(optionKind, "reject"):
		d.Outcome = "refused"
	default:
		d.Outcome = "answered"
	}
	switch {
	case r.By == nil:
		d.By = "person"
	case r.By.Who == "rule":
		d.By, d.RuleID = "rule", r.By.RuleID
		d.Rule = permission.Rule{Kind: r.By.Kind, Command: r.By.Command, Path: r.By.Path, Tool: r.By.Tool}.About()
	case r.By.Who == "mode":
		d.By, d.Rule = "mode", r.By.Mode
	case r.By.Who == "agent_mode":
		d.By, d.Rule = "agentMode", r.By.Mode
	case r.By.Who == "answered" || r.By.Who == "own":
		d.By = r.By.Who
	case r.By.Who == "agent":
		d.By = "agent"
	case r.Outcome == "lost":
		d.By = "lost"
	default:
		d.By = "cancelled"
	}
}

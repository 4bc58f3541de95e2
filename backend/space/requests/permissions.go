package requests

import (
	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/store/permissions"
)

// Permissions are the permission requests of a session: those of its agent, of operations that Weft carries out for
// it, and of gateway tools.
type Permissions struct {
	session Session
	step    Step
	mode    *Mode
	open    openPermissions
}

// List returns the open requests that the user sees, oldest first.
func (p *Permissions) List() []*Permission { return p.open.Asked() }

// Ask decides a request of the agent, or shows it to the user at the agent's call. Outside of a turn the user can't be
// asked, so the request is shown and canceled.
func (p *Permissions) Ask(a *Permission, call *transcript.ToolPatch) {
	turns, now := p.session.Turns, p.session.Now
	if _, open := p.step.Turn(); !open {
		r := Stopped
		turns.DecidePermission(call, a.ID, a.Options, a.Reading(), r, now())
		p.Record(a, r)
		p.step.Effect(func() { a.Tell(Canceled) })
		return
	}
	if r, ok := p.Policy().Judge(a); ok {
		turns.DecidePermission(call, a.ID, a.Options, a.Reading(), r, now())
		p.Record(a, r)
		p.remember(a, r)
		p.step.Flush()
		p.step.After(func() { a.Tell(a.Outcome(r)) }) // the agent's next actions come after the stored decision
		return
	}
	a.Line, a.Behind = call, p.open.Alike(a)
	p.open.Add(a)
	if a.Behind == nil {
		p.show(a)
	}
}

// Selected returns the answers that end a request with an option, or with "cancelled" if the id is empty. Error:
// invalid if the request has no such option.
func Selected(optionID string) Answers {
	return func(a *Permission) (transcript.Resolution, error) {
		switch {
		case optionID == "":
			return transcript.Resolution{Outcome: "cancelled"}, nil
		case transcript.OptionIndex(a.Options, optionID) < 0:
			return transcript.Resolution{}, fault.New("invalid", "The agent doesn't offer this answer.")
		}
		return transcript.Resolution{Outcome: "selected", OptionID: optionID}, nil
	}
}

// WithEffect returns the answers that end a request with the agent's option for an effect. Error: no_option if there
// is none.
func WithEffect(effect permission.Effect) Answers {
	return func(a *Permission) (transcript.Resolution, error) {
		if r, ok := a.Answered(effect, nil); ok {
			return r, nil
		}
		return transcript.Resolution{}, fault.New("no_option", "The agent offers no answer that allows this once. Choose one of its answers.")
	}
}

// resolve ends open requests. It stores them in one commit and then responds to the agent.
func (p *Permissions) resolve(asks []*Permission, how []transcript.Resolution) {
	for i, a := range asks {
		p.open.End(a, how[i])
		p.session.Turns.ResolvePermission(a.ID, how[i], p.session.Now())
		p.Record(a, how[i])
		p.remember(a, how[i])
	}
	p.step.Flush()
	p.step.After(func() {
		for i, a := range asks {
			a.Tell(a.Outcome(how[i]))
		}
	})
	p.resolveAlike()
	p.step.Changed()
}

// resolveAlike ends the open requests that the latest answer also covers.
func (p *Permissions) resolveAlike() {
	policy := p.Policy()
	var asks []*Permission
	var how []transcript.Resolution
	for _, a := range p.open.List() {
		r, ok, _ := policy.AsBefore(a)
		if !ok && a.Behind != nil && !p.open.IsOpen(a.Behind) && a.Operation != nil && a.Behind.Operation != nil {
			r, ok = policy.AsThat(a)
		}
		if ok {
			asks, how = append(asks, a), append(how, r)
		}
	}
	if len(asks) > 0 {
		p.resolve(asks, how)
		return
	}
	p.putBefore()
}

// putBefore shows requests that were waiting behind another one, if that has ended without deciding them.
func (p *Permissions) putBefore() {
	for _, a := range p.open.List() {
		if a.Behind == nil || p.open.IsOpen(a.Behind) {
			continue
		}
		if a.Behind = p.open.Alike(a); a.Behind == nil {
			p.show(a)
		}
	}
}

// Calls returns the calls that the open requests are about.
func (p *Permissions) Calls() (calls []permission.Call) {
	for _, a := range p.open.List() {
		calls = append(calls, a.Call)
	}
	return calls
}

// Reconsider decides the open requests by the current rules and mode. It returns how many of those that the user sees
// have ended.
func (p *Permissions) Reconsider() (ended int) {
	policy := p.Policy()
	var asks []*Permission
	var how []transcript.Resolution
	for _, a := range p.open.List() {
		shown := a.About
		a.Describe(p.session.Place)
		if r, ok := policy.Judge(a); ok {
			if asks, how = append(asks, a), append(how, r); a.Behind == nil {
				ended++
			}
		} else if a.Operation != nil {
			a.IsAbout(shown) // Weft does what the user was asked about
		}
	}
	if len(asks) > 0 {
		p.resolve(asks, how)
	}
	return ended
}

// Covered counts the open requests that set would decide, in place of the current rules. one reports whether the
// request with the id is among them; it isn't counted.
func (p *Permissions) Covered(set *permission.Set, id string) (one bool, others int) {
	policy := p.Policy()
	policy.Rules = set
	for _, a := range p.open.Asked() {
		if _, ok := policy.ByRules(a); !ok {
			continue
		}
		if a.ID == id {
			one = true
		} else {
			others++
		}
	}
	return one, others
}

// withdrawAll ends all open requests. The agent gets "cancelled".
func (p *Permissions) withdrawAll(why transcript.Resolution) {
	for _, a := range p.open.List() {
		p.open.End(a, why)
		p.session.Turns.ResolvePermission(a.ID, why, p.session.Now())
		p.Record(a, why)
		p.step.Effect(func() { a.Tell(Canceled) })
	}
	p.step.Touched()
}

// canceled ends a request that the agent has canceled.
func (p *Permissions) canceled(from Asker, r *acp.Request) {
	if a := p.open.Of(r); a != nil {
		p.withdraw(a)
		p.step.Effect(func() { from.RespondCanceled(r) })
	}
}

// callEnded ends the requests about a call that the agent has ended without waiting for their answers.
func (p *Permissions) callEnded(call string) {
	for _, a := range p.open.List() {
		if a.Tool == call && !p.session.Turns.Waits(a.ID) {
			p.withdraw(a)
			p.step.Effect(func() { a.Tell(Canceled) })
		}
	}
}

// abandon ends the requests about calls that have ended together with a question.
func (p *Permissions) abandon() {
	for _, a := range p.open.List() {
		p.callEnded(a.Tool)
	}
}

// GiveUp ends an open request of Weft itself whose caller has stopped waiting.
func (p *Permissions) GiveUp(a *Permission) {
	if p.open.IsOpen(a) {
		p.withdraw(a)
	}
}

// withdraw ends a request for which the agent no longer waits.
func (p *Permissions) withdraw(a *Permission) {
	p.open.End(a, Withdrawn)
	p.session.Turns.ResolvePermission(a.ID, Withdrawn, p.session.Now())
	p.Record(a, Withdrawn)
	p.putBefore()
	p.step.Changed()
}

// Record stores the outcome of a request together with the event that reports it. An outcome that was copied from
// another request about the same action isn't stored.
func (p *Permissions) Record(a *Permission, r transcript.Resolution) {
	d := a.Decision(r)
	turn, _ := p.step.Turn()
	if turn != nil && d.Outcome == Refusal {
		turn.Refused = true
	}
	if a.Noted != nil && d.Outcome == Refusal {
		a.Noted.Refused = true
	}
	if a.Behind == nil || r.By == nil || r.By.Who != "answered" {
		p.Keep(d)
	}
}

// Keep stores a row of the history, and fills in its time and place.
func (p *Permissions) Keep(d permissions.Decision) {
	at := p.session.Place
	d.At, d.SpaceID, d.AgentID, d.AgentName = p.session.Now(), at.SpaceID, at.AgentID, p.session.Turns.Agent.Name
	p.step.Decided(d)
}

// remember records an answer for later requests of the turn.
func (p *Permissions) remember(a *Permission, r transcript.Resolution) {
	if a.OptionKind(r) == "allow_always" {
		p.session.Let(a.About.Kind)
	}
	turn, _ := p.step.Turn()
	if turn == nil {
		return
	}
	answer, ok := a.Answer(r)
	if !ok {
		return
	}
	turn.Answers.Remember(answer)
	if answer.Always && answer.Kind == actions.Edit {
		p.session.TrustEdits()
	}
}

// Policy returns what currently decides requests without asking the user.
func (p *Permissions) Policy() *Policy {
	policy := &Policy{
		Place: p.session.Place, Rules: p.session.Rules(), Mode: p.mode.Now(), SpaceMode: p.mode.Space, AskedBy: p.mode.by, Trusts: p.session.Trusts,
	}
	if turn, _ := p.step.Turn(); turn != nil {
		policy.Answers = &turn.Answers
	}
	return policy
}

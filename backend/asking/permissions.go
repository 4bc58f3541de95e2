package asking

import (
	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// Permissions are the permission requests of a session: of its agent, of what Weft does for it, and of tools of the gateway.
type Permissions struct {
	session Session
	step    Step
	mode    *Mode
	open    requests.Permissions
}

// List returns the open requests that are put before the user, in the order in which they came.
func (p *Permissions) List() []*requests.Permission { return p.open.Asked() }

// Ask decides a request of the agent, or puts it before the user, at the call that the agent shows. Outside of a turn nobody can be asked: the request
// is shown and canceled.
func (p *Permissions) Ask(a *requests.Permission, call *transcript.ToolPatch) {
	turns, now := p.session.Turns, p.session.Now
	if _, open := p.step.Turn(); !open {
		r := requests.Stopped
		turns.DecidePermission(call, a.ID, a.Options, a.Reading(), r, now())
		p.Record(a, r)
		p.step.Effect(func() { a.Tell(requests.Canceled) })
		return
	}
	if r, ok := p.Policy().Judge(a); ok {
		turns.DecidePermission(call, a.ID, a.Options, a.Reading(), r, now())
		p.Record(a, r)
		p.remember(a, r)
		p.step.Flush()
		p.step.After(func() { a.Tell(a.Outcome(r)) }) // what the agent does next comes after
		return
	}
	a.Line, a.Behind = call, p.open.Alike(a)
	p.open.Add(a)
	if a.Behind == nil {
		p.show(a)
	}
}

// Selected returns the answers that end a request with an option, or with "cancelled" if the id is empty. Error: invalid where the request has no such option.
func Selected(optionID string) Answers {
	return func(a *requests.Permission) (transcript.Resolution, error) {
		switch {
		case optionID == "":
			return transcript.Resolution{Outcome: "cancelled"}, nil
		case transcript.OptionIndex(a.Options, optionID) < 0:
			return transcript.Resolution{}, fault.New("invalid", "The agent doesn't offer this answer.")
		}
		return transcript.Resolution{Outcome: "selected", OptionID: optionID}, nil
	}
}

// WithEffect returns the answers that end a request with the agent's option that has an effect. Error: no_option where it has none that says it.
func WithEffect(effect permission.Effect) Answers {
	return func(a *requests.Permission) (transcript.Resolution, error) {
		if r, ok := a.Answered(effect, nil); ok {
			return r, nil
		}
		return transcript.Resolution{}, fault.New("no_option", "The agent offers no answer that allows this once. Choose one of its answers.")
	}
}

// resolve ends open requests: stored first, in one commit, and then told to the agent.
func (p *Permissions) resolve(asks []*requests.Permission, how []transcript.Resolution) {
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

// resolveAlike ends the open requests about what has just been answered.
func (p *Permissions) resolveAlike() {
	policy := p.Policy()
	var asks []*requests.Permission
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

// putBefore puts requests before the user that were behind another one, where that has ended without deciding them.
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

// Reconsider decides the open requests by the rules and the mode as they are now, and returns how many of those that are put before the user that has ended.
// It follows links on disk.
func (p *Permissions) Reconsider() (ended int) {
	policy := p.Policy()
	var asks []*requests.Permission
	var how []transcript.Resolution
	for _, a := range p.open.List() {
		shown := a.About
		a.Describe(p.session.Place)
		if r, ok := policy.Judge(a); ok {
			if asks, how = append(asks, a), append(how, r); a.Behind == nil {
				ended++
			}
		} else if a.Operation != nil {
			a.IsAbout(shown) // what Weft does is what the user was asked about
		}
	}
	if len(asks) > 0 {
		p.resolve(asks, how)
	}
	return ended
}

// Covered counts the open requests that set, and not the rules as they are, would decide. One reports whether the request with the id is among
// them, which isn't counted. It follows links on disk.
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

// withdrawAll ends all open requests; the agent is told "cancelled".
func (p *Permissions) withdrawAll(why transcript.Resolution) {
	for _, a := range p.open.List() {
		p.open.End(a, why)
		p.session.Turns.ResolvePermission(a.ID, why, p.session.Now())
		p.Record(a, why)
		p.step.Effect(func() { a.Tell(requests.Canceled) })
	}
	p.step.Touched()
}

// takenBack ends a request that the agent took back.
func (p *Permissions) takenBack(from Asker, r *acp.Request) {
	if a := p.open.Of(r); a != nil {
		p.withdraw(a)
		p.step.Effect(func() { from.TakeBack(r) })
	}
}

// callEnded ends the requests about a call that the agent has ended without their answers.
func (p *Permissions) callEnded(call string) {
	for _, a := range p.open.List() {
		if a.Tool == call && !p.session.Turns.Waits(a.ID) {
			p.withdraw(a)
			p.step.Effect(func() { a.Tell(requests.Canceled) })
		}
	}
}

// abandon ends the requests about calls that have ended with a question.
func (p *Permissions) abandon() {
	for _, a := range p.open.List() {
		p.callEnded(a.Tool)
	}
}

// GiveUp ends a request of Weft's own that nobody waits for any more, if it is open.
func (p *Permissions) GiveUp(a *requests.Permission) {
	if p.open.IsOpen(a) {
		p.withdraw(a)
	}
}

// withdraw ends a request that the agent does not wait for any more.
func (p *Permissions) withdraw(a *requests.Permission) {
	p.open.End(a, requests.Withdrawn)
	p.session.Turns.ResolvePermission(a.ID, requests.Withdrawn, p.session.Now())
	p.Record(a, requests.Withdrawn)
	p.putBefore()
	p.step.Changed()
}

// Record keeps what became of a request, to be stored with the event that reports it. One that is decided as another about the same act, which the user was asked
// about, is not kept.
func (p *Permissions) Record(a *requests.Permission, r transcript.Resolution) {
	d := a.Decision(r)
	turn, _ := p.step.Turn()
	if turn != nil && d.Outcome == requests.Refusal {
		turn.Refused = true
	}
	if a.Noted != nil && d.Outcome == requests.Refusal {
		a.Noted.Refused = true
	}
	if a.Behind == nil || r.By == nil || r.By.Who != "answered" {
		p.Keep(d)
	}
}

// Keep keeps a row of the history, with when and where it was.
func (p *Permissions) Keep(d permissions.Decision) {
	at := p.session.Place
	d.At, d.SpaceID, d.AgentID, d.AgentName = p.session.Now(), at.SpaceID, at.AgentID, p.session.Turns.Agent.Name
	p.step.Decided(d)
}

// remember keeps an answer for what comes of it.
func (p *Permissions) remember(a *requests.Permission, r transcript.Resolution) {
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

// Policy returns what decides requests without asking the user, as it is now.
func (p *Permissions) Policy() *requests.Policy {
	policy := &requests.Policy{
		Place: p.session.Place, Rules: p.session.Rules(), Mode: p.mode.Now(), SpaceMode: p.mode.Space, AskedBy: p.mode.by, Trusts: p.session.Trusts,
	}
	if turn, _ := p.step.Turn(); turn != nil {
		policy.Answers = &turn.Answers
	}
	return policy
}

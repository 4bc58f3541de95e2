package requests

import (
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
)

// Policy decides requests without asking the user: by the user's rules, the mode of the space, the user's answers in
// the turn, and an agent mode that the user chose.
type Policy struct {
	Place     permission.Place
	Rules     *permission.Set
	Mode      permission.Mode          // in force: the stricter one of the space and of the agent that requested the run
	SpaceMode permission.Mode          // set by the user
	AskedBy   string                   // the agent that requested the run, or "" for the user
	Answers   *actions.Answers         // of the turn; nil outside of a turn
	Trusts    func(kind string) string // returns the agent mode that allows things of a kind, or ""
}

// Judge returns the resolution of a request about which the user needn't be asked. ok is false if the user must be
// asked.
func (p *Policy) Judge(a *Permission) (r transcript.Resolution, ok bool) {
	d := p.Rules.Decide(a.About, p.Mode)
	if d.Verdict != permission.Ask {
		return p.end(a, d)
	}
	if a.Operation != nil && a.Operation.Unchanged() { // agents that write files themselves let Weft write the same again
		return a.Answered(permission.Allow, &transcript.By{Who: "default", Effect: string(permission.Allow)})
	}
	if r, ok, known := p.AsBefore(a); known {
		return r, ok
	}
	if a.Operation == nil {
		return r, false
	}
	if a.Operation.Kind == actions.Read && a.ID == "" && (p.Mode != permission.AskAlways || a.Outside()) { // Weft never reads outside of the folder for an agent
		return a.Answered(permission.Allow, &transcript.By{Who: "default", Effect: string(permission.Allow)})
	}
	if p.Mode == permission.FollowRules && !a.About.Sensitive() {
		if chosen := p.Trusts(a.Operation.Kind); chosen != "" {
			return a.Answered(permission.Allow, &transcript.By{Who: "agent_mode", Effect: string(permission.Allow), Mode: chosen})
		}
	}
	return r, false
}

// ByRules returns the resolution of a request that the rules or the mode decide now. ok is false if they don't.
func (p *Policy) ByRules(a *Permission) (r transcript.Resolution, ok bool) {
	about := a.About
	if a.Operation == nil { // Weft's operations stay bound to the location that was evaluated
		about = permission.Describe(&a.Call, p.Place)
	}
	return p.end(a, p.Rules.Decide(about, p.Mode))
}

// AsBefore returns the resolution of a request by the user's answer to the same action in this turn. known is false if
// there is no such answer. An approval is used up even if ok is false, because the request has no option for it.
func (p *Policy) AsBefore(a *Permission) (r transcript.Resolution, ok, known bool) {
	if p.Answers == nil || a.Action == nil {
		return r, false, false
	}
	var before *actions.Answer
	if a.Operation != nil {
		before = p.Answers.Covers(a.Action, a.About.Sensitive(), a.Action.OldText)
	} else {
		before = p.Answers.Settles(a.Action)
	}
	if before == nil {
		return r, false, false
	}
	if a.Tool == "" {
		a.Tool = before.Call
	}
	r, ok = a.Answered(before.Effect(), before.By())
	return r, ok, true
}

// AsThat returns the resolution by the answer to the request in a.Behind. ok is false if that wasn't answered.
func (p *Policy) AsThat(a *Permission) (r transcript.Resolution, ok bool) {
	answer, ok := a.Behind.Answer(a.Behind.How)
	if !ok {
		return r, false
	}
	return a.Answered(answer.Effect(), answer.By())
}

// end returns the resolution by a decision. ok is false if the user must be asked.
func (p *Policy) end(a *Permission, d permission.Decision) (r transcript.Resolution, ok bool) {
	if d.Verdict == permission.Ask {
		return r, false
	}
	return a.Answered(permission.Effect(d.Verdict), p.By(d))
}

// By returns the rule or the mode that decided.
func (p *Policy) By(d permission.Decision) *transcript.By {
	by := &transcript.By{Who: "rule", Effect: string(d.Verdict)}
	if d.Rule != nil {
		by.RuleID, by.Kind, by.Command, by.Path, by.Tool = d.Rule.ID, d.Rule.Kind, d.Rule.Command, d.Rule.Path, d.Rule.Tool
		return by
	}
	by.Who, by.Mode = "mode", string(d.Mode)
	if d.Mode != p.SpaceMode {
		by.AskedBy = p.AskedBy
	}
	return by
}

// Still returns an error if what was allowed has changed since: a rule or the mode rejects it now, or its files are
// different ones. changed reports that the text of the file has changed.
func (p *Policy) Still(a *Permission, changed bool) error {
	about := permission.Describe(&a.Call, p.Place)
	if d := p.Rules.Decide(about, p.Mode); d.Verdict == permission.Rejected {
		r, _ := p.end(a, d)
		return Refused(r)
	}
	same := len(about.Files) == len(a.About.Files)
	for i := range about.Files {
		same = same && about.Files[i] == a.About.Files[i]
	}
	if !same || changed {
		return fault.New("changed", "The file was changed while you waited for permission, so nothing was written. Read it again.")
	}
	return nil
}

// Refused returns why an operation isn't carried out, as a sentence for the agent, or nil if it is.
func Refused(how transcript.Resolution) error {
	by := how.By
	switch {
	case by != nil && by.Effect == string(permission.Allow), by == nil && isAllowed(how):
		return nil
	case by != nil && by.Who == "mode" && by.AskedBy != "":
		return fault.New("read_only", "You were asked by {{askedBy}}, which is read-only, so nothing was changed.", by.AskedBy)
	case by != nil && by.Who == "mode":
		return fault.New("read_only", "This space is read-only, so nothing was changed. The user can change that below the prompt.")
	case by != nil && by.Who == "rule":
		return fault.New("refused", "The user's rules reject this, so it wasn't done.")
	case by != nil && by.Who != "answered":
		return fault.New("cancelled", "The user didn't answer, so this wasn't done.")
	}
	return fault.New("refused", "The user didn't allow this, so it wasn't done.")
}

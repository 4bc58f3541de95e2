package requests

import (
	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/transcript"
)

// Policy decides requests that the user needn't be asked about: by the user's rules, the mode of the space, what the user has answered in the turn, and
// a mode of the agent that the user chose.
type Policy struct {
	Place     permission.Place
	Rules     *permission.Set
	Mode      permission.Mode          // that is in force: the stricter one of the space and of the agent that asked for the run
	SpaceMode permission.Mode          // that the user has set
	AskedBy   string                   // the agent that asked for the run, "" for the user
	Answers   *actions.Answers         // of the turn, nil outside of one
	Trusts    func(kind string) string // returns the agent's mode in which it may do things of a kind, "" if there is none
}

// Judge returns how a request ends that the user needn't be asked about. Ok is false where the user has to be asked.
func (p *Policy) Judge(a *Permission) (r transcript.Resolution, ok bool) {
	d := p.Rules.Decide(a.About, p.Mode)
	if d.Verdict != permission.Ask {
		return p.end(a, d)
	}
	if a.Operation != nil && a.Operation.Unchanged() { // agents that write by themselves have Weft write the same again
		return a.Answered(permission.Allow, &transcript.By{Who: "default", Effect: string(permission.Allow)})
	}
	if r, ok, known := p.AsBefore(a); known {
		return r, ok
	}
	if a.Operation == nil {
		return r, false
	}
	if a.Operation.Kind == actions.Read && a.ID == "" && (p.Mode != permission.AskAlways || a.Outside()) { // nothing outside of the folder is read for an agent
		return a.Answered(permission.Allow, &transcript.By{Who: "default", Effect: string(permission.Allow)})
	}
	if p.Mode == permission.FollowRules && !a.About.Sensitive() {
		if chosen := p.Trusts(a.Operation.Kind); chosen != "" {
			return a.Answered(permission.Allow, &transcript.By{Who: "agent_mode", Effect: string(permission.Allow), Mode: chosen})
		}
	}
	return r, false
}

// ByRules returns how a request ends that the rules or the mode decide, as it stands now. Ok is false where they don't.
func (p *Policy) ByRules(a *Permission) (r transcript.Resolution, ok bool) {
	about := a.About
	if a.Operation == nil { // what Weft does is done where it was decided about
		about = permission.Describe(&a.Call, p.Place)
	}
	return p.end(a, p.Rules.Decide(about, p.Mode))
}

// AsBefore returns how a request ends as the user has answered in this turn about the same action. Known is false if the user hasn't; a yes is then
// used up, even where the request has no option for it and ok is false.
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

// AsThat returns how a request ends whose act another request was about, which has ended by an answer. Ok is false if it hasn't.
func (p *Policy) AsThat(a *Permission) (r transcript.Resolution, ok bool) {
	answer, ok := a.Behind.Answer(a.Behind.How)
	if !ok {
		return r, false
	}
	return a.Answered(answer.Effect(), answer.By())
}

// end returns how a request ends by a decision. Ok is false where the user has to be asked after all.
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

// Still returns an error if what was allowed is not what would be done any more: a rule or the mode rejects it by now, or its files are others. Changed
// reports that the file has another text by now.
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

// Refused returns, as a sentence for the agent, why an operation that ended so is not carried out, nil if it is.
func Refused(how transcript.Resolution) error {
	by := how.By
	switch {
	case by != nil && by.Effect == string(permission.Allow), by == nil && Allowed(how):
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

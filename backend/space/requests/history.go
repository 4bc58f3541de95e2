package requests

import (
	"strings"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/store/permissions"
)

// Refusal is the history's outcome of a refused request.
const Refusal = "refused"

// Decision returns the history row of a request that ended with r. The caller adds the time, the space and the agent.
func (a *Permission) Decision(r transcript.Resolution) permissions.Decision {
	d := permissions.Decision{Title: a.Call.Title, Kind: a.About.Kind, About: a.About.About()}
	if o := a.option(r); o != nil {
		d.Option = o.Name
	}
	d.Outcome = outcomeOf(r, a.OptionKind(r))
	d.By = endedBy(r)
	switch d.By {
	case "rule":
		d.RuleID, d.Rule = r.By.RuleID, permission.Rule{Kind: r.By.Kind, Command: r.By.Command, Path: r.By.Path, Tool: r.By.Tool}.About()
	case "mode", "agentMode":
		d.Rule = r.By.Mode
	}
	return d
}

// outcomeOf returns the history's name for how a request ended.
func outcomeOf(r transcript.Resolution, optionKind string) string {
	switch {
	case r.Outcome == transcript.OutcomeUnasked:
		return r.Outcome
	case r.By != nil && r.By.Effect == string(permission.Allow):
		return "allowed"
	case r.By != nil && r.By.Effect == string(permission.Reject):
		return Refusal
	case r.Outcome == "lost":
		return "lost"
	case r.Outcome != "selected":
		return "cancelled"
	case strings.HasPrefix(optionKind, "allow"):
		return "allowed"
	case strings.HasPrefix(optionKind, "reject"):
		return Refusal
	}
	return "answered"
}

// endedBy returns the history's name for who ended a request.
func endedBy(r transcript.Resolution) string {
	if r.By == nil {
		return "person"
	}
	switch who := r.By.Who; {
	case who == "agent_mode":
		return "agentMode"
	case who == "rule", who == "mode", who == "answered", who == "own", who == "agent":
		return who
	case r.Outcome == "lost":
		return "lost"
	}
	return "cancelled"
}

// LostCall returns the history row of a call of one of Weft's own tools that was allowed by its name and never
// arrived.
func LostCall(tool string) permissions.Decision {
	return permissions.Decision{Kind: "other", Title: tool, About: tool, Outcome: "lost", By: "own"}
}

package requests

import (
	"strings"

	"weft/backend/permission"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// Refusal is the outcome in the history of a request that was refused.
const Refusal = "refused"

// Decision returns what the history keeps of a request that ended so. The caller adds when, where and by whom it was made.
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

// outcomeOf returns how a request ended, in the words of the history.
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

// endedBy returns who ended a request, in the words of the history.
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

// LostCall returns what the history keeps of a call of one of Weft's own tools that was allowed by its name, and never came.
func LostCall(tool string) permissions.Decision {
	return permissions.Decision{Kind: "other", Title: tool, About: tool, Outcome: "lost", By: "own"}
}

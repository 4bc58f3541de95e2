package turn

import (
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/space/requests"
	"weft/backend/space/sessionoptions"
)

// Reason is why an agent must ask in a space: the space's mode and the rules that reject. It needn't ask if Mode is
// [permission.FollowRules] and there are no rules.
type Reason struct {
	Mode  permission.Mode
	Rules []permission.Rule // the rules that reject something
}

// Need returns what the agent's options must ensure, and whether the agent should ask about everything else, too.
func (w Reason) Need(n permission.Needs) (need sessionoptions.Need, asks bool) {
	need = sessionoptions.Need{Edits: n.Edits, Commands: n.Commands}
	if w.Mode == permission.ReadOnly {
		need = sessionoptions.Need{Edits: true, Commands: true, Only: true}
	}
	return need, w.Mode == permission.AskAlways
}

// Changed returns the note on an option of the agent that Weft has set for the space, or set back.
func (w Reason) Changed(agent string, c sessionoptions.Change) fault.Said {
	switch {
	case c.Back:
		return fault.Say("Weft set “{{option}}” of {{agent}} back from “{{from}}” to “{{to}}”, because nothing in this space requires {{agent}} to ask.", c.Name, agent, c.From, c.To)
	case w.Mode == permission.ReadOnly:
		return fault.Say("Weft changed “{{option}}” of {{agent}} from “{{from}}” to “{{to}}”, because this space is read-only.", c.Name, agent, c.From, c.To)
	case len(w.Rules) > 0:
		return fault.Say("Weft changed “{{option}}” of {{agent}} from “{{from}}” to “{{to}}”, so that {{agent}} asks before it does what your rules reject.", c.Name, agent, c.From, c.To)
	}
	return fault.Say("Weft changed “{{option}}” of {{agent}} from “{{from}}” to “{{to}}”, because this space always asks.", c.Name, agent, c.From, c.To)
}

// Forbids returns why Weft doesn't set an option that the user chose: the agent would no longer ask.
func (w Reason) Forbids(agent string) fault.Said {
	if w.Mode == permission.ReadOnly {
		return fault.Say("{{agent}} would act without asking, but this space is read-only.", agent)
	}
	return fault.Say("{{agent}} would act without asking, but your rules reject some of what it could do.", agent)
}

// Missing returns the note on a choice of the user that isn't in effect.
func Missing(agent string, w sessionoptions.Wish) fault.Said {
	if w.Why != "" {
		return fault.Say("{{agent}} couldn't set “{{option}}” to “{{value}}”, which you chose: {{reason}} Weft tries again with the next session.", agent, w.Name, w.Label, failure.WithPeriod(w.Why))
	}
	return fault.Say("{{agent}} no longer offers “{{value}}” for “{{option}}”, which you chose. Weft sets it as soon as it is offered again.", agent, w.Label, w.Name)
}

// Hold is a question that the user must answer before a prompt is sent.
type Hold struct {
	Title fault.Said
	Ways  []requests.Way
	// What the user accepts by sending the prompt anyway, see [sessionoptions.Options.Accept].
	What []string
	Lost string // the id of the option whose value is lost, or ""
}

// SendAnyway is the choice to send the prompt anyway.
const SendAnyway = "send"

// Lost returns the question about a mode that the user chose and that can't be set. option has the choices that the
// agent offers instead, if any.
func Lost(agent string, w *sessionoptions.Wish, option []requests.Way) Hold {
	h := Hold{Ways: option, Lost: w.ID, Title: fault.Say("{{agent}} no longer offers “{{value}}” for “{{option}}”, which you chose, so the prompt was not sent.", agent, w.Label, w.Name)}
	if w.Why != "" {
		h.Title = fault.Say("{{agent}} couldn't set “{{option}}” to “{{value}}”, which you chose, so the prompt was not sent. {{agent}} says: {{reason}}", agent, w.Name, w.Label, failure.WithPeriod(w.Why))
	}
	if len(option) == 0 {
		h.Ways = []requests.Way{{Value: SendAnyway, Title: fault.Text("Send without “{{value}}”", w.Label)}}
	}
	return h
}

// Loose returns the question about an agent that can't be made to ask as the space requires. sealed says why no
// sandbox can enforce it.
func (w Reason) Loose(agent string, sealed string, more []requests.Way) Hold {
	h := Hold{Ways: append([]requests.Way{{Value: SendAnyway, Title: fault.Text("Send anyway")}}, more...)}
	switch {
	case len(w.Rules) > 0:
		for _, r := range w.Rules {
			h.What = append(h.What, "rule:"+r.ID)
		}
		h.Title = fault.Say("{{agent}} doesn't say that it asks before it changes files or runs commands, so Weft can't enforce what your rules reject: {{rules}}.", agent, rulesOf(w.Rules))
	case w.Mode == permission.ReadOnly:
		h.What = []string{"read-only"}
		h.Title = fault.Say("This space is read-only, but Weft can't keep {{agent}} from changing files: it doesn't say that it asks first, and it can't run in a sandbox. {{reason}}", agent, sealed)
	default:
		h.What = []string{"ask"}
		h.Title = fault.Say("This space always asks, but {{agent}} doesn't say that it asks before it changes files or runs commands.", agent)
	}
	return h
}

// Sealed returns the note on an agent in a read-only space that doesn't ask, so it runs in a sandbox.
func Sealed(agent string) fault.Said {
	return fault.Say("{{agent}} doesn't say that it asks before it changes files or runs commands. It runs in a sandbox, in which it can't change anything in the folder of this space.", agent)
}

// Broke returns the note on an agent that was stopped because it left the required mode.
func Broke(agent, option, value string) fault.Said {
	return fault.Say("{{agent}} changed “{{option}}” to “{{value}}”, in which it acts without asking, and Weft couldn't change it back, so the turn was stopped.", agent, option, value)
}

// Unheld returns the note on an agent that was stopped because it no longer offers an option that meets the space's
// requirement.
func Unheld(agent string) fault.Said {
	return fault.Say("{{agent}} no longer says that it asks before it acts, so the turn was stopped.", agent)
}

const maxRules = 5

// rulesOf lists the rules for a sentence.
func rulesOf(rules []permission.Rule) (said fault.Said) {
	for i, r := range rules {
		one := fault.Say("“{{about}}”", r.About())
		switch i {
		case 0:
			said = one
		case maxRules:
			return fault.Say("{{list}} and {{n}} more", said, len(rules)-maxRules)
		default:
			said = fault.Say("{{list}}, {{one}}", said, one)
		}
	}
	return said
}

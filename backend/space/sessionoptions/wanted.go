package sessionoptions

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/fault"
)

// Wish is a value that the user has chosen and that can't be set: the agent doesn't offer it, or refuses it.
type Wish struct {
	ID    string         `json:"id"`   // of the option
	Name  string         `json:"name"` // of the option
	Value jsontext.Value `json:"value"`
	Label string         `json:"label"` // of the value
	// Guards: the option decides what the agent does without asking. No prompt is sent before the user has chosen
	// something else.
	Guards bool `json:"guards,omitzero"`
	// Why is what the agent said when it refused the value, "" where it doesn't offer it.
	Why string `json:"why,omitzero"`
	// Told: the user has read it in the conversation.
	Told bool `json:"told,omitzero"`
}

// Setting is an option that must be set to a value.
type Setting struct {
	Option acp.Option
	Value  jsontext.Value
	held   bool // because of the space's need
	at     int  // the number of reports at that time
}

// Setting returns a setting of option to value, which is about to be sent.
func (o *Options) Setting(option acp.Option, value jsontext.Value) *Setting {
	return &Setting{Option: option, Value: value, at: o.reports}
}

func (s *Setting) key() string { return s.Option.ID + "\x00" + string(s.Value) }

// Change is an option that Weft has set because of the space's need, or set back because that no longer applies.
type Change struct {
	Name, From, To string // of the option and of its values
	Back           bool
}

// Require sets what the space needs from now on. asks means that it wants the agent to ask about everything. Unlike
// the need, that yields to a mode that the user chose for this space.
func (o *Options) Require(n Need, asks bool) { o.need, o.asks = n, asks }

// needed returns the space's need, including asks if it applies.
func (o *Options) needed(list []acp.Option) Need {
	n := o.need
	if o.asks && !slices.ContainsFunc(list, func(op acp.Option) bool {
		return guards(&op) && o.here[op.ID] != nil && same(o.here[op.ID], o.wanted[op.ID])
	}) {
		n.Edits, n.Commands = true, true
	}
	return n
}

// Next returns an option to set, either to its wanted value or to meet the space's need. It returns nil if there is
// none, or too many were tried. tried holds the settings returned so far; Next adds to it. Setting an option may
// change what others offer, so call Next after each one. [Options.Took] or [Options.Refused] must follow.
func (o *Options) Next(tried map[string]bool) *Setting {
	if len(tried) >= maxSet {
		return nil
	}
	list := o.offer.List()
	for _, s := range o.settings(list) {
		if k := s.key(); !tried[k] && !s.Option.Is(s.Value) && s.Option.Offers(s.Value) {
			tried[k] = true
			s.at = o.reports
			return &s
		}
	}
	return nil
}

// Took records that the agent has set an option. list is the config options in its response, or nil. Reports that
// arrived in the meantime take precedence: the agent may have changed the option again.
func (o *Options) Took(s *Setting, list jsontext.Value) {
	delete(o.refused, s.key())
	from, to := label(&s.Option, s.Option.Current), label(&s.Option, s.Value)
	switch isNew := isMode(s.Option) && o.modeAt > s.at; {
	case o.configAt > s.at:
	case list != nil:
		if o.offer.SetConfig(list); isNew {
			o.offer.SetMode(o.mode)
		}
	case !isNew:
		o.offer.Set(s.Option, s.Value)
	}
	_, was := o.held[s.Option.ID]
	switch {
	case s.held:
		if _, known := o.wanted[s.Option.ID]; !known {
			o.wanted = with(o.wanted, s.Option.ID, s.Option.Current) // the agent's initial value
		}
		o.held = with(o.held, s.Option.ID, s.Value)
		if c := (Change{Name: s.Option.Name, From: from, To: to}); !slices.Contains(o.changes, c) { // already reported for this prompt
			o.changes = append(o.changes, c)
		}
	case was:
		delete(o.held, s.Option.ID)
		o.changes = append(o.changes, Change{Name: s.Option.Name, From: from, To: to, Back: true})
	}
}

// Refused records that the agent rejected a value that it offers, and its reason. It isn't tried again in this
// session.
func (o *Options) Refused(s *Setting, why string) {
	if o.refused == nil {
		o.refused = map[string]string{}
	}
	if len(o.refused) < maxSet {
		o.refused[s.key()] = why
	}
}

// Changes returns and clears the changes that Weft has made because of the space's need.
func (o *Options) Changes() []Change {
	list := o.changes
	o.changes = nil
	return list
}

// Lost returns a choice of the user that can't be set for an option that guards the agent's actions, or nil. No
// prompt may be sent while there is one.
func (o *Options) Lost() *Wish {
	for i := range o.wishes {
		if w := o.wishes[i]; w.Guards && !w.Told {
			return &w
		}
	}
	return nil
}

// Missing returns the user's choices for other options that can't be set and weren't reported yet, and marks them as
// reported.
func (o *Options) Missing() (list []Wish) {
	for i := range o.wishes {
		if w := o.wishes[i]; !w.Guards && !w.Told {
			list = append(list, w)
			o.GiveUp(w.ID)
		}
	}
	return list
}

// Autonomy returns what the agent does without asking, as far as it says.
func (o *Options) Autonomy() Autonomy {
	list := o.offer.List()
	return together(list, current(list))
}

// Unmet returns the part of the space's need that the current options don't meet.
func (o *Options) Unmet() Need {
	n, a := o.needed(o.offer.List()), o.Autonomy().certain()
	n.Edits, n.Commands = n.Edits && a.Edits == Acts, n.Commands && a.Commands == Acts
	if !n.Edits && !n.Commands {
		return Need{}
	}
	return n
}

// Breaks reports whether the space doesn't allow this value of an option.
func (o *Options) Breaks(option *acp.Option, value jsontext.Value) bool {
	if o.need.None() || !guards(option) {
		return false
	}
	list := o.offer.List()
	return !o.need.Met(together(list, with(o.targets(list), option.ID, value))) && o.need.Met(together(list, o.targets(list)))
}

// Acting returns the names of the first option and its value by which the agent acts although the space needs it to
// ask, or "" if no option says so.
func (o *Options) Acting() (name, value string) {
	need := o.needed(o.offer.List())
	for _, op := range o.offer.List() {
		if a := autonomyOf(&op, op.Current); guards(&op) && (need.Edits && a.Edits == Acts || need.Commands && a.Commands == Acts) {
			return op.Name, label(&op, op.Current)
		}
	}
	return "", ""
}

// Selectable is an alternative that the user can choose.
type Selectable struct {
	Option acp.Option
	Choice acp.Choice
}

// Instead returns the choices of an option that the space allows and the agent accepts.
func (o *Options) Instead(id string) (list []Selectable) {
	op := o.Find(id)
	if op == nil || len(op.Choices) > maxModes {
		return nil
	}
	for _, c := range op.Choices {
		if value, _ := json.Marshal(c.Value); !o.Breaks(op, value) && !o.cannot(op, value) {
			list = append(list, Selectable{*op, c})
		}
	}
	return list
}

// Safer returns the modes in which the agent can do less than now, even if they don't meet the space's need.
func (o *Options) Safer() (list []Selectable) {
	for _, op := range o.offer.List() {
		if !isMode(op) || !guards(&op) {
			continue
		}
		for _, c := range op.Choices {
			value, _ := json.Marshal(c.Value)
			if a := autonomyOf(&op, value); (a.Edits == Never || a.Commands == Never) && !op.Is(value) {
				list = append(list, Selectable{op, c})
			}
		}
	}
	return list
}

// GiveUp records that the user knows that a choice can't be set and sends prompts without it. It remains wanted.
func (o *Options) GiveUp(id string) {
	o.wishes = slices.Clone(o.wishes)
	for i := range o.wishes {
		if o.wishes[i].ID == id {
			o.wishes[i].Told = true
		}
	}
}

// Accept records that the user sends prompts although the need isn't met. what identifies the need.
func (o *Options) Accept(what string) {
	if !o.Accepted(what) {
		o.accepted = append(slices.Clone(o.accepted), what)
	}
}

// Accepted reports whether [Options.Accept] was called for what, including before a restart.
func (o *Options) Accepted(what string) bool { return slices.Contains(o.accepted, what) }

// adopt makes the current values the wanted ones, except for choices of the user that can't be set.
func (o *Options) adopt() {
	list := o.offer.List()
	was := o.wishes
	o.wishes = nil
	wanted := Values{}
	for i := range list {
		op := &list[i]
		want, known := o.wanted[op.ID]
		held, isHeld := o.held[op.ID]
		switch {
		case !known || op.Is(want):
			wanted[op.ID] = op.Current
		case isHeld && op.Is(held):
			wanted[op.ID] = want
		case !isHeld && o.isChosen(op.ID, want) && (o.cannot(op, want) || slices.ContainsFunc(was, func(w Wish) bool { return w.ID == op.ID && same(w.Value, want) })):
			wanted[op.ID] = want
			o.wish(was, op.ID, want, guards(op), o.refused[(&Setting{Option: *op, Value: want}).key()])
		default: // the agent changed it
			wanted[op.ID] = op.Current
		}
		if isHeld && !op.Is(held) {
			delete(o.held, op.ID)
		}
	}
	for id, want := range o.wanted {
		if _, offered := wanted[id]; offered || !o.isChosen(id, want) {
			continue
		}
		wanted[id] = want
		o.wish(was, id, want, o.named[id].guards, "")
	}
	o.wanted = wanted
	slices.SortFunc(o.wishes, func(a, b Wish) int { return strings.Compare(a.ID, b.ID) })
	o.name(list)
}

// isChosen reports whether the user chose this value of an option.
func (o *Options) isChosen(id string, value jsontext.Value) bool {
	return o.chosen[id] != nil && same(o.chosen[id], value)
}

// cannot reports whether an option can't be set to this value.
func (o *Options) cannot(op *acp.Option, value jsontext.Value) bool {
	_, refused := o.refused[(&Setting{Option: *op, Value: value}).key()]
	return refused || !op.Offers(value)
}

// wish adds a wanted value that can't be set. was are the previous wishes.
func (o *Options) wish(was []Wish, id string, value jsontext.Value, guards bool, why string) {
	w := Wish{ID: id, Value: value, Guards: guards, Why: why, Name: o.named[id].name, Label: o.named[id].label}
	if i := slices.IndexFunc(was, func(b Wish) bool { return b.ID == id && same(b.Value, value) }); i >= 0 {
		w.Name, w.Label, w.Told, w.Guards = was[i].Name, was[i].Label, was[i].Told, w.Guards || was[i].Guards
	}
	if s, _ := text(value); w.Label == "" {
		w.Label = cmp.Or(s, string(value))
	}
	w.Name = cmp.Or(w.Name, id)
	o.wishes = append(o.wishes, w)
}

// naming has the names of an option and its wanted value.
type naming struct {
	name, label string
	guards      bool
}

// name keeps the names of the options for when they are no longer offered.
func (o *Options) name(list []acp.Option) {
	if o.named == nil {
		o.named = map[string]naming{}
	}
	for i := range list {
		op := &list[i]
		n := naming{op.Name, o.named[op.ID].label, guards(op)}
		if want := o.wanted[op.ID]; op.Offers(want) {
			n.label = label(op, want)
		}
		o.named[op.ID] = n
	}
}

// settings returns the required value of each option, those first that guard the agent's actions.
func (o *Options) settings(list []acp.Option) (out []Setting) {
	targets, base := o.targets(list), o.base(list)
	for _, guarding := range []bool{true, false} {
		for i := range list {
			if op := &list[i]; guards(op) == guarding {
				out = append(out, Setting{Option: *op, Value: targets[op.ID], held: !same(targets[op.ID], base[op.ID])})
			}
		}
	}
	return out
}

// base returns the wanted value of each option, or the current one if that can't be set.
func (o *Options) base(list []acp.Option) Values {
	values := current(list)
	for i := range list {
		if want, ok := o.wanted[list[i].ID]; ok && !o.cannot(&list[i], want) {
			values[list[i].ID] = want
		}
	}
	return values
}

// targets returns the values that meet the space's need, as far as the agent's options allow.
func (o *Options) targets(list []acp.Option) Values {
	t, need := o.base(list), o.needed(list)
	if need.None() {
		return t
	}
	// First change options that let the agent act, and only then those that don't say.
	for _, unsaid := range []bool{false, true} {
		for i := range list {
			op := &list[i]
			if need.Met(together(list, t)) || !guards(op) || unsaid && !isMode(*op) {
				continue
			}
			a := autonomyOf(op, t[op.ID])
			if unsaid {
				a = a.certain()
			}
			if (!need.Edits || a.Edits != Acts) && (!need.Commands || a.Commands != Acts) {
				continue
			}
			if v := o.stricter(need, list, op, t); v != nil {
				t[op.ID] = v
			}
		}
	}
	return t
}

// stricter returns the value of an option that meets the need best while the others have values, or nil.
func (o *Options) stricter(need Need, list []acp.Option, op *acp.Option, values Values) (best jsontext.Value) {
	choices := []jsontext.Value{jsontext.Value("false"), jsontext.Value("true")}
	if op.Type != "boolean" {
		choices = nil
		for _, c := range op.Choices {
			v, _ := json.Marshal(c.Value)
			choices = append(choices, v)
		}
	}
	most := 0
	for _, v := range choices {
		if o.cannot(op, v) {
			continue
		}
		if n := need.fits(autonomyOf(op, v), need.Met(together(list, with(values, op.ID, v)))); n > most {
			best, most = v, n
		}
	}
	return best
}

// fits scores how well a value of an option fits the need; 0 for not at all. met means that the need is met with it.
func (n Need) fits(a Autonomy, met bool) int {
	never := a.Edits == Never || a.Commands == Never
	switch {
	case never && !n.Only:
		return 0 // the agent could no longer do anything because of one rule
	case met && a == asksBefore:
		return 6
	case met && !never && a != Autonomy{}:
		return 5
	case met && !never:
		return 4
	case met:
		return 3
	case n.Met(a): // another option lets the agent act, and is changed next
		return 2
	case never:
		return 1 // better than nothing
	}
	return 0
}

// together returns what the agent does without asking if the options have values.
func together(list []acp.Option, values Values) (a Autonomy) {
	for i := range list {
		if guards(&list[i]) {
			a = a.and(autonomyOf(&list[i], values[list[i].ID]))
		}
	}
	return a
}

// label returns the name of a value of an option.
func label(op *acp.Option, value jsontext.Value) string {
	if op.Type == "boolean" {
		if string(value) == "true" {
			return fault.Text("On")
		}
		return fault.Text("Off")
	}
	s, _ := text(value)
	for _, c := range op.Choices {
		if c.Value == s {
			return cmp.Or(c.Name, s)
		}
	}
	return s
}

// same reports whether two values are equal, regardless of their JSON notation.
func same(a, b jsontext.Value) bool {
	x, xok := text(a)
	y, yok := text(b)
	return xok && yok && x == y || bytes.Equal(a, b)
}

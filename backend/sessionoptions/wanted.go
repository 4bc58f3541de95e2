package sessionoptions

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/fault"
)

// Wish is a value that the user has chosen and that can't be set: the agent doesn't offer it, or refuses it.
type Wish struct {
	ID    string         `json:"id"`   // of the option
	Name  string         `json:"name"` // of the option
	Value jsontext.Value `json:"value"`
	Label string         `json:"label"` // of the value
	// Guards: the option decides what the agent does without asking. No prompt is sent before the user has chosen something else.
	Guards bool `json:"guards,omitzero"`
	// Why is what the agent said when it refused the value, "" where it doesn't offer it.
	Why string `json:"why,omitzero"`
	// Told: the user has read it in the conversation.
	Told bool `json:"told,omitzero"`
}

// Setting is an option that has to be set to a value.
type Setting struct {
	Option acp.Option
	Value  jsontext.Value
	held   bool // because of the need of the space
	at     int  // so many reports had come
}

// Setting returns an option that is about to be set to a value.
func (o *Options) Setting(option acp.Option, value jsontext.Value) *Setting {
	return &Setting{Option: option, Value: value, at: o.reports}
}

func (s *Setting) key() string { return s.Option.ID + "\x00" + string(s.Value) }

// Change is an option that Weft has set because of what the space needs, or has set back because it doesn't need that any more.
type Change struct {
	Name, From, To string // of the option and of its values
	Back           bool
}

// Require says what the space needs from now on. Asks says that it wants to be asked about everything: unlike the need, that yields to a mode that the
// user chose for this space.
func (o *Options) Require(n Need, asks bool) { o.need, o.asks = n, asks }

// needed returns what the space needs, as the options are.
func (o *Options) needed(list []acp.Option) Need {
	n := o.need
	if o.asks && !slices.ContainsFunc(list, func(op acp.Option) bool {
		return guards(&op) && o.here[op.ID] != nil && same(o.here[op.ID], o.wanted[op.ID])
	}) {
		n.Edits, n.Commands = true, true
	}
	return n
}

// Next returns an option that is not what it should be, nil if there is none, or too many were tried: what was in force before, or
// what the space needs. Tried holds what was returned before. Setting an option may change what others offer, so the next one is asked for only then.
// [Options.Took] or [Options.Refused] must follow.
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

// Took takes over that the agent has set an option. List is what it says of all config options then, nil if nothing. What the agent has reported meanwhile
// stays: it may have changed the option again after its answer.
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
			o.wanted = with(o.wanted, s.Option.ID, s.Option.Current) // the agent began with it
		}
		o.held = with(o.held, s.Option.ID, s.Value)
		if c := (Change{Name: s.Option.Name, From: from, To: to}); !slices.Contains(o.changes, c) { // told already, with the same prompt
			o.changes = append(o.changes, c)
		}
	case was:
		delete(o.held, s.Option.ID)
		o.changes = append(o.changes, Change{Name: s.Option.Name, From: from, To: to, Back: true})
	}
}

// Refused notes that the agent doesn't set an option that it offers, and what it says. It is not tried again in the session.
func (o *Options) Refused(s *Setting, why string) {
	if o.refused == nil {
		o.refused = map[string]string{}
	}
	if len(o.refused) < maxSet {
		o.refused[s.key()] = why
	}
}

// Changes returns what Weft has set because of the need of the space since it was asked last.
func (o *Options) Changes() []Change {
	list := o.changes
	o.changes = nil
	return list
}

// Lost returns what the user has chosen of the options that guard the agent's actions and can't be set, nil if there is nothing: no prompt
// may be sent as long as that is so.
func (o *Options) Lost() *Wish {
	for i := range o.wishes {
		if w := o.wishes[i]; w.Guards && !w.Told {
			return &w
		}
	}
	return nil
}

// Missing returns what the user has chosen of other options, cannot be set, and was not told about yet.
func (o *Options) Missing() (list []Wish) {
	for i := range o.wishes {
		if w := o.wishes[i]; !w.Guards && !w.Told {
			list = append(list, w)
			o.GiveUp(w.ID)
		}
	}
	return list
}

// Autonomy returns what the agent does by itself, as far as it says.
func (o *Options) Autonomy() Autonomy {
	list := o.offer.List()
	return together(list, current(list))
}

// Unmet returns what of the space's need isn't met by what is in force.
func (o *Options) Unmet() Need {
	n, a := o.needed(o.offer.List()), o.Autonomy().certain()
	n.Edits, n.Commands = n.Edits && a.Edits == Acts, n.Commands && a.Commands == Acts
	if !n.Edits && !n.Commands {
		return Need{}
	}
	return n
}

// Breaks reports whether a value of an option is one that the space doesn't allow.
func (o *Options) Breaks(option *acp.Option, value jsontext.Value) bool {
	if o.need.None() || !guards(option) {
		return false
	}
	list := o.offer.List()
	return !o.need.Met(together(list, with(o.targets(list), option.ID, value))) && o.need.Met(together(list, o.targets(list)))
}

// Acting returns the first option, and its value, by which the agent acts although the space needs it to ask; "" if it is none that says so.
func (o *Options) Acting() (name, value string) {
	need := o.needed(o.offer.List())
	for _, op := range o.offer.List() {
		if a := autonomyOf(&op, op.Current); guards(&op) && (need.Edits && a.Edits == Acts || need.Commands && a.Commands == Acts) {
			return op.Name, label(&op, op.Current)
		}
	}
	return "", ""
}

// Selectable is a value that the user can choose instead.
type Selectable struct {
	Option acp.Option
	Choice acp.Choice
}

// Instead returns what the user can choose for an option, without what the space doesn't allow.
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

// Safer returns the modes in which the agent does less than now, as far as it says, though not what the space needs.
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

// GiveUp notes that the user knows of a choice that can't be set, and sends prompts without it. It stays wanted.
func (o *Options) GiveUp(id string) {
	o.wishes = slices.Clone(o.wishes)
	for i := range o.wishes {
		if o.wishes[i].ID == id {
			o.wishes[i].Told = true
		}
	}
}

// Accept notes that the user sends prompts though the need is not met. What is the need, in a word.
func (o *Options) Accept(what string) {
	if !o.Accepted(what) {
		o.accepted = append(slices.Clone(o.accepted), what)
	}
}

// Accepted reports whether [Options.Accept] was called for what, also before a restart.
func (o *Options) Accepted(what string) bool { return slices.Contains(o.accepted, what) }

// adopt takes over what is in force as what is wanted, but for what the user has chosen and can't have.
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
		default: // the agent has changed it
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

// isChosen reports whether the user has chosen a value of an option.
func (o *Options) isChosen(id string, value jsontext.Value) bool {
	return o.chosen[id] != nil && same(o.chosen[id], value)
}

// cannot reports whether an option can't be set to a value.
func (o *Options) cannot(op *acp.Option, value jsontext.Value) bool {
	_, refused := o.refused[(&Setting{Option: *op, Value: value}).key()]
	return refused || !op.Offers(value)
}

// wish notes that what is wanted of an option can't be set. Was are the wishes until now.
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

// naming is what an option and the value that is wanted of it are called.
type naming struct {
	name, label string
	guards      bool
}

// name keeps how the options are called, for when they aren't offered any more.
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

// settings returns what the options have to be set to, those first that guard the agent's actions.
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

// base returns what is wanted of each option, or what is in force where that can't be set.
func (o *Options) base(list []acp.Option) Values {
	values := current(list)
	for i := range list {
		if want, ok := o.wanted[list[i].ID]; ok && !o.cannot(&list[i], want) {
			values[list[i].ID] = want
		}
	}
	return values
}

// targets returns what the options have to be set to, so that the need of the space is met as far as the agent has options for that.
func (o *Options) targets(list []acp.Option) Values {
	t, need := o.base(list), o.needed(list)
	if need.None() {
		return t
	}
	// First what lets the agent act is changed, and only then what doesn't say whether it does.
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

// stricter returns the value of an option that fits a need best while the others are set to values, nil if there is none.
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

// fits says how well a value of an option fits, 0 if not at all. Met reports that the need is met with it.
func (n Need) fits(a Autonomy, met bool) int {
	never := a.Edits == Never || a.Commands == Never
	switch {
	case never && !n.Only:
		return 0 // the agent could do nothing anymore, because of one rule
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

// together returns what the agent does by itself while the options have values.
func together(list []acp.Option, values Values) (a Autonomy) {
	for i := range list {
		if guards(&list[i]) {
			a = a.and(autonomyOf(&list[i], values[list[i].ID]))
		}
	}
	return a
}

// label returns what a value of an option is called.
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

// same reports whether two values are the same, however they are written.
func same(a, b jsontext.Value) bool {
	x, xok := text(a)
	y, yok := text(b)
	return xok && yok && x == y || bytes.Equal(a, b)
}

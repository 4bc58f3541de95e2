// Package sessionoptions manages the options that an agent offers in one session (model, mode and others): what the
// user chose, and what must be restored when the session is opened again.
//
// [Options] belongs to one session. It has no lock: the lock of the space guards it. It sends nothing itself:
// [Options.Offer] returns what the space must store and publish.
package sessionoptions

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// maxSet is how many options are set in one pass, for example when a session is opened.
const maxSet = 32

// Values are option values by option id.
type Values = map[string]jsontext.Value

// Options are the options of one member's session with its agent. They outlive a session and are restored in the next
// one. The zero value is empty.
//
// The wanted value of an option is the last one in force, whether the user or the agent chose it. If it can't be set,
// it stays wanted and is set as soon as the agent offers it. If the space needs the agent to ask (see [Need]), the
// current value may differ from the wanted one.
type Options struct {
	offer  acp.Offer // what the session offers
	stored []byte    // the [Offered] that was last stored, or nil
	wanted Values    // the current values, or those to set as soon as possible
	chosen Values    // what the user chose, not the agent by itself; perhaps in another space
	here   Values    // those that were chosen in this space
	wishes []Wish    // wanted values that can't be set
	named  map[string]naming
	held   Values // what Weft has set instead of the wanted value, because of the need

	need        Need // of the space
	asks        bool // the space wants the agent to ask, unless the user chose a mode here
	settled     bool // the options of the open session have been restored
	alwaysEdits bool // the user answered an edit of this session with the agent's "always"
	accepted    []string
	refused     map[string]string // why the agent doesn't set a value that it offers, by [Setting.key]
	changes     []Change

	// These count the agent's reports. A report that arrived while an option was being set may be newer than the
	// agent's response to that.
	reports, modeAt, configAt int
	mode                      jsontext.Value // the last reported mode
}

// New returns the options of a session that was never open. values are the user's last choices for the agent.
func New(values Values) Options { return Options{wanted: values, chosen: maps.Clone(values)} }

// Stored restores the options from a stored [Offered]. ok is false if it says nothing about the options of this
// agent.
func Stored(raw []byte, agentID string) (o Options, ok bool) {
	var was Offered
	if raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID || len(was.Options)+len(was.Wishes) == 0 {
		return o, false
	}
	o = Options{stored: raw, wanted: current(was.Options), wishes: was.Wishes, accepted: was.Accepted}
	o.chosen, o.here = pickedIn(&was, raw)
	for i := range was.Wishes {
		o.wanted[was.Wishes[i].ID] = was.Wishes[i].Value
	}
	for _, h := range was.Held {
		o.wanted[h.ID] = h.Wanted
	}
	o.name(was.Options)
	return o, true
}

// StoredCan returns the agent's capabilities from a stored [Offered], or none if that is of another agent.
func StoredCan(raw []byte, agentID string) Can {
	var was Offered
	if raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID {
		return Can{}
	}
	return was.Can
}

// Opened processes the agent's response to creating or opening a session. [Options.Settle] must follow once options
// are set.
func (o *Options) Opened(res acp.SessionResult) {
	o.offer.Session(res)
	o.refused = nil
}

// Settle marks the options of the open session as restored, as far as the agent allows. What the agent reports from
// now on is accepted as the current state.
func (o *Options) Settle() {
	o.settled = true
	o.adopt()
}

// Closed records that the session was closed.
func (o *Options) Closed() { o.settled, o.alwaysEdits, o.held = false, false, nil }

// Settled reports whether [Options.Settle] was called for the open session.
func (o *Options) Settled() bool { return o.settled }

// SetMode processes a report of the current mode, a JSON string.
func (o *Options) SetMode(value jsontext.Value) {
	o.reports++
	o.modeAt, o.mode = o.reports, slices.Clone(value)
	o.offer.SetMode(value)
}

// SetConfig processes a report of all config options.
func (o *Options) SetConfig(list jsontext.Value) {
	o.reports++
	o.configAt = o.reports
	o.offer.SetConfig(list)
}

// Find returns an option that the session offers, or nil.
func (o *Options) Find(id string) *acp.Option {
	list := o.offer.List()
	if i := slices.IndexFunc(list, func(op acp.Option) bool { return op.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Choose records a choice of the user. undo reverts it.
func (o *Options) Choose(id string, value jsontext.Value) (undo func()) {
	was := *o
	o.chosen, o.here, o.wanted, o.held = with(o.chosen, id, value), with(o.here, id, value), with(o.wanted, id, value), maps.Clone(o.held)
	delete(o.held, id)
	o.wishes = slices.DeleteFunc(slices.Clone(o.wishes), func(w Wish) bool { return w.ID == id })
	return func() {
		o.chosen, o.here, o.wanted, o.held, o.wishes = was.chosen, was.here, was.wanted, was.held, was.wishes
	}
}

// with returns a copy of values with one more value.
func with(values Values, id string, value jsontext.Value) Values {
	values = maps.Clone(values)
	if values == nil {
		values = Values{}
	}
	values[id] = slices.Clone(value)
	return values
}

// current returns the current values.
func current(options []acp.Option) Values {
	values := Values{}
	for _, op := range options {
		values[op.ID] = op.Current
	}
	return values
}

// text returns an option value that is a string.
func text(v jsontext.Value) (string, bool) {
	var s string
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

// Package sessionoptions keeps what an agent offers in one session (model, mode and other options), what the user chose of it, and what is set
// back when the session is opened again.
//
// [Options] is a value of one session. It has no lock: the step of the space that holds the lock reads and changes it. It asks and tells nobody:
// what the space has to be told is returned ([Options.Offer]).
package sessionoptions

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// maxSet is how many options are set in one go, for instance when a session is opened.
const maxSet = 32

// Values are values of options by their ids.
type Values = map[string]jsontext.Value

// Options are the options of one member's session with its agent. They outlive a session: the next one gets them set back. The zero value has none.
//
// What is wanted of an option is what was last in force, be it by the user's choice or by the agent's. Where it can't be set it stays wanted: it is set
// again as soon as the agent offers it. Where the space needs the agent to ask (see [Need]), something else is in force than what is wanted.
type Options struct {
	offer  acp.Offer // what the session offers
	stored []byte    // the [Offered] that was last stored, nil if none was
	wanted Values    // what is in force, or is set as soon as it can be
	chosen Values    // what the user chose, and not the agent by itself; perhaps for another space
	here   Values    // what of it was chosen for this space
	wishes []Wish    // what is wanted and can't be set
	named  map[string]naming
	held   Values // what Weft has set in place of what is wanted, because of the need

	need        Need // of the space
	asks        bool // the space wants to be asked, unless the user chose a mode of the agent for it
	settled     bool // the options of the session that is open are what they were
	alwaysEdits bool // the user has answered an edit of that session with the agent's "always"
	accepted    []string
	refused     map[string]string // why the agent doesn't set what it offers, by [Setting.key]
	changes     []Change

	// The agent's reports of the session are counted. One that came while an option was being set may be younger than the agent's answer to that.
	reports, modeAt, configAt int
	mode                      jsontext.Value // of the last report of a mode
}

// New returns the options of a session that never was open: values are what the user last chose for the agent.
func New(values Values) Options { return Options{wanted: values, chosen: maps.Clone(values)} }

// Stored returns the options as an [Offered] has them that was stored. Ok is false if it says nothing of the options of this agent.
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

// StoredCan returns what the agent can do, as an [Offered] has it that was stored; nothing if that is of another agent.
func StoredCan(raw []byte, agentID string) Can {
	var was Offered
	if raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID {
		return Can{}
	}
	return was.Can
}

// Opened takes over what the agent said when it made or opened a session. [Options.Settle] must follow once options are set.
func (o *Options) Opened(res acp.SessionResult) {
	o.offer.Session(res)
	o.refused = nil
}

// Settle says that the options of the session that is open are what they should be, as far as the agent allows: what it says from now on is what is
// in force.
func (o *Options) Settle() {
	o.settled = true
	o.adopt()
}

// Closed says that the session that was open is not any more.
func (o *Options) Closed() { o.settled, o.alwaysEdits, o.held = false, false, nil }

// Settled reports whether [Options.Settle] was called since the session was opened.
func (o *Options) Settled() bool { return o.settled }

// SetMode takes over a change of the mode, a JSON string.
func (o *Options) SetMode(value jsontext.Value) {
	o.reports++
	o.modeAt, o.mode = o.reports, slices.Clone(value)
	o.offer.SetMode(value)
}

// SetConfig takes over a whole list of config options.
func (o *Options) SetConfig(list jsontext.Value) {
	o.reports++
	o.configAt = o.reports
	o.offer.SetConfig(list)
}

// Find returns an option that the session offers, nil if it doesn't.
func (o *Options) Find(id string) *acp.Option {
	list := o.offer.List()
	if i := slices.IndexFunc(list, func(op acp.Option) bool { return op.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Choose notes that the user chooses a value. What it returns takes that back.
func (o *Options) Choose(id string, value jsontext.Value) (undo func()) {
	was := *o
	o.chosen, o.here, o.wanted, o.held = with(o.chosen, id, value), with(o.here, id, value), with(o.wanted, id, value), maps.Clone(o.held)
	delete(o.held, id)
	o.wishes = slices.DeleteFunc(slices.Clone(o.wishes), func(w Wish) bool { return w.ID == id })
	return func() {
		o.chosen, o.here, o.wanted, o.held, o.wishes = was.chosen, was.here, was.wanted, was.held, was.wishes
	}
}

// with returns values with one more, and leaves them as they are.
func with(values Values, id string, value jsontext.Value) Values {
	values = maps.Clone(values)
	if values == nil {
		values = Values{}
	}
	values[id] = slices.Clone(value)
	return values
}

// current returns what is in force.
func current(options []acp.Option) Values {
	values := Values{}
	for _, op := range options {
		values[op.ID] = op.Current
	}
	return values
}

// text returns the value of an option that is a string.
func text(v jsontext.Value) (string, bool) {
	var s string
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

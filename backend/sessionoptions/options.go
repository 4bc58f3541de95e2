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

// maxRestored is how many options are set back when a session is opened.
const maxRestored = 32

// Values are values of options by their ids.
type Values = map[string]jsontext.Value

// Options are the options of one member's session with its agent. They outlive a session: the next one gets them set back. The zero value has none.
type Options struct {
	offer  acp.Offer // what the session offers
	stored []byte    // the [Offered] that was last stored, nil if none was
	wanted Values    // what is in force, or to be restored
	chosen Values    // what the user chose, and not the agent by itself

	settled     bool // the options of the session that is open are what they were
	alwaysEdits bool // the user has answered an edit of that session with the agent's "always"
}

// New returns the options of a session that never was open: values are what the user last chose for the agent.
func New(values Values) Options { return Options{wanted: values, chosen: maps.Clone(values)} }

// Stored returns the options as an [Offered] has them that was stored. Ok is false if it says nothing of the options of this agent.
func Stored(raw []byte, agentID string) (o Options, ok bool) {
	var was Offered
	if raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID || len(was.Options) == 0 {
		return o, false
	}
	return Options{stored: raw, wanted: current(was.Options), chosen: chosenIn(was)}, true
}

// StoredCan returns what the agent can do, as an [Offered] has it that was stored; nothing if that is of another agent.
func StoredCan(raw []byte, agentID string) Can {
	var was Offered
	if raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID {
		return Can{}
	}
	return was.Can
}

// Opened takes over what the agent said when it made or opened a session. [Options.Settle] must follow once options are restored.
func (o *Options) Opened(res acp.SessionResult) { o.offer.Session(res) }

// Settle says that the options of the session that is open are what they were, as far as the agent allows: what it says from now on is what is
// in force.
func (o *Options) Settle() { o.settled = true }

// Closed says that the session that was open is not any more.
func (o *Options) Closed() { o.settled, o.alwaysEdits = false, false }

// Settled reports whether [Options.Settle] was called since the session was opened.
func (o *Options) Settled() bool { return o.settled }

// SetMode takes over a change of the mode, a JSON string.
func (o *Options) SetMode(value jsontext.Value) { o.offer.SetMode(value) }

// SetConfig takes over a whole list of config options.
func (o *Options) SetConfig(list jsontext.Value) { o.offer.SetConfig(list) }

// Set takes over that the agent has set an option. List is what it says of all config options then, nil if nothing.
func (o *Options) Set(option acp.Option, value, list jsontext.Value) {
	switch {
	case list != nil:
		o.offer.SetConfig(list)
	default:
		o.offer.Set(option, value)
	}
}

// Find returns an option that the session offers, nil if it doesn't.
func (o *Options) Find(id string) *acp.Option {
	list := o.offer.List()
	if i := slices.IndexFunc(list, func(op acp.Option) bool { return op.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// NextToRestore returns an option that is not what it was, and what it was, if the agent offers that value; nil if there is none, or too
// many were tried. Tried holds the ids of those that were returned; the one that is returned is added. Setting an option may change what others
// offer, so the next one is asked for only then.
func (o *Options) NextToRestore(tried map[string]bool) (*acp.Option, jsontext.Value) {
	if len(tried) >= maxRestored {
		return nil, nil
	}
	for _, op := range o.offer.List() {
		want, ok := o.wanted[op.ID]
		if ok && !tried[op.ID] && !op.Is(want) && op.Offers(want) {
			tried[op.ID] = true
			return &op, want
		}
	}
	return nil, nil
}

// Choose notes that the user chooses a value. What it returns takes that back.
func (o *Options) Choose(id string, value jsontext.Value) (undo func()) {
	was, had := o.chosen[id]
	if o.chosen == nil {
		o.chosen = Values{}
	}
	o.chosen[id] = slices.Clone(value)
	return func() {
		if o.chosen[id] = was; !had {
			delete(o.chosen, id)
		}
	}
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

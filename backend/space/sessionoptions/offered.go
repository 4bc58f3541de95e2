package sessionoptions

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/space/sessionservers"
)

// Offered is what the agent of a session offers, as stored in the state of the space.
type Offered struct {
	AgentID string       `json:"agentId"`
	Options []acp.Option `json:"options"`
	Can     Can          `json:"can"`
	// Auth lists the ways to sign in. SignIn means that the agent requires it to continue.
	Auth   []agentauth.Method `json:"auth"`
	SignIn bool               `json:"signIn,omitzero"`
	// Servers has the result for each of the user's MCP servers.
	Servers []sessionservers.Handed `json:"servers"`
	// Picked are the values that the user chose. The agent chose all others.
	Picked []Picked `json:"picked,omitempty"`
	// Acts says what the agent does without asking with the current options, as far as it tells: it only "reads",
	// "asks" before it acts, "edits" files without asking, or "acts" without asking. It is "" until a session was
	// opened.
	Acts string `json:"acts,omitzero" enum:",reads,asks,edits,acts"`
	// Held are the options that Weft has changed because the space needs an agent that asks.
	Held []Held `json:"held,omitempty"`
	// Wishes are the user's choices that can't be set now. They are set as soon as they can be.
	Wishes []Wish `json:"wishes,omitempty"`
	// Accepted are the limits of the space that the user knows this agent may break.
	Accepted []string `json:"accepted,omitempty"`
}

// Picked is a value that the user chose for an option.
type Picked struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
	Here  bool           `json:"here,omitzero"` // chosen for this space, not only for the agent
}

// Held is an option that Weft has set to another value than the wanted one.
type Held struct {
	ID     string         `json:"id"`
	Wanted jsontext.Value `json:"wanted"`
}

// Can has the agent's optional capabilities.
type Can struct {
	Image    bool `json:"image,omitzero"` // prompts may carry images
	Audio    bool `json:"audio,omitzero"`
	Embedded bool `json:"embedded,omitzero"` // prompts may carry the text of files
	Fork     bool `json:"fork,omitzero"`
	Delete   bool `json:"delete,omitzero"` // it can delete stored sessions
	List     bool `json:"list,omitzero"`
	Load     bool `json:"load,omitzero"`
	Logout   bool `json:"logout,omitzero"`
}

// CanOf returns the capabilities that an agent reports.
func CanOf(c acp.AgentCapabilities) Can {
	return Can{
		Image: c.Image, Audio: c.Audio, Embedded: c.EmbeddedContext,
		Fork: c.ForkSession, Delete: c.DeleteSession, List: c.ListSessions, Load: c.LoadSession, Logout: c.Logout,
	}
}

// News is what changed in a session's offer.
type News struct {
	State []byte  // the [Offered] to store, nil if it is unchanged
	Model *string // the current model, nil if the agent offers none
}

// Offer returns what the session offers now. about has all fields except the options and those derived from them. If
// initialized is false, the agent hasn't reported its capabilities yet, and before [Options.Settle] not its options;
// these keep their stored values.
func (o *Options) Offer(about Offered, initialized bool) (news News, err error) {
	var was Offered
	_ = json.Unmarshal(o.stored, &was) // there may be none yet
	now := about
	now.Picked, now.Accepted = o.picked(), o.accepted
	now.Options, now.Acts, now.Held, now.Wishes = was.Options, was.Acts, was.Held, was.Wishes
	if !initialized {
		now.Can, now.Servers = was.Can, was.Servers
	}
	if now.Servers == nil {
		now.Servers = []sessionservers.Handed{}
	}
	if o.settled {
		o.adopt()
		now.Options, now.Acts, now.Held, now.Wishes = o.offer.List(), o.Autonomy().Kind(), o.heldBack(), o.wishes
	}
	if now.Options == nil {
		now.Options = []acp.Option{}
	}
	for _, op := range now.Options {
		if op.Category == "model" || op.ID == "model" {
			model, _ := text(op.Current)
			news.Model = &model
		}
	}
	raw, err := json.Marshal(now)
	if err != nil || bytes.Equal(raw, o.stored) {
		return news, err
	}
	o.stored, news.State = raw, raw
	return news, nil
}

// picked returns the user's choices, ordered by option id.
func (o *Options) picked() (list []Picked) {
	for _, id := range slices.Sorted(maps.Keys(o.chosen)) {
		list = append(list, Picked{id, o.chosen[id], o.here[id] != nil})
	}
	return list
}

// heldBack returns the options that Weft has set because of the space's need, ordered by option id.
func (o *Options) heldBack() (list []Held) {
	for _, id := range slices.Sorted(maps.Keys(o.held)) {
		list = append(list, Held{id, o.wanted[id]})
	}
	return list
}

// pickedIn returns the user's stored choices, and those made for this space. Earlier versions stored only the mode.
func pickedIn(was *Offered, raw []byte) (chosen, here Values) {
	chosen = Values{}
	for _, p := range was.Picked {
		chosen[p.ID] = p.Value
		if p.Here {
			here = with(here, p.ID, p.Value)
		}
	}
	var before struct {
		Mode string `json:"pickedMode"`
	}
	if json.Unmarshal(raw, &before) == nil && before.Mode != "" {
		if i := slices.IndexFunc(was.Options, isMode); i >= 0 {
			chosen[was.Options[i].ID], _ = json.Marshal(before.Mode)
		}
	}
	return chosen, here
}

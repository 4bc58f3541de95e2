package sessionoptions

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agentauth"
	"weft/backend/sessionservers"
)

// Offered is what a space's session offers, as the space's state has it.
type Offered struct {
	AgentID string       `json:"agentId"`
	Options []acp.Option `json:"options"`
	Can     Can          `json:"can"`
	// Auth is how the user can sign in; SignIn is true if the agent wants that before it continues.
	Auth   []agentauth.Method `json:"auth"`
	SignIn bool               `json:"signIn,omitzero"`
	// Servers is what became of the user's MCP servers.
	Servers []sessionservers.Handed `json:"servers"`
	// Picked is what the user chose of the options. What isn't there was chosen by the agent.
	Picked []Picked `json:"picked,omitempty"`
	// Acts says what the agent does without asking while the options are as they are, as far as it tells: it only "reads", "asks" before it acts, "edits"
	// files without asking, or "acts" without asking. "" as long as no session was open.
	Acts string `json:"acts,omitzero" enum:",reads,asks,edits,acts"`
	// Held is what Weft has set, because the space needs an agent that asks, in place of what is wanted.
	Held []Held `json:"held,omitempty"`
	// Wishes is what the user chose and can't be set. It is set as soon as it can be.
	Wishes []Wish `json:"wishes,omitempty"`
	// Accepted is what of the space the user knows that this agent can't be held to.
	Accepted []string `json:"accepted,omitempty"`
}

// Picked is a value that the user chose for an option.
type Picked struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
	Here  bool           `json:"here,omitzero"` // for this space, and not only for the agent
}

// Held is an option that Weft has set to something else than what is wanted.
type Held struct {
	ID     string         `json:"id"`
	Wanted jsontext.Value `json:"wanted"`
}

// Can is what the agent can do besides answering text.
type Can struct {
	Image    bool `json:"image,omitzero"` // prompts may carry images
	Audio    bool `json:"audio,omitzero"`
	Embedded bool `json:"embedded,omitzero"` // prompts may carry the text of files
	Fork     bool `json:"fork,omitzero"`
	Delete   bool `json:"delete,omitzero"` // sessions that it has kept
	List     bool `json:"list,omitzero"`
	Load     bool `json:"load,omitzero"`
	Logout   bool `json:"logout,omitzero"`
}

// CanOf returns what an agent can do by what it says.
func CanOf(c acp.AgentCapabilities) Can {
	return Can{
		Image: c.Image, Audio: c.Audio, Embedded: c.EmbeddedContext,
		Fork: c.ForkSession, Delete: c.DeleteSession, List: c.ListSessions, Load: c.LoadSession, Logout: c.Logout,
	}
}

// News is what a session offers now.
type News struct {
	State []byte  // the [Offered] that the caller stores, nil if it is the one that was stored last
	Model *string // that is in force, nil if the agent offers none
}

// Offer returns what the session offers now. About is the rest of what it is: all but the options and the mode. Without
// initialized the agent has not said yet what it can do, and without [Options.Settle] not what it offers: then these stay what they were.
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

// picked returns what the user chose, ordered by the ids of the options.
func (o *Options) picked() (list []Picked) {
	for _, id := range slices.Sorted(maps.Keys(o.chosen)) {
		list = append(list, Picked{id, o.chosen[id], o.here[id] != nil})
	}
	return list
}

// heldBack returns what Weft has set because of the need of the space, ordered by the ids of the options.
func (o *Options) heldBack() (list []Held) {
	for _, id := range slices.Sorted(maps.Keys(o.held)) {
		list = append(list, Held{id, o.wanted[id]})
	}
	return list
}

// pickedIn returns what the user chose, as it was stored, and what of it was chosen for the space. Earlier versions stored the mode alone.
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

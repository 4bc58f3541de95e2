package sessionoptions

import (
	"bytes"

	"github.com/go-json-experiment/json"

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
	// PickedMode is the mode that the user chose, "" where the agent chose the one that is in force.
	PickedMode string `json:"pickedMode,omitzero"`
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
	now.PickedMode, now.Options = o.chosenMode(), was.Options
	if !initialized {
		now.Can, now.Servers = was.Can, was.Servers
	}
	if now.Servers == nil {
		now.Servers = []sessionservers.Handed{}
	}
	if o.settled {
		now.Options = o.offer.List()
		o.wanted = current(now.Options)
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

// Package agentnotes keeps what Weft remembers of an agent across spaces and starts: what the user last chose for it,
// whether it offers to log out, how its last test ended, what it was seen to do without asking, and what the user lets
// it do so.
//
// It decides nothing: what follows from a note is up to those that read it. What holds for one space only is stored
// with the space.
package agentnotes

import (
	"context"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/agent"
)

// Meta stores values by key.
type Meta interface {
	Get(ctx context.Context, key string) (value string, ok bool, err error)
	Set(ctx context.Context, key, value string) error
}

// Options are what [Notes] need.
type Options struct {
	Meta Meta
	// Go runs what is stored later. The app waits for it when it ends.
	Go func(func())
	// Changed is called when something is noted that the lists of agents show. It must not block.
	Changed func()
	Log     zerolog.Logger
}

// Notes are those about all agents. Their methods may be called from any goroutine, and block for the store at worst.
type Notes struct {
	opt      Options
	choosing sync.Mutex // held over a read, change and write of an agent's choices
	saving   sync.Mutex // held over a write of a note, so that the last one has the latest

	mu sync.Mutex
	by map[string]*note // by agent; each is read from the store once
}

// New returns the notes that are stored.
func New(opt Options) *Notes { return &Notes{opt: opt, by: map[string]*note{}} }

const choicesKey = "choices:"

// Choices returns what the user last chose for an agent, by option; not nil.
func (n *Notes) Choices(ctx context.Context, agentID string) (map[string]jsontext.Value, error) {
	text, _, err := n.opt.Meta.Get(ctx, choicesKey+agentID)
	if err != nil {
		return nil, err
	}
	c := map[string]jsontext.Value{}
	if text == "" {
		return c, nil
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what was chosen for an agent cannot be read")
		return map[string]jsontext.Value{}, nil
	}
	return c, nil
}

// Choose keeps what the user chose, for the spaces that the agent gets next.
func (n *Notes) Choose(ctx context.Context, agentID, optionID string, value jsontext.Value) error {
	n.choosing.Lock()
	defer n.choosing.Unlock()
	c, err := n.Choices(ctx, agentID)
	if err != nil {
		return err
	}
	c[optionID] = value
	raw, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return err
	}
	return n.opt.Meta.Set(ctx, choicesKey+agentID, string(raw))
}

const logoutKey = "logout:"

// SawLogOut notes whether an agent offers to log out, and reports that if it is new. Of an agent that is only tried
// nothing is noted.
func (n *Notes) SawLogOut(config agent.Config, offers bool) {
	agentID := config.ID
	if agentID == "" || config.Source == "" {
		return
	}
	ctx := context.Background()
	if n.CanLogOut(ctx, agentID) == offers {
		return
	}
	value := ""
	if offers {
		value = "1"
	}
	if err := n.opt.Meta.Set(ctx, logoutKey+agentID, value); err != nil {
		n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what an agent offers could not be kept")
		return
	}
	n.opt.Changed()
}

// CanLogOut reports whether the agent has last said that it offers to log out.
func (n *Notes) CanLogOut(ctx context.Context, agentID string) bool {
	value, _, err := n.opt.Meta.Get(ctx, logoutKey+agentID)
	return err == nil && value == "1"
}

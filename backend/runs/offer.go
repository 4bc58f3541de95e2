package runs

import (
	"context"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"weft/backend/actions"
)

// Unasked is the first thing that an agent was seen to do without asking.
type Unasked struct {
	Kind    string `json:"kind"`    // of tool, as the broker reads it: execute, edit, delete or move
	About   string `json:"about"`   // its command or file, or the agent's title; shortened
	SpaceID string `json:"spaceId"` // in which it was
	At      int64  `json:"at"`      // unix ms
	Settled bool   `json:"settled"` // the user has turned the sandbox on or declined it: it isn't offered any more
}

// offer is what is kept of an agent for that.
type offer struct {
	Seen *Unasked `json:"seen,omitzero"` // nil: it was not seen to
	// May is what the user lets the agent do without asking, by an answer of its own that says always: "execute", "edit". Agents keep such
	// answers longer than a session.
	May []string `json:"may,omitzero"`
}

// offers are those of all agents. What is known of one is read from the store once.
type offers struct {
	m      *Manager
	saving sync.Mutex // held over a write to the store, so that the last one has the latest

	mu sync.Mutex
	by map[string]*offer // by agent
}

const offerKey = "unasked:"

// of returns what is known of an agent. The mutex is held.
func (o *offers) of(agentID string) *offer {
	if known := o.by[agentID]; known != nil {
		return known
	}
	known := &offer{}
	value, ok, err := o.m.opt.Store.Meta.Get(context.Background(), offerKey+agentID)
	if err == nil && ok && value != "" {
		err = json.Unmarshal([]byte(value), known)
	}
	if err != nil {
		o.m.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what an agent did without asking could not be read")
		known = &offer{}
	}
	o.by[agentID] = known
	return known
}

// known reports whether an agent was seen to act without asking already.
func (o *offers) known(agentID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of(agentID).Seen != nil
}

// mayBy reports whether the user has let an agent do things of a kind without asking.
func (o *offers) mayBy(agentID, kind string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.of(agentID).May, kind)
}

// lets notes an answer that says always, to a request of a kind. An agent that is let switch its mode may do anything in that.
func (o *offers) lets(agentID, kind string) {
	may := []string{actions.Kind(kind)}
	if kind == "switch_mode" {
		may = []string{"edit", "execute"}
	} else if !actions.Acts(kind) {
		return
	}
	o.change(agentID, func(one *offer) bool {
		before := len(one.May)
		for _, kind := range may {
			if !slices.Contains(one.May, kind) {
				one.May = append(one.May, kind)
			}
		}
		return len(one.May) > before
	})
}

// saw notes what an agent did. The first thing stays.
func (o *offers) saw(agentID string, did Unasked) {
	o.change(agentID, func(one *offer) bool {
		if one.Seen != nil {
			return false
		}
		one.Seen = &did
		return true
	})
}

// change changes what is known of an agent, and has it kept and told where change reports that there is something new. It does not wait for that.
func (o *offers) change(agentID string, change func(*offer) bool) {
	o.mu.Lock()
	changed := change(o.of(agentID))
	o.mu.Unlock()
	if !changed {
		return
	}
	o.m.tasks.Go(func() {
		if err := o.keep(context.Background(), agentID); err != nil {
			o.m.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what an agent did without asking could not be kept")
		}
		o.m.opt.OnAgents()
	})
}

// keep writes what is known of an agent to the store.
func (o *offers) keep(ctx context.Context, agentID string) error {
	o.saving.Lock()
	defer o.saving.Unlock()
	o.mu.Lock()
	value, err := json.Marshal(o.by[agentID])
	o.mu.Unlock()
	if err != nil {
		return err
	}
	return o.m.opt.Store.Meta.Set(ctx, offerKey+agentID, string(value))
}

// Unasked returns what an agent was first seen to do without asking, nil if nothing.
func (m *Manager) Unasked(agentID string) *Unasked {
	m.offers.mu.Lock()
	defer m.offers.mu.Unlock()
	seen := m.offers.of(agentID).Seen
	if seen == nil {
		return nil
	}
	did := *seen
	return &did
}

// SettleUnasked ends the offer of a sandbox for an agent, if there is one: the user has taken it, or doesn't want it. It blocks until that is stored.
func (m *Manager) SettleUnasked(ctx context.Context, agentID string) error {
	m.offers.mu.Lock()
	seen := m.offers.of(agentID).Seen
	settle := seen != nil && !seen.Settled
	if settle {
		seen.Settled = true
	}
	m.offers.mu.Unlock()
	if !settle {
		return nil
	}
	return m.offers.keep(ctx, agentID)
}

// ForgetUnasked forgets what was seen of an agent that is no longer there. It blocks until that is stored.
func (m *Manager) ForgetUnasked(ctx context.Context, agentID string) error {
	m.offers.mu.Lock()
	one := m.offers.of(agentID)
	had := one.Seen != nil || len(one.May) > 0
	*one = offer{}
	m.offers.mu.Unlock()
	if !had {
		return nil
	}
	return m.offers.keep(ctx, agentID)
}

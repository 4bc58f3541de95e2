package agentnotes

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/permission/actions"
)

// Unasked is the first thing that an agent was seen to do without asking.
type Unasked struct {
	Kind    string `json:"kind"`    // of tool, as the broker reads it: execute, edit, delete or move
	About   string `json:"about"`   // its command or file, or the agent's title; shortened
	SpaceID string `json:"spaceId"` // in which it was
	At      int64  `json:"at"`      // unix ms
	Settled bool   `json:"settled"` // the user has turned the sandbox on or declined it: it isn't offered any more
}

// note is what is stored of an agent.
type note struct {
	Seen *Unasked `json:"seen,omitzero"` // nil: it was not seen to
	// May is what the user lets the agent do without asking, by an answer of its own that says always: "execute", "edit".
	// Agents keep such answers longer than a session.
	May []string `json:"may,omitzero"`
	// Whole is the first message to a space that came from it in one piece; nil: none did.
	Whole *Whole `json:"whole,omitzero"`
}

const unaskedKey = "unasked:"

// of returns what is known of an agent. The mutex is held, also while it is read from the store for the first time.
func (n *Notes) of(agentID string) *note {
	if known := n.by[agentID]; known != nil {
		return known
	}
	known := &note{}
	value, ok, err := n.opt.Meta.Get(context.Background(), unaskedKey+agentID)
	if err == nil && ok && value != "" {
		err = json.Unmarshal([]byte(value), known)
	}
	if err != nil {
		n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what an agent did without asking could not be read")
		known = &note{}
	}
	n.by[agentID] = known
	return known
}

// Seen reports whether an agent was seen to act without asking already.
func (n *Notes) Seen(agentID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of(agentID).Seen != nil
}

// Lets reports whether the user has let an agent do things of a kind without asking.
func (n *Notes) Lets(agentID, kind string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.of(agentID).May, kind)
}

// Let notes an answer that says always, to a request of a kind of tool. An agent that may switch its mode may do
// anything in that. It doesn't wait until that is stored.
func (n *Notes) Let(agentID, kind string) {
	may := []string{actions.Kind(kind)}
	if kind == "switch_mode" {
		may = []string{"edit", "execute"}
	} else if !actions.Acts(kind) {
		return
	}
	n.change(agentID, func(one *note) bool {
		before := len(one.May)
		for _, kind := range may {
			if !slices.Contains(one.May, kind) {
				one.May = append(one.May, kind)
			}
		}
		return len(one.May) > before
	})
}

// Saw notes what an agent did without asking. The first thing stays. It doesn't wait until that is stored.
func (n *Notes) Saw(agentID string, did Unasked) {
	n.change(agentID, func(one *note) bool {
		if one.Seen != nil {
			return false
		}
		one.Seen = &did
		return true
	})
}

// change changes what is known of an agent, and has it stored and reported where change reports that something is new.
func (n *Notes) change(agentID string, change func(*note) bool) {
	n.mu.Lock()
	changed := change(n.of(agentID))
	n.mu.Unlock()
	if !changed {
		return
	}
	n.opt.Go(func() {
		if err := n.store(context.Background(), agentID); err != nil {
			n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("what an agent did without asking could not be kept")
		}
		n.opt.Changed()
	})
}

// store writes what is known of an agent.
func (n *Notes) store(ctx context.Context, agentID string) error {
	n.saving.Lock()
	defer n.saving.Unlock()
	n.mu.Lock()
	value, err := json.Marshal(n.by[agentID])
	n.mu.Unlock()
	if err != nil {
		return err
	}
	return n.opt.Meta.Set(ctx, unaskedKey+agentID, string(value))
}

// Unasked returns what an agent was first seen to do without asking, nil if nothing.
func (n *Notes) Unasked(agentID string) *Unasked {
	n.mu.Lock()
	defer n.mu.Unlock()
	seen := n.of(agentID).Seen
	if seen == nil {
		return nil
	}
	did := *seen
	return &did
}

// SettleUnasked ends the offer of a sandbox for an agent, if there is one: the user has taken it, or doesn't want it.
// It blocks until that is stored.
func (n *Notes) SettleUnasked(ctx context.Context, agentID string) error {
	return n.settle(ctx, agentID, func(one *note) *bool {
		if one.Seen == nil {
			return nil
		}
		return &one.Seen.Settled
	})
}

// settle notes that the user has decided about an offer, if there is one that waits for that. It blocks until that is
// stored.
func (n *Notes) settle(ctx context.Context, agentID string, offer func(*note) (settled *bool)) error {
	n.mu.Lock()
	settled := offer(n.of(agentID))
	waits := settled != nil && !*settled
	if waits {
		*settled = true
	}
	n.mu.Unlock()
	if !waits {
		return nil
	}
	return n.store(ctx, agentID)
}

// Forget forgets what was seen of an agent that is no longer there. It blocks until that is stored.
func (n *Notes) Forget(ctx context.Context, agentID string) error {
	if err := n.forgetTest(ctx, agentID); err != nil {
		return err
	}
	n.mu.Lock()
	one := n.of(agentID)
	had := one.Seen != nil || len(one.May) > 0 || one.Whole != nil
	*one = note{}
	n.mu.Unlock()
	if !had {
		return nil
	}
	return n.store(ctx, agentID)
}

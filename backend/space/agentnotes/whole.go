package agentnotes

import "context"

// Whole is the first message of an agent to a space that came in one piece.
type Whole struct {
	SpaceID string `json:"spaceId"` // from which it was sent
	Settled bool   `json:"settled"` // the user has decided about the model proxy, or doesn't want it: it isn't offered any more
}

// SentWhole notes that a message of an agent to a space came in one piece. The first one stays. It doesn't wait until
// that is stored.
func (n *Notes) SentWhole(agentID, spaceID string) {
	n.change(agentID, func(one *note) bool {
		if one.Whole != nil {
			return false
		}
		one.Whole = &Whole{SpaceID: spaceID}
		return true
	})
}

// Whole returns the first message of an agent that came in one piece, nil if none did.
func (n *Notes) Whole(agentID string) *Whole {
	n.mu.Lock()
	defer n.mu.Unlock()
	if whole := n.of(agentID).Whole; whole != nil {
		first := *whole
		return &first
	}
	return nil
}

// SettleWhole ends the offer of the model proxy for an agent, if there is one. It blocks until that is stored.
func (n *Notes) SettleWhole(ctx context.Context, agentID string) error {
	return n.settle(ctx, agentID, func(one *note) *bool {
		if one.Whole == nil {
			return nil
		}
		return &one.Whole.Settled
	})
}

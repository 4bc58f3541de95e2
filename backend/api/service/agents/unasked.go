package agents

import (
	"context"
	"errors"

	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/api/service/ref"
)

// unasked returns what an agent without a sandbox was seen to do without asking. If a sandbox is offered and bubblewrap
// is installed but doesn't work, it starts a short probe.
func (s *Agents) unasked(c agent.Config) *Unasked {
	did := s.runs.Notes().Unasked(c.ID)
	if did == nil || c.Sandbox != nil {
		return nil
	}
	u := &Unasked{Kind: did.Kind, About: did.About, SpaceID: did.SpaceID, At: did.At, Offered: !did.Settled}
	if why := (*sandbox.Error)(nil); u.Offered && errors.As(sandbox.Available(), &why) {
		u.Offered, u.Problem = why.Code != sandbox.Unsupported, why.Message
	}
	return u
}

// DeclineSandbox permanently declines the offer of a sandbox for an agent. Error: agent_unknown.
func (s *Agents) DeclineSandbox(ctx context.Context, req ref.AgentRef) (Agent, error) {
	return s.decline(ctx, req, s.runs.Notes().SettleUnasked)
}

// decline permanently declines an offer for an agent. Error: agent_unknown.
func (s *Agents) decline(ctx context.Context, req ref.AgentRef, settle func(ctx context.Context, agentID string) error) (Agent, error) {
	c, err := s.registry.Get(req.AgentID)
	if err != nil {
		return Agent{}, err
	}
	if err := settle(ctx, c.ID); err != nil {
		return Agent{}, err
	}
	s.changed()
	return s.view(c, c.ID == s.registry.Default().ID), nil
}

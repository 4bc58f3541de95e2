package agents

import (
	"context"
	"os"

	"weft/backend/agent"
	"weft/backend/agentproc"
	"weft/backend/service/ref"
)

// leads are the variables by which the model proxy leads an agent in the home folder; in another one, a configuration there can add some.
func leads(c agent.Config) []string {
	if home, err := os.UserHomeDir(); err == nil && !c.Own() && c.Installed {
		return append([]string{}, agentproc.Leads(c, home)...)
	}
	return []string{}
}

// wholeFrom is the space in which the model proxy is offered for an agent, "" for none.
func (s *Agents) wholeFrom(c agent.Config) string {
	if whole := s.runs.Notes().Whole(c.ID); whole != nil && !whole.Settled && c.ModelProxy == nil {
		return whole.SpaceID
	}
	return ""
}

// DeclineModelProxy ends the offer of the model proxy for an agent for good. Error: agent_unknown.
func (s *Agents) DeclineModelProxy(ctx context.Context, req ref.AgentRef) (Agent, error) {
	return s.decline(ctx, req, s.runs.Notes().SettleWhole)
}

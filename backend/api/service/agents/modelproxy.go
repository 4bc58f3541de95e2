package agents

import (
	"context"
	"os"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/api/service/ref"
)

// proxyVariables returns the environment variables through which the model proxy redirects an agent that works in the
// home folder. In other folders, a configuration there can add some.
func proxyVariables(c agent.Config) []string {
	if home, err := os.UserHomeDir(); err == nil && !c.Own() && c.Installed {
		return append([]string{}, agentproc.Leads(c, home)...)
	}
	return []string{}
}

// wholeFrom returns the space in which the model proxy is offered for an agent, or "".
func (s *Agents) wholeFrom(c agent.Config) string {
	if whole := s.runs.Notes().Whole(c.ID); whole != nil && !whole.Settled && c.ModelProxy == nil {
		return whole.SpaceID
	}
	return ""
}

// DeclineModelProxy permanently declines the offer of the model proxy for an agent. Error: agent_unknown.
func (s *Agents) DeclineModelProxy(ctx context.Context, req ref.AgentRef) (Agent, error) {
	return s.decline(ctx, req, s.runs.Notes().SettleWhole)
}

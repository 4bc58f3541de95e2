// Package team describes the members of a space.
package team

import (
	"strings"

	"weft/backend/permission"
	"weft/backend/space/prelude"
)

// Space is what a session needs to know about its space.
type Space struct {
	ID      string
	Folder  string
	Mode    permission.Mode
	Members []Member // at least one; without a Default, the first is the default member

	// AgentID is the agent of the session's member.
	AgentID string
}

// Member is an agent in a space.
type Member struct {
	ID      string // transcript.MainMember for the first one
	Name    string // as the other members call it
	AgentID string
	Role    string // the role that the agent is given
	ByTool  bool   // only what it sends with a tool is a message; its text is reasoning
	Since   int64  // it may not read messages up to this position; 0: it may read all
	Default bool   // prompted if no member is named
}

// Member returns the member with the id; "" is the default member.
func (sp *Space) Member(id string) (Member, bool) {
	for _, m := range sp.Members {
		if m.ID == id || id == "" && m.Default {
			return m, true
		}
	}
	if id == "" && len(sp.Members) > 0 {
		return sp.Members[0], true
	}
	return Member{}, false
}

// Named returns a member by name, ignoring case.
func (sp *Space) Named(name string) (Member, bool) {
	for _, m := range sp.Members {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return Member{}, false
}

// As returns the member here that may write for an agent of another space: the member with the same agent, and if
// there are several, the one with that name.
func (sp *Space) As(agentID, name string) (found Member, ok bool) {
	for _, m := range sp.Members {
		if m.AgentID == agentID && (!ok || strings.EqualFold(m.Name, name)) {
			found, ok = m, true
		}
	}
	return found, ok
}

// Told describes the member for the other agents.
func (m *Member) Told() prelude.Member {
	return prelude.Member{ID: m.ID, Name: m.Name, Role: m.Role, ByTool: m.ByTool, Since: m.Since}
}

// Package team says who is in a space.
package team

import (
	"strings"

	"weft/backend/permission"
	"weft/backend/prelude"
)

// Space is what a session needs to know of its space.
type Space struct {
	ID      string
	Folder  string
	Mode    permission.Mode
	Members []Member // at least one; the first of them is the default member if none is

	// AgentID is the agent of the member whose session it is.
	AgentID string
}

// Member is an agent in a space.
type Member struct {
	ID      string // transcript.MainMember of the first one
	Name    string // as the others call it
	AgentID string
	Role    string // what it is told to be there
	ByTool  bool   // only what it sends by tool is said; its text is reasoning
	Since   int64  // it may not read the messages up to this place; 0: it may read all
	Default bool   // it is asked where nobody is named
}

// Member returns a member by its id, "" the default one.
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

// Named returns a member by its name in any case.
func (sp *Space) Named(name string) (Member, bool) {
	for _, m := range sp.Members {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return Member{}, false
}

// As returns the member as which another space's member may write here: one that is the same agent, of the same name if there are several.
func (sp *Space) As(agentID, name string) (found Member, ok bool) {
	for _, m := range sp.Members {
		if m.AgentID == agentID && (!ok || strings.EqualFold(m.Name, name)) {
			found, ok = m, true
		}
	}
	return found, ok
}

// Told is the member as the other agents learn about it.
func (m *Member) Told() prelude.Member {
	return prelude.Member{ID: m.ID, Name: m.Name, Role: m.Role, ByTool: m.ByTool, Since: m.Since}
}

package spaces

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/base/fault"
	"weft/backend/store/spaces"
)

// Member is an agent in a space.
type Member struct {
	ID        string `json:"id"`   // "main" for the first one
	Name      string `json:"name"` // its name in the space, for mentions; unique there
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	Role      string `json:"role"`                      // its role, sent to the agent
	Speaks    string `json:"speaks" enum:"direct,tool"` // direct: its text is its message; tool: only text sent with a tool is
	Reads     string `json:"reads" enum:"all,joined"`   // all; joined: only messages since it joined
	JoinedAt  int64  `json:"joinedAt"`                  // unix ms
	Default   bool   `json:"default"`                   // answers prompts without a mention
}

// MemberInput is a member to add. The default name is the agent's.
type MemberInput struct {
	Name    string `json:"name"`
	AgentID string `json:"agentId"`
	Role    string `json:"role"`
	Speaks  string `json:"speaks" enum:"direct,tool"` // "": direct
	Reads   string `json:"reads" enum:"all,joined"`   // "": all
}

// maxMembers is the maximum number of members of a space.
const maxMembers = 32

// Limits of a member's texts, in bytes.
const (
	maxMemberName = 60
	maxRole       = 8 << 10
)

// memberViews returns the members of a space for clients.
func (s *Spaces) memberViews(list []spaces.Member) []Member {
	out := make([]Member, len(list))
	for i, m := range list {
		out[i] = Member{
			ID: m.ID, Name: s.memberName(m), AgentID: m.AgentID, AgentName: m.AgentName, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads, JoinedAt: m.JoinedAt, Default: m.Default,
		}
		if c, err := s.agents.Get(m.AgentID); err == nil {
			out[i].AgentName = c.Name
		}
	}
	return out
}

// memberName returns a member's name: its own, or else the current name of its agent.
func (s *Spaces) memberName(m spaces.Member) string {
	if c, err := s.agents.Get(m.AgentID); err == nil && m.Name == m.AgentName {
		return c.Name
	}
	return m.Name
}

// makeMember checks a member and fills in defaults. taken are the names of the others.
func (s *Spaces) makeMember(in MemberInput, taken []string) (spaces.Member, error) {
	config, err := s.agents.Get(in.AgentID)
	if err != nil {
		return spaces.Member{}, err
	}
	name := strings.TrimSpace(in.Name)
	if name == "" {
		name = freeMemberName(memberNameOf(config.Name), taken)
	}
	m := spaces.Member{
		Name: name, AgentID: config.ID, AgentName: config.Name, Role: strings.TrimSpace(in.Role), Speaks: cmp.Or(in.Speaks, spaces.SpeaksDirect), Reads: cmp.Or(in.Reads, spaces.ReadsAll),
	}
	return m, checkMember(m.Name, m.Role, m.Speaks, m.Reads)
}

// checkMember returns an error if a member is invalid.
func checkMember(name, role, speaks, reads string) error {
	switch {
	case !validMemberName(name):
		return fault.New(fault.Invalid, "A member's name must have 1 to {{max}} letters, digits, - or _, without spaces, so that it can be mentioned.", maxMemberName)
	case len(role) > maxRole:
		return fault.New(fault.Invalid, "A role can have at most 8 KB of text.")
	case speaks != spaces.SpeaksDirect && speaks != spaces.SpeaksByTool:
		return fault.New(fault.Invalid, "A member must speak directly (“direct”) or only by tool (“tool”).")
	case reads != spaces.ReadsAll && reads != spaces.ReadsJoined:
		return fault.New(fault.Invalid, "A member must read everything (“all”) or what was said since it joined (“joined”).")
	}
	return nil
}

// validMemberName reports whether a member can have a name. In a text the name follows an @, so it must end where the
// word ends.
func validMemberName(name string) bool {
	return name != "" && len(name) <= maxMemberName && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '-' || r == '_'
}

// memberNameOf derives a valid name from words.
func memberNameOf(words string) string {
	name := strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !nameRune(r) }), "-")
	for len(name) > maxMemberName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return cmp.Or(strings.Trim(name, "-"), "Agent")
}

// freeMemberName returns name, with a number appended if it is taken.
func freeMemberName(name string, taken []string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) })
	}
	for n, base := 2, name; has(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// makeMembers makes the members of a new space.
func (s *Spaces) makeMembers(list []MemberInput) ([]spaces.Member, error) {
	if len(list) > maxMembers {
		return nil, fault.New(fault.Invalid, "A space can have at most {{most}} agents.", maxMembers)
	}
	var out []spaces.Member
	var taken []string
	for _, in := range list {
		m, err := s.makeMember(in, taken)
		if err != nil {
			return nil, err
		}
		out, taken = append(out, m), append(taken, m.Name)
	}
	return out, nil
}

// Package members names and checks members of spaces, and implements the commands about presets of members. Package
// spaces has the commands that add and remove members.
package members

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/agent"
	"weft/backend/fault"
	"weft/backend/settings"
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

// Members names and checks members of spaces.
type Members struct {
	agents   *agent.Registry
	settings *settings.File
}

// New returns members for the agents of a registry. Presets are stored in a file.
func New(agents *agent.Registry, file *settings.File) *Members {
	return &Members{agents: agents, settings: file}
}

// Most is the maximum number of members of a space.
const Most = 32

// Limits of a member's texts, in bytes.
const (
	maxName = 60
	maxRole = 8 << 10
)

// Views returns the members of a space for clients.
func (s *Members) Views(list []spaces.Member) []Member {
	out := make([]Member, len(list))
	for i, m := range list {
		out[i] = Member{
			ID: m.ID, Name: s.Name(m), AgentID: m.AgentID, AgentName: m.AgentName, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads, JoinedAt: m.JoinedAt, Default: m.Default,
		}
		if c, err := s.agents.Get(m.AgentID); err == nil {
			out[i].AgentName = c.Name
		}
	}
	return out
}

// Name returns a member's name: its own, or else the current name of its agent.
func (s *Members) Name(m spaces.Member) string {
	if c, err := s.agents.Get(m.AgentID); err == nil && m.Name == m.AgentName {
		return c.Name
	}
	return m.Name
}

// MakeOne checks a member and fills in defaults. taken are the names of the others.
func (s *Members) MakeOne(in MemberInput, taken []string) (spaces.Member, error) {
	config, err := s.agents.Get(in.AgentID)
	if err != nil {
		return spaces.Member{}, err
	}
	name := strings.TrimSpace(in.Name)
	if name == "" {
		name = freeName(nameOf(config.Name), taken)
	}
	m := spaces.Member{
		Name: name, AgentID: config.ID, AgentName: config.Name, Role: strings.TrimSpace(in.Role), Speaks: cmp.Or(in.Speaks, spaces.SpeaksDirect), Reads: cmp.Or(in.Reads, spaces.ReadsAll),
	}
	return m, Check(m.Name, m.Role, m.Speaks, m.Reads)
}

// Check returns an error if a member is invalid.
func Check(name, role, speaks, reads string) error {
	switch {
	case !ValidName(name):
		return fault.New(fault.Invalid, "A member's name must have 1 to {{max}} letters, digits, - or _, without spaces, so that it can be mentioned.", maxName)
	case len(role) > maxRole:
		return fault.New(fault.Invalid, "A role can have at most 8 KB of text.")
	case speaks != spaces.SpeaksDirect && speaks != spaces.SpeaksByTool:
		return fault.New(fault.Invalid, "A member must speak directly (“direct”) or only by tool (“tool”).")
	case reads != spaces.ReadsAll && reads != spaces.ReadsJoined:
		return fault.New(fault.Invalid, "A member must read everything (“all”) or what was said since it joined (“joined”).")
	}
	return nil
}

// ValidName reports whether a member can have a name. In a text the name follows an @, so it must end where the word
// ends.
func ValidName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '-' || r == '_'
}

// nameOf derives a valid name from words.
func nameOf(words string) string {
	name := strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !nameRune(r) }), "-")
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return cmp.Or(strings.Trim(name, "-"), "Agent")
}

// freeName returns name, with a number appended if it is taken.
func freeName(name string, taken []string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) })
	}
	for n, base := 2, name; has(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// Make makes the members of a new space.
func (s *Members) Make(list []MemberInput) ([]spaces.Member, error) {
	if len(list) > Most {
		return nil, fault.New(fault.Invalid, "A space can have at most {{most}} agents.", Most)
	}
	var out []spaces.Member
	var taken []string
	for _, in := range list {
		m, err := s.MakeOne(in, taken)
		if err != nil {
			return nil, err
		}
		out, taken = append(out, m), append(taken, m.Name)
	}
	return out, nil
}

// Package members has what can be said about the members of spaces, and the commands about presets of members. Who is in a space is a matter
// of the spaces.
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
	ID        string `json:"id"`   // "main" of the first one
	Name      string `json:"name"` // what it is called there, and mentioned by; unique in the space
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	Role      string `json:"role"`                      // what it is told to be there
	Speaks    string `json:"speaks" enum:"direct,tool"` // direct: its text is its message; tool: only what it sends by tool is
	Reads     string `json:"reads" enum:"all,joined"`   // all; joined: only what came after it did
	JoinedAt  int64  `json:"joinedAt"`                  // unix ms
	Default   bool   `json:"default"`                   // it is asked where nobody is named
}

// MemberInput is a member as it is to be. Without a name it is called as its agent is.
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

// New returns members that are agents of a registry. Presets are kept in a file.
func New(agents *agent.Registry, file *settings.File) *Members {
	return &Members{agents: agents, settings: file}
}

// Most is how many members a space may have.
const Most = 32

// The bounds of what is said of a member, in bytes.
const (
	maxName = 60
	maxRole = 8 << 10
)

// Views returns the members of a space as they are shown.
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

// Name returns what a member is called. One that was never given a name has the current name of its agent.
func (s *Members) Name(m spaces.Member) string {
	if c, err := s.agents.Get(m.AgentID); err == nil && m.Name == m.AgentName {
		return c.Name
	}
	return m.Name
}

// MakeOne checks a member and fills in what is left out; taken are the names that others have.
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

// Check returns what is wrong with a member.
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

// ValidName reports whether a member can have a name. It follows an @ in a text, so it has to end where the word does.
func ValidName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '-' || r == '_'
}

// nameOf returns a name made of words.
func nameOf(words string) string {
	name := strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !nameRune(r) }), "-")
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return cmp.Or(strings.Trim(name, "-"), "Agent")
}

// freeName returns name, with a number behind it if it is taken.
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

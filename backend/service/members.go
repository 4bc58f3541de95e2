package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"weft/backend/mentions"
	"weft/backend/service/ref"
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

// The requests about members.
type (
	// AddMemberRequest puts an agent into a space.
	AddMemberRequest struct {
		SpaceID string `json:"spaceId"`
		MemberInput
	}
	// UpdateMemberRequest changes the fields that are not null. Default can only be given, not taken.
	UpdateMemberRequest struct {
		SpaceID  string  `json:"spaceId"`
		MemberID string  `json:"memberId"`
		Name     *string `json:"name,omitzero"`
		Role     *string `json:"role,omitzero"`
		Speaks   *string `json:"speaks,omitzero" enum:"direct,tool"`
		Reads    *string `json:"reads,omitzero" enum:"all,joined"`
		Default  bool    `json:"default,omitzero"`
	}
	// MemberPreset is members that a space can be made with.
	MemberPreset struct {
		Name    string        `json:"name"`
		Members []MemberInput `json:"members"`
	}
	// MemberPresetRef names a preset.
	MemberPresetRef struct {
		Name string `json:"name"`
	}
	// RunRef names a run.
	RunRef struct {
		RunID string `json:"runId"`
	}
	// RunMessages is a run with its messages in all spaces.
	RunMessages struct {
		Run      spaces.Run          `json:"run"`
		Messages []spaces.RunMessage `json:"messages"`
	}
)

// The bounds of what is told of a member, in bytes, and of how many there may be in a space.
const (
	maxMemberName = 60
	maxRole       = 8 << 10
	maxMembers    = 32
)

func (s *Service) memberViews(list []spaces.Member) []Member {
	out := make([]Member, len(list))
	for i, m := range list {
		out[i] = Member{
			ID: m.ID, Name: s.memberName(m), AgentID: m.AgentID, AgentName: m.AgentName, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads, JoinedAt: m.JoinedAt, Default: m.Default,
		}
		if c, err := s.agentRegistry.Get(m.AgentID); err == nil {
			out[i].AgentName = c.Name
		}
	}
	return out
}

// memberName is what a member is called: one that was never given a name is called as its agent is now.
func (s *Service) memberName(m spaces.Member) string {
	if c, err := s.agentRegistry.Get(m.AgentID); err == nil && m.Name == m.AgentName {
		return c.Name
	}
	return m.Name
}

// member checks a member and fills in what is left out; taken are the names that others have.
func (s *Service) member(in MemberInput, taken []string) (spaces.Member, error) {
	config, err := s.agentRegistry.Get(in.AgentID)
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
	return m, checkMember(m.Name, m.Role, m.Speaks, m.Reads)
}

func checkMember(name, role, speaks, reads string) error {
	switch {
	case !validName(name):
		return invalid(fmt.Sprintf("A member's name has 1 to %d letters, digits and - or _, without spaces, so that it can be mentioned.", maxMemberName))
	case len(role) > maxRole:
		return invalid("A role is at most 8 KB of text.")
	case speaks != spaces.SpeaksDirect && speaks != spaces.SpeaksByTool:
		return invalid("A member speaks directly (“direct”) or only by tool (“tool”).")
	case reads != spaces.ReadsAll && reads != spaces.ReadsJoined:
		return invalid("A member reads everything (“all”) or what came after it did (“joined”).")
	}
	return nil
}

// A name stands behind an @ in a text, so that it has to end where the word does.
func validName(name string) bool {
	return name != "" && len(name) <= maxMemberName && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '-' || r == '_'
}

// nameOf is a name made of words.
func nameOf(words string) string {
	name := strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !nameRune(r) }), "-")
	for len(name) > maxMemberName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return cmp.Or(strings.Trim(name, "-"), "Agent")
}

// freeName is name, with a number behind it where it is taken.
func freeName(name string, taken []string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) })
	}
	for n, base := 2, name; has(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// membersOf makes the members of a new space.
func (s *Service) membersOf(list []MemberInput) ([]spaces.Member, error) {
	if len(list) > maxMembers {
		return nil, invalid(fmt.Sprintf("A space has at most %d agents.", maxMembers))
	}
	var out []spaces.Member
	var taken []string
	for _, in := range list {
		m, err := s.member(in, taken)
		if err != nil {
			return nil, err
		}
		out, taken = append(out, m), append(taken, m.Name)
	}
	return out, nil
}

// AddMember puts an agent into a space. Errors: conflict if the name is taken.
func (s *Service) AddMember(ctx context.Context, req AddMemberRequest) (Space, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	if len(sp.Members) >= maxMembers {
		return Space{}, invalid(fmt.Sprintf("A space has at most %d agents.", maxMembers))
	}
	var taken []string
	for _, m := range sp.Members {
		taken = append(taken, m.Name)
	}
	m, err := s.member(req.MemberInput, taken)
	if err != nil {
		return Space{}, err
	}
	if err := s.store.Events.Flush(ctx, sp.ID); err != nil { // so that what it joins behind is counted
		return Space{}, err
	}
	m.SpaceID = sp.ID
	if _, err := s.store.Members.Add(ctx, m); err != nil {
		return Space{}, err
	}
	return s.membersChanged(ctx, sp.ID)
}

// UpdateMember changes a member; what it is told of itself changes with its next prompt.
func (s *Service) UpdateMember(ctx context.Context, req UpdateMemberRequest) (Space, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	i := slices.IndexFunc(sp.Members, func(m spaces.Member) bool { return m.ID == req.MemberID })
	if i < 0 {
		return Space{}, &Error{Code: "not_found", Message: "This agent is not a member of the space any more."}
	}
	m := sp.Members[i]
	change := spaces.MemberChange{Speaks: req.Speaks, Reads: req.Reads, Default: req.Default}
	for _, text := range []struct{ from, into **string }{{&req.Name, &change.Name}, {&req.Role, &change.Role}} {
		if *text.from != nil {
			trimmed := strings.TrimSpace(**text.from)
			*text.into = &trimmed
		}
	}
	if err := checkMember(or(change.Name, m.Name), or(change.Role, m.Role), or(change.Speaks, m.Speaks), or(change.Reads, m.Reads)); err != nil && (change.Name != nil || validName(m.Name)) {
		return Space{}, err
	}
	if err := s.store.Members.Update(ctx, req.SpaceID, req.MemberID, change); err != nil {
		return Space{}, err
	}
	return s.membersChanged(ctx, req.SpaceID)
}

func or(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// RemoveMember takes a member out of a space. What it does is stopped, and what it said stays. It blocks until its process has ended. Error: conflict for the last one.
func (s *Service) RemoveMember(ctx context.Context, req ref.MemberRef) (Space, error) {
	if err := s.store.Members.Remove(ctx, req.SpaceID, req.MemberID); err != nil {
		return Space{}, err
	}
	return s.membersChanged(ctx, req.SpaceID)
}

func (s *Service) membersChanged(ctx context.Context, spaceID string) (Space, error) {
	if err := s.runs.MembersChanged(ctx, spaceID); err != nil {
		return Space{}, err
	}
	s.spaceChanged(spaceID)
	return s.space(ctx, spaceID)
}

// MemberPresets answers the presets that the person has kept.
func (s *Service) MemberPresets(_ context.Context, _ none) ([]MemberPreset, error) {
	list := []MemberPreset{}
	for _, p := range s.settings.Get().MemberPresets {
		preset := MemberPreset{Name: p.Name, Members: []MemberInput{}}
		for _, m := range p.Members {
			preset.Members = append(preset.Members, MemberInput{Name: m.Name, AgentID: m.AgentID, Role: m.Role, Speaks: cmp.Or(m.Speaks, spaces.SpeaksDirect), Reads: cmp.Or(m.Reads, spaces.ReadsAll)})
		}
		list = append(list, preset)
	}
	return list, nil
}

// SaveMemberPreset keeps members under a name, instead of what was there under it, and answers all.
func (s *Service) SaveMemberPreset(ctx context.Context, req MemberPreset) ([]MemberPreset, error) {
	preset := settings.Preset{Name: strings.TrimSpace(req.Name)}
	if preset.Name == "" || len(preset.Name) > 80 {
		return nil, invalid("Give the preset a name of at most 80 characters.")
	}
	members, err := s.membersOf(req.Members)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, invalid("A preset needs at least one member.")
	}
	for _, m := range members {
		preset.Members = append(preset.Members, settings.PresetMember{Name: m.Name, AgentID: m.AgentID, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads})
	}
	return s.changePresets(ctx, preset.Name, &preset)
}

// RemoveMemberPreset forgets a preset and answers the others.
func (s *Service) RemoveMemberPreset(ctx context.Context, req MemberPresetRef) ([]MemberPreset, error) {
	return s.changePresets(ctx, req.Name, nil)
}

func (s *Service) changePresets(ctx context.Context, name string, preset *settings.Preset) ([]MemberPreset, error) {
	err := s.settings.Update(func(now *settings.Settings) error {
		i := slices.IndexFunc(now.MemberPresets, func(p settings.Preset) bool { return strings.EqualFold(p.Name, name) })
		switch {
		case i >= 0 && preset != nil:
			now.MemberPresets[i] = *preset
		case i >= 0:
			now.MemberPresets = slices.Delete(now.MemberPresets, i, i+1)
		case preset != nil:
			now.MemberPresets = append(now.MemberPresets, *preset)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.MemberPresets(ctx, none{})
}

// RunMessages answers a run with its messages in all spaces, oldest first.
func (s *Service) RunMessages(ctx context.Context, req RunRef) (RunMessages, error) {
	run, _, found, err := s.store.Runs.Messages(ctx, req.RunID)
	if err == nil && found {
		err = s.store.Events.Flush(ctx, run.SpaceID)
	}
	if err != nil {
		return RunMessages{}, err
	}
	run, list, found, err := s.store.Runs.Messages(ctx, req.RunID)
	if err == nil && !found {
		err = &Error{Code: "not_found", Message: "There is nothing kept of this run any more."}
	}
	return RunMessages{Run: run, Messages: list}, err
}

// mentionLimits is how far agents may go in asking each other.
func (s *Service) mentionLimits() mentions.Limits {
	m := s.settings.Get().Mentions
	return mentions.Limits{Depth: m.Depth, Runs: m.Runs, Time: time.Duration(m.Minutes) * time.Minute}
}

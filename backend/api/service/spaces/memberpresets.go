package spaces

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/store/spaces"
)

// MemberPreset is a saved list of members for new spaces.
type MemberPreset struct {
	Name    string        `json:"name"`
	Members []MemberInput `json:"members"`
}

// MemberPresetRef names a preset.
type MemberPresetRef struct {
	Name string `json:"name"`
}

// MemberPresets returns the user's presets.
func (s *Spaces) MemberPresets(_ context.Context, _ command.None) ([]MemberPreset, error) {
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

// SaveMemberPreset saves members under a name, replacing a preset with that name, and returns all presets.
func (s *Spaces) SaveMemberPreset(ctx context.Context, req MemberPreset) ([]MemberPreset, error) {
	preset := settings.Preset{Name: strings.TrimSpace(req.Name)}
	if preset.Name == "" || len(preset.Name) > 80 {
		return nil, fault.New(fault.Invalid, "Enter a name of at most 80 characters for the preset.")
	}
	members, err := s.makeMembers(req.Members)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, fault.New(fault.Invalid, "A preset needs at least one member.")
	}
	for _, m := range members {
		preset.Members = append(preset.Members, settings.PresetMember{Name: m.Name, AgentID: m.AgentID, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads})
	}
	return s.changePresets(ctx, preset.Name, &preset)
}

// RemoveMemberPreset deletes a preset and returns the others.
func (s *Spaces) RemoveMemberPreset(ctx context.Context, req MemberPresetRef) ([]MemberPreset, error) {
	return s.changePresets(ctx, req.Name, nil)
}

func (s *Spaces) changePresets(ctx context.Context, name string, preset *settings.Preset) ([]MemberPreset, error) {
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
	return s.MemberPresets(ctx, command.None{})
}

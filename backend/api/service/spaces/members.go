package spaces

import (
	"context"
	"slices"
	"strings"

	"weft/backend/api/service/ref"
	"weft/backend/base/fault"
	"weft/backend/store/spaces"
)

// AddMember adds an agent to a space. Errors: conflict if the name is taken.
func (s *Spaces) AddMember(ctx context.Context, req AddMemberRequest) (Space, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	if len(sp.Members) >= maxMembers {
		return Space{}, fault.New(fault.Invalid, "A space can have at most {{most}} agents.", maxMembers)
	}
	var taken []string
	for _, m := range sp.Members {
		taken = append(taken, m.Name)
	}
	m, err := s.makeMember(req.MemberInput, taken)
	if err != nil {
		return Space{}, err
	}
	if err := s.store.Events.Flush(ctx, sp.ID); err != nil { // so that the messages before it are counted
		return Space{}, err
	}
	m.SpaceID = sp.ID
	if _, err := s.store.Members.Add(ctx, m); err != nil {
		return Space{}, err
	}
	return s.membersChanged(ctx, sp.ID)
}

// UpdateMember changes a member; its agent gets the change with its next prompt. `default` makes it the member for
// prompts without a mention.
func (s *Spaces) UpdateMember(ctx context.Context, req UpdateMemberRequest) (Space, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	i := slices.IndexFunc(sp.Members, func(m spaces.Member) bool { return m.ID == req.MemberID })
	if i < 0 {
		return Space{}, fault.New(fault.NotFound, "This agent is no longer a member of the space.")
	}
	m := sp.Members[i]
	change := spaces.MemberChange{Speaks: req.Speaks, Reads: req.Reads, Default: req.Default}
	for _, text := range []struct{ from, into **string }{{&req.Name, &change.Name}, {&req.Role, &change.Role}} {
		if *text.from != nil {
			trimmed := strings.TrimSpace(**text.from)
			*text.into = &trimmed
		}
	}
	if err := checkMember(or(change.Name, m.Name), or(change.Role, m.Role), or(change.Speaks, m.Speaks), or(change.Reads, m.Reads)); err != nil && (change.Name != nil || validMemberName(m.Name)) {
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

// RemoveMember removes a member from a space. It stops the member's work and keeps its messages. It blocks until the
// member's process has ended. Error: conflict for the last one.
func (s *Spaces) RemoveMember(ctx context.Context, req ref.MemberRef) (Space, error) {
	if err := s.store.Members.Remove(ctx, req.SpaceID, req.MemberID); err != nil {
		return Space{}, err
	}
	return s.membersChanged(ctx, req.SpaceID)
}

func (s *Spaces) membersChanged(ctx context.Context, spaceID string) (Space, error) {
	if err := s.runs.MembersChanged(ctx, spaceID); err != nil {
		return Space{}, err
	}
	s.changed(spaceID)
	return s.Get(ctx, spaceID)
}

package conversation

import (
	"context"
	"strings"

	"weft/backend/conversation/transcript"
	"weft/backend/space/prompt"
	"weft/backend/space/runs"
	"weft/backend/store/pages"
)

// lastPrompt returns the text and the attachments of the user's last message, or nothing if there is none. It reads
// only the last pages.
func (s *Prompts) lastPrompt(ctx context.Context, spaceID string) (string, []runs.Part, error) {
	sp, err := s.store.Spaces.Get(ctx, spaceID)
	if err != nil {
		return "", nil, err
	}
	var before *pages.Cursor
	for range 20 {
		page, err := s.store.Pages.Before(ctx, spaceID, before, 500)
		if err != nil {
			return "", nil, err
		}
		for i := len(page.Messages) - 1; i >= 0; i-- {
			m := page.Messages[i]
			if m.Role != transcript.RoleUser {
				continue
			}
			whole, err := s.store.Pages.Message(ctx, spaceID, m.ID)
			if err != nil {
				return "", nil, err
			}
			if text, parts := promptOf(whole, sp.Folder); strings.TrimSpace(text) != "" || len(parts) > 0 {
				return text, parts, nil
			}
		}
		if !page.HasBefore || len(page.Messages) == 0 {
			return "", nil, nil
		}
		first := page.Messages[0]
		before = &pages.Cursor{Ord: first.Ord, Segment: first.FirstSegment}
	}
	return "", nil, nil
}

// promptOf returns the text and attachments of a user's message, to send them again. For a replayed message, folder
// decides which files can be attached.
func promptOf(m *transcript.Message, folder string) (string, []prompt.Attachment) {
	var parts []prompt.Attachment
	for _, sg := range m.Segments {
		if sg.Display != nil {
			if p, ok := prompt.Of(*sg.Display, folder); ok {
				parts = append(parts, p)
			}
		}
	}
	return m.Content(), parts
}

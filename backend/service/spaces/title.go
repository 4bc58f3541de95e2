package spaces

import (
	"context"

	"weft/backend/clip"
	"weft/backend/store/spaces"
)

// What a title can come from, as it is kept.
const (
	TitledByPrompt = "prompt"
	TitledByAgent  = "agent"
	TitledByBranch = "branch" // what differs from the branch next to it
	TitledByUser   = "person"
)

// TitledKey is, in meta, what the title of a space comes from.
func TitledKey(spaceID string) string { return "titled:" + spaceID }

// Title names a space after text, unless it has a title that weighs more: the user's over that of a branch, over the agent's, over
// the first prompt.
func (s *Spaces) Title(ctx context.Context, spaceID, text, by string) {
	weight := map[string]int{"": 0, TitledByPrompt: 1, TitledByAgent: 2, TitledByBranch: 3, TitledByUser: 4}
	was, _, err := s.store.Meta.Get(ctx, TitledKey(spaceID))
	if err != nil || weight[was] > weight[by] || was == TitledByPrompt && by == TitledByPrompt {
		return
	}
	title := clip.Line(text, 80)
	if title == "" {
		return
	}
	if _, err := s.store.Spaces.Update(ctx, spaceID, spaces.Change{Title: &title}); err != nil {
		s.log.Warn().Err(err).Msg("a space could not be given a title")
		return
	}
	if err := s.store.Meta.Set(ctx, TitledKey(spaceID), by); err != nil {
		s.log.Warn().Err(err).Msg("a space's title could not be marked")
	}
	s.changed(spaceID)
}

// TitleByAgent gives a space the title that its agent has chosen. It does not block.
func (s *Spaces) TitleByAgent(spaceID, title string) {
	s.work.Go(func() {
		ctx, cancel := s.work.Bounded()
		defer cancel()
		s.Title(ctx, spaceID, title, TitledByAgent)
	})
}

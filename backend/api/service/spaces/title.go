package spaces

import (
	"context"

	"weft/backend/base/clip"
	"weft/backend/store/spaces"
)

// Sources of a title, as stored.
const (
	TitledByPrompt = "prompt"
	TitledByAgent  = "agent"
	TitledByBranch = "branch" // the difference to the branch next to it
	TitledByUser   = "person"
)

// TitledKey returns the key in meta of the source of a space's title.
func TitledKey(spaceID string) string { return "titled:" + spaceID }

// Title sets the title of a space unless the current one has precedence. The user's title comes first, then that of a
// branch, the agent's, and the first prompt.
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

// TitleByAgent sets the title that a space's agent has chosen. It does not block.
func (s *Spaces) TitleByAgent(spaceID, title string) {
	s.work.Go(func() {
		ctx, cancel := s.work.Bounded()
		defer cancel()
		s.Title(ctx, spaceID, title, TitledByAgent)
	})
}

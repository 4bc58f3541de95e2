package transcripts

import (
	"context"

	"weft/backend/store/find"
	"weft/backend/store/pages"
)

// FindInSpaceRequest asks for hits of a text in one space.
type FindInSpaceRequest struct {
	SpaceID string `json:"spaceId"`
	// Query is found wherever it is, in any case and with any diacritics. It has no syntax.
	Query string `json:"query"`
	// From is where an earlier page says that the search continues, left out for the beginning.
	From *find.Cursor `json:"from,omitzero"`
	// Within is the only place that is searched, in place of From.
	Within *Place `json:"within,omitzero"`
	Limit  int    `json:"limit"` // hits, 1 to 1000
	// Context is how many bytes around a hit are returned with it, at most 4096.
	Context int `json:"context"`
}

// Place is a place in a space: a message, a segment of it, or an item of a tool group. Segment and Item are -1 where all of them are meant.
type Place struct {
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
}

// FindInSpace returns hits of a text in one space, in the order of the conversation: in texts, thoughts, displays and calls, with their inputs and
// outputs, however long. A page ends after some time, or some hits, and says where the search continues, so a search is canceled by not asking for
// more. To search again after something was added, continue at the message that was `open`.
func (s *Transcripts) FindInSpace(ctx context.Context, req FindInSpaceRequest) (find.Page, error) {
	s.fold(ctx, req.SpaceID)
	in := find.Request{Query: req.Query, From: req.From, Limit: req.Limit, Context: req.Context}
	if req.Within != nil {
		in.Within = &find.Place{MessageID: req.Within.MessageID, Segment: req.Within.Segment, Item: req.Within.Item}
	}
	return s.store.Pages.Find(ctx, req.SpaceID, in)
}

// OutlineRequest asks for a part of the outline of a space.
type OutlineRequest struct {
	SpaceID string `json:"spaceId"`
	From    int64  `json:"from"` // the position of a message, 0 for the first one
}

// Outline returns what a reader may want to go to in a space, from a message on: prompts, changed files, failures, displays, what waits, notices
// and branches. A part ends after some time and says where the next one begins.
func (s *Transcripts) Outline(ctx context.Context, req OutlineRequest) (pages.Outline, error) {
	s.fold(ctx, req.SpaceID)
	return s.store.Pages.Outline(ctx, req.SpaceID, req.From)
}

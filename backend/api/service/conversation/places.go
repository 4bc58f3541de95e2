package conversation

import (
	"context"

	"weft/backend/store/find"
	"weft/backend/store/pages"
)

// FindInSpaceRequest searches for a text in one space.
type FindInSpaceRequest struct {
	SpaceID string `json:"spaceId"`
	// Query matches anywhere, ignoring case and diacritics. It has no syntax.
	Query string `json:"query"`
	// From is the cursor from an earlier page; absent: from the beginning.
	From *find.Cursor `json:"from,omitzero"`
	// Within limits the search to one place. From is then ignored.
	Within *Place `json:"within,omitzero"`
	Limit  int    `json:"limit"` // hits, 1 to 1000
	// Context is the number of bytes to return around a match, at most 4096.
	Context int `json:"context"`
}

// Place is a message, a segment or an item of a tool group. Segment and Item are -1 for the whole.
type Place struct {
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
}

// FindInSpace searches one space for a text and returns matches in the order of the conversation: in texts, thoughts,
// displays and calls, with inputs and outputs of any size. A page ends after some time or some matches, and has the
// cursor for the next one. To cancel a search, stop asking for pages. To search again after new messages, continue at
// the message that was `open`.
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
	From    int64  `json:"from"` // position of a message; 0: the first one
}

// Outline returns the landmarks of a space, starting at a message: prompts, changed files, failures, displays, open
// requests, notices and branches. A part ends after some time and has the position of the next one.
func (s *Transcripts) Outline(ctx context.Context, req OutlineRequest) (pages.Outline, error) {
	s.fold(ctx, req.SpaceID)
	return s.store.Pages.Outline(ctx, req.SpaceID, req.From)
}

package conversation

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/spaces"
	"weft/backend/store/pages"
)

// Page is a range of a space's transcript.
type Page = pages.Page

// Cursor is a position in a space's transcript.
type Cursor = pages.Cursor

// Snapshot is a space at Seq. Events after Seq continue it.
type Snapshot struct {
	Space spaces.Space              `json:"space"`
	Epoch int64                     `json:"epoch"`
	Seq   int64                     `json:"seq"`
	Page  Page                      `json:"page"`  // the last page
	State map[string]jsontext.Value `json:"state"` // plan, usage, mode, config, commands, queue …
	// Runs are the runs in progress, oldest first. Run is the first of them, or null.
	Runs []Run `json:"runs"`
	Run  *Run  `json:"run"`
}

// Run is an agent's turn in progress.
type Run struct {
	ID        string `json:"id"`
	SpaceID   string `json:"spaceId"` // where it works, if that is another space: the run also writes to this one
	MessageID string `json:"messageId"`
	AgentID   string `json:"agentId"`
	MemberID  string `json:"memberId"`
	StartedAt int64  `json:"startedAt"`
	Stopping  bool   `json:"stopping"`
}

// Events are the events after a sequence number. With Reset they are no longer stored one by one, and the client needs
// a new snapshot.
type Events struct {
	Epoch  int64            `json:"epoch"`
	Seq    int64            `json:"seq"` // of the last event
	Reset  bool             `json:"reset"`
	Events []jsontext.Value `json:"events"`
}

// PageRequest asks for segments before, after or around a position.
type PageRequest struct {
	SpaceID string  `json:"spaceId"`
	Before  *Cursor `json:"before,omitzero"`
	After   *Cursor `json:"after,omitzero"`
	Around  *Around `json:"around,omitzero"`
	Limit   int     `json:"limit"` // segments, 1 to 500
}

// Around is a position in the middle of a page.
type Around struct {
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"` // -1 for the beginning of the message
}

// SinceRequest asks for the events after Seq.
type SinceRequest struct {
	SpaceID string `json:"spaceId"`
	Epoch   int64  `json:"epoch"`
	Seq     int64  `json:"seq"`
}

// GroupItemsRequest asks for items of a tool group.
type GroupItemsRequest struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	From      int    `json:"from"`
	To        int    `json:"to"` // exclusive
}

// ToolDetailRequest asks for one tool call with input, content and output.
type ToolDetailRequest struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
}

// SegmentTextRequest asks for bytes of a long text segment, cut at UTF-8 boundaries.
type SegmentTextRequest struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	From      int64  `json:"from"` // byte offset
	To        int64  `json:"to"`   // exclusive; 0 = the end
}

// SegmentTextResult is a range of a text segment and its byte offset.
type SegmentTextResult struct {
	Text  string `json:"text"`
	Start int64  `json:"start"`
}

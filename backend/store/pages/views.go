package pages

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/spaces"
)

// These types are sent to frontends. Times are unix milliseconds, lists are never null.

// MessageView is a message, or the part of it that a page holds.
type MessageView struct {
	ID           string              `json:"id"`
	Ord          int64               `json:"ord"` // position in the space, from 1 without gaps
	RunID        string              `json:"runId"`
	Role         transcript.Role     `json:"role"`
	Author       transcript.Author   `json:"author"`
	Model        string              `json:"model"`
	CreatedAt    int64               `json:"createdAt"`
	EndedAt      int64               `json:"endedAt"` // 0 while it is in progress
	StopReason   string              `json:"stopReason"`
	Usage        jsontext.Value      `json:"usage"`
	Error        *transcript.Failure `json:"error"`
	SegmentCount int                 `json:"segmentCount"` // of the whole message
	FirstSegment int                 `json:"firstSegment"` // index of Segments[0]
	Segments     []SegmentView       `json:"segments"`
	Opaque       []transcript.Opaque `json:"opaque"` // with the last page of the message only; the last 100
}

// SegmentView is a segment, or the end of a very large one.
type SegmentView struct {
	Type             transcript.SegmentType `json:"type"`
	Text             string                 `json:"text"`      // at most the last 256 KiB of it
	TextStart        int64                  `json:"textStart"` // how many bytes of the text before Text are left out
	Author           string                 `json:"author"`
	ParentToolCallID string                 `json:"parentToolCallId"`
	ItemCount        int                    `json:"itemCount"`    // of the whole group
	FirstItem        int                    `json:"firstItem"`    // index of Items[0]
	Items            []ItemView             `json:"items"`        // at most the last 50
	KindCounts       map[string]int         `json:"kindCounts"`   // of all calls of the group that are counted as steps
	StatusCounts     map[string]int         `json:"statusCounts"` // of the same
	Display          *transcript.Content    `json:"display"`
}

// ItemView is an item of a tool group: at most the last 64 KiB of a thought, or a call without content and output. An
// open call has the input that was streamed so far, any other one no input.
type ItemView struct {
	transcript.Item
	TextStart int64 `json:"textStart,omitzero"` // how many bytes of the thought before Text are left out
	// Place is where the first diff of a call without locations is: the path in its title is a link.
	Place *transcript.Location `json:"place,omitempty"`
}

// Cursor is a position between two segments: behind everything before segment Segment of message Ord.
type Cursor struct {
	Ord     int64 `json:"ord"`
	Segment int   `json:"segment"`
}

// Page is a part of a space's transcript.
type Page struct {
	Messages  []MessageView `json:"messages"` // oldest first
	HasBefore bool          `json:"hasBefore"`
	HasAfter  bool          `json:"hasAfter"`
	// Epoch and Seq are the last event that is part of the page. The events after it continue a message that is in
	// progress.
	Epoch int64 `json:"epoch"`
	Seq   int64 `json:"seq"`
}

// Snapshot is a space as its rows are at the event Seq. The events after it continue it.
type Snapshot struct {
	Space spaces.Space
	Epoch int64
	Seq   int64
	Page  Page                      // the last page
	State map[string]jsontext.Value // plan, usage, mode, config, commands, queue …
	// StateRefs are the parts of the state that are too large for State.
	StateRefs map[string]*transcript.Ref
}

// The limits of a page.
const (
	viewText    = 256 << 10 // bytes of one text segment
	viewThought = 64 << 10  // bytes of one thought
	viewInput   = 1 << 20   // bytes of the input of an open call
	viewItems   = 50        // items of one group
	viewOpaque  = 100
	viewBytes   = 2 << 20 // bytes of text on a page; it ends early when it has more
	viewState   = 256 << 10
	maxLimit    = 500 // segments
)

package transcript

import "github.com/go-json-experiment/json/jsontext"

// Block is a finished message's piece in the form that model APIs use: text, thinking,
// tool_use, tool_result, and display for what those have no word for.
//
// [Blocks] and [FromBlocks] are inverse to each other: the interleaved view can be rebuilt
// from the blocks alone. A text block is one text segment; whatever is between
// two texts or displays is one tool group; a result belongs to the last use of its id before it.
type Block struct {
	Type             string `json:"type" enum:"text,thinking,tool_use,tool_result,display"`
	Author           string `json:"author,omitzero"`
	ParentToolCallID string `json:"parentToolCallId,omitzero"`

	Text string `json:"text,omitzero"` // text, thinking

	StartedAt int64 `json:"startedAt,omitzero"` // unix ms: thinking, tool_use
	EndedAt   int64 `json:"endedAt,omitzero"`   // unix ms: thinking

	// tool_use
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Derived   bool           `json:"nameDerived,omitzero"` // the name is Weft's, see [ToolCall]
	Title     string         `json:"title,omitzero"`
	TitleRef  *Ref           `json:"titleRef,omitzero"`
	Kind      string         `json:"kind,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
	InputRef  *Ref           `json:"inputRef,omitzero"`
	InputText string         `json:"inputText,omitzero"`
	// Visibility is that of the call.
	Visibility string `json:"visibility,omitzero" enum:"full,minimal,hidden"`
	// Drawn is that of the call.
	Drawn jsontext.Value `json:"drawn,omitzero"`

	// tool_result
	ToolUseID    string         `json:"toolUseId,omitzero"`
	Status       Status         `json:"status,omitzero"`
	IsError      bool           `json:"isError,omitzero"`
	Content      []Content      `json:"content,omitempty"`
	ContentRef   *Ref           `json:"contentRef,omitzero"`
	Locations    []Location     `json:"locations,omitempty"`
	LocationsRef *Ref           `json:"locationsRef,omitzero"`
	Output       jsontext.Value `json:"output,omitzero"`
	OutputRef    *Ref           `json:"outputRef,omitzero"`
	OutputText   string         `json:"outputText,omitzero"`
	Terminals    []Terminal     `json:"terminals,omitempty"`
	Exit         *TerminalExit  `json:"exit,omitzero"`
	Summary      string         `json:"summary,omitzero"`
	ResultCount  *int           `json:"resultCount,omitzero"`
	DurationMs   *int64         `json:"durationMs,omitzero"`
	Error        string         `json:"error,omitzero"`
	Retryable    bool           `json:"retryable,omitzero"`
	WasRetried   bool           `json:"wasRetried,omitzero"`
	Reported     Status         `json:"reported,omitzero"`
	Permissions  []Permission   `json:"permissions,omitempty"`

	Display *Content `json:"display,omitzero"` // display
}

// Blocks returns the segments of a message as content blocks.
func Blocks(segments []*Segment) []Block {
	blocks := make([]Block, 0, len(segments))
	for _, s := range segments {
		switch s.Type {
		case SegmentText:
			blocks = append(blocks, Block{Type: "text", Text: s.Text, Author: s.Author, ParentToolCallID: s.ParentToolCallID})
		case SegmentDisplay:
			blocks = append(blocks, Block{Type: "display", Display: s.Display, Author: s.Author, ParentToolCallID: s.ParentToolCallID})
		case SegmentToolGroup:
			for _, it := range s.Items {
				if it.Type == ItemThought {
					blocks = append(blocks, Block{Type: "thinking", Text: it.Text, ParentToolCallID: it.ParentToolCallID, StartedAt: it.StartedAt, EndedAt: it.EndedAt})
					continue
				}
				blocks = append(blocks, toolUse(it.Call), toolResult(it.Call))
			}
		}
	}
	return blocks
}

func toolUse(c *ToolCall) Block {
	return Block{
		Type: "tool_use", ID: c.ID, Name: c.Name, Derived: c.NameDerived, Title: c.Title, TitleRef: c.TitleRef, Kind: c.Kind, ParentToolCallID: c.ParentID,
		StartedAt: c.StartedAt, Input: c.Input, InputRef: c.InputRef, InputText: c.InputText, Visibility: c.Visibility, Drawn: c.Drawn,
	}
}

func toolResult(c *ToolCall) Block {
	return Block{
		Type: "tool_result", ToolUseID: c.ID, Status: c.Status, IsError: c.Status == StatusFailed,
		Content: c.Content, ContentRef: c.ContentRef, Locations: c.Locations, LocationsRef: c.LocationsRef,
		Output: c.Output, OutputRef: c.OutputRef, OutputText: c.OutputText, Terminals: c.Terminals, Exit: c.Exit,
		Summary: c.Summary, ResultCount: c.ResultCount,
		DurationMs: c.DurationMs, Error: c.Error, Retryable: c.Retryable, WasRetried: c.WasRetried, Reported: c.Reported, Permissions: c.Permissions,
	}
}

// FromBlocks rebuilds the segments. Results without a use before them, and blocks of
// unknown types, are left out.
func FromBlocks(blocks []Block) []*Segment {
	segments := []*Segment{}
	uses := map[string]*ToolCall{}
	item := func(it *Item) {
		if n := len(segments); n == 0 || segments[n-1].Type != SegmentToolGroup {
			segments = append(segments, &Segment{Type: SegmentToolGroup})
		}
		group := segments[len(segments)-1]
		group.Items = append(group.Items, it)
	}
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "text":
			segments = append(segments, &Segment{Type: SegmentText, Text: b.Text, Author: b.Author, ParentToolCallID: b.ParentToolCallID})
		case "display":
			segments = append(segments, &Segment{Type: SegmentDisplay, Display: b.Display, Author: b.Author, ParentToolCallID: b.ParentToolCallID})
		case "thinking":
			item(&Item{Type: ItemThought, Text: b.Text, ParentToolCallID: b.ParentToolCallID, StartedAt: b.StartedAt, EndedAt: b.EndedAt})
		case "tool_use":
			c := &ToolCall{
				ID: b.ID, Name: b.Name, NameDerived: b.Derived, Title: b.Title, TitleRef: b.TitleRef, Kind: b.Kind, ParentID: b.ParentToolCallID, Status: StatusPending,
				StartedAt: b.StartedAt, Input: b.Input, InputRef: b.InputRef, InputText: b.InputText, Visibility: b.Visibility, Drawn: b.Drawn,
			}
			uses[b.ID] = c
			item(&Item{Type: ItemToolCall, Call: c})
		case "tool_result":
			if c := uses[b.ToolUseID]; c != nil {
				b.into(c)
			}
		}
	}
	return segments
}

func (b *Block) into(c *ToolCall) {
	c.Status, c.Content, c.ContentRef, c.Locations, c.LocationsRef = b.Status, b.Content, b.ContentRef, b.Locations, b.LocationsRef
	c.Output, c.OutputRef, c.OutputText, c.Terminals, c.Exit = b.Output, b.OutputRef, b.OutputText, b.Terminals, b.Exit
	c.Summary, c.ResultCount, c.DurationMs = b.Summary, b.ResultCount, b.DurationMs
	c.Error, c.Retryable, c.WasRetried, c.Reported, c.Permissions = b.Error, b.Retryable, b.WasRetried, b.Reported, b.Permissions
}

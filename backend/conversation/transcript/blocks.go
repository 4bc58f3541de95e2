package transcript

import "github.com/go-json-experiment/json/jsontext"

// Block is a piece of a finished message in the format of model APIs: text, thinking, tool_use, tool_result, and
// display for anything else.
//
// The interleaved view can be rebuilt from the blocks alone: a text block is one text segment, the blocks between two
// texts or displays are one tool group, and a result belongs to the last use of its id before it.
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
	// Visibility is the call's visibility.
	Visibility string `json:"visibility,omitzero" enum:"full,minimal,hidden"`
	// Drawn is the call's Drawn, see [ToolCall].
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
		Type: "tool_result", ToolUseID: c.ID, Status: c.Status, IsError: c.Status.Ended() && c.Status != StatusCompleted,
		Content: c.Content, ContentRef: c.ContentRef, Locations: c.Locations, LocationsRef: c.LocationsRef,
		Output: c.Output, OutputRef: c.OutputRef, OutputText: c.OutputText, Terminals: c.Terminals, Exit: c.Exit,
		Summary: c.Summary, ResultCount: c.ResultCount,
		DurationMs: c.DurationMs, Error: c.Error, Retryable: c.Retryable, WasRetried: c.WasRetried, Reported: c.Reported, Permissions: c.Permissions,
	}
}

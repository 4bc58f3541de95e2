package transcript

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// CompositeMessage is a message as ordered parts, for other programs.
type CompositeMessage struct {
	ID       string `json:"id"`
	SpaceID  string `json:"spaceId"`
	EntityID string `json:"entityId"` // of the agent, "" for the user
	MemberID string `json:"memberId"` // of the author in the space, "" for the user
	RunID    string `json:"runId"`
	Parts    []Part `json:"parts"`
}

// Part is a text, a piece of reasoning, a tool call with its result, or other content.
type Part struct {
	Type string `json:"type" enum:"text,reasoning,tool_call,content"` // text, reasoning, tool_call, content
	Text string `json:"text,omitzero"`

	// tool_call
	ID        string         `json:"toolCallId,omitzero"`
	Name      string         `json:"toolName,omitzero"`
	Derived   bool           `json:"toolNameDerived,omitzero"` // derived from the title or the kind
	Title     string         `json:"title,omitzero"`
	Kind      string         `json:"kind,omitzero"`                                  // display: drawn as a component
	Looks     string         `json:"visibility,omitzero" enum:"full,minimal,hidden"` // full, minimal, hidden
	Args      jsontext.Value `json:"args,omitzero"`                                  // as passed to the tool, without targetSpaceId
	ArgsRef   *Ref           `json:"argsRef,omitzero"`
	Status    Status         `json:"status,omitzero"`
	Result    jsontext.Value `json:"result,omitzero"` // of the tool, or the user's answer
	ResultRef *Ref           `json:"resultRef,omitzero"`
	Error     string         `json:"error,omitzero"`

	Content *Content `json:"content,omitzero"`
}

// Composite returns a message of a space as parts. It omits lines by Weft and notices of an agent.
func Composite(spaceID string, m *Message) CompositeMessage {
	c := CompositeMessage{ID: m.ID, SpaceID: spaceID, RunID: m.RunID, Parts: []Part{}}
	if m.Role == RoleAgent {
		c.EntityID, c.MemberID = m.Author.ID, m.Author.MemberID
		if c.MemberID == "" {
			c.MemberID = MainMember
		}
	}
	for _, s := range m.Segments {
		switch {
		case s.Author == "app", s.Author == AuthorNotice:
		case s.Type == SegmentText:
			c.Parts = append(c.Parts, Part{Type: "text", Text: s.Text})
		case s.Type == SegmentDisplay:
			c.Parts = append(c.Parts, Part{Type: "content", Content: s.Display})
		default:
			for _, it := range s.Items {
				if it.Call == nil {
					c.Parts = append(c.Parts, Part{Type: "reasoning", Text: it.Text})
					continue
				}
				c.Parts = append(c.Parts, Part{
					Type: "tool_call", ID: it.Call.ID, Name: it.Call.Name, Derived: it.Call.NameDerived, Title: it.Call.Title, Kind: it.Call.Kind,
					Looks: cmp.Or(it.Call.Visibility, VisibilityFull), Status: it.Call.Status, Error: it.Call.Error,
					Args: it.Call.Input, ArgsRef: it.Call.InputRef, Result: it.Call.Output, ResultRef: it.Call.OutputRef,
				})
			}
		}
	}
	return c
}

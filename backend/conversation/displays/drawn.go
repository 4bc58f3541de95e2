package displays

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Drawn is how a display is drawn and where it comes from, as stored in [transcript.ToolCall].
type Drawn struct {
	Render jsontext.Value `json:"render,omitzero"` // see tools.Definition
	From   *From          `json:"from,omitzero"`   // only if the display is shown in another space than its run
}

// From is the origin of a display that an agent shows in another space.
type From struct {
	SpaceID    string `json:"spaceId"`
	SpaceName  string `json:"spaceName"` // its title at that time
	Agent      string `json:"agent"`     // its name there
	RunID      string `json:"runId"`
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId,omitzero"` // its call there, if it is shown
}

// EncodeDrawn returns a [Drawn] as JSON, or nil if it would be empty.
func EncodeDrawn(render jsontext.Value, from *From) jsontext.Value {
	if len(render) == 0 && from == nil {
		return nil
	}
	b, err := json.Marshal(Drawn{Render: render, From: from})
	if err != nil {
		return nil // never: render was parsed as JSON
	}
	return b
}

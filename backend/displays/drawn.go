package displays

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Drawn is how a display is drawn and who asks with it: what [transcript.ToolCall] keeps of it.
type Drawn struct {
	Render jsontext.Value `json:"render,omitzero"` // see tools.Definition
	From   *From          `json:"from,omitzero"`   // of a display that is shown in another space than its run
}

// From is where an agent shows something from.
type From struct {
	SpaceID    string `json:"spaceId"`
	SpaceName  string `json:"spaceName"` // as it was called then
	Agent      string `json:"agent"`     // as it is called there
	RunID      string `json:"runId"`
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId,omitzero"` // its call there, if it is shown
}

// EncodeDrawn returns a [Drawn], nil if there is nothing to say.
func EncodeDrawn(render jsontext.Value, from *From) jsontext.Value {
	if len(render) == 0 && from == nil {
		return nil
	}
	b, err := json.Marshal(Drawn{Render: render, From: from})
	if err != nil {
		return nil // never: the render was read as JSON
	}
	return b
}

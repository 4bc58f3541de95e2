package runs

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Drawn is how a display is drawn and who asks with it: what [transcript.ToolCall] keeps of it.
type Drawn struct {
	Render jsontext.Value `json:"render,omitzero"` // see gateway.Definition
	From   *AskedFrom     `json:"from,omitzero"`   // of a display that is shown in another space than its run
}

// AskedFrom is where an agent shows something from.
type AskedFrom struct {
	SpaceID    string `json:"spaceId"`
	SpaceName  string `json:"spaceName"` // as it was called then
	Agent      string `json:"agent"`     // as it is called there
	RunID      string `json:"runId"`
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId,omitzero"` // its call there, if it is shown
}

// drawnAs is nil where there is nothing to say.
func drawnAs(render jsontext.Value, from *AskedFrom) jsontext.Value {
	if len(render) == 0 && from == nil {
		return nil
	}
	b, err := json.Marshal(Drawn{Render: render, From: from})
	if err != nil {
		return nil // never: the render was read as JSON
	}
	return b
}

// asksFrom is the place of the run that goes on. The lock is held, while the name of the space is read.
func (s *Session) asksFrom(g *gateCall) *AskedFrom {
	from := &AskedFrom{SpaceID: s.space.ID, SpaceName: short(s.m.titleOf(s.space.ID)), Agent: s.member.Name, RunID: s.run.id, MessageID: s.turns.Current().ID}
	if g != nil {
		from.ToolCallID = g.ID
		if in := s.turns.With(g.ID); in != nil {
			from.MessageID = in.ID
		}
	}
	return from
}

package runs

import (
	"github.com/go-json-experiment/json"

	"weft/backend/transcript"
)

// early is a display that is drawn in the run's own space while the model still writes its input: what the agent tells of the call is drawn as it
// comes, once it is known that it is meant for this space. The call that arrives at the gateway takes it over.
type early struct {
	drawn bool
	title *string // as the agent called it last
	kind  *string
}

// drawnEarly answers an update of a call as the conversation is to have it. The mutex is held.
func (l *link) drawnEarly(g *gateCall, u *transcript.Update) *transcript.Update {
	e, p := g.early, u.Tool
	if e == nil {
		return u
	}
	if p.Title != nil {
		e.title = p.Title
	}
	if p.Kind != nil {
		e.kind = p.Kind
	}
	told := *p
	switch over := p.Status != nil && p.Status.Ended(); {
	case over && e.drawn: // it has not arrived, so that nothing is shown
		e.drawn = false
		other := "other"
		if told.Title, told.Kind = e.title, e.kind; told.Kind == nil {
			told.Kind = &other
		}
	case over:
		return u
	case e.drawn:
		told.Name, told.Title, told.Kind = nil, nil, nil
	case l.targets(g, p):
		e.drawn = true
		kind := transcript.KindDisplay
		told.Name, told.Kind = &g.tool, &kind
	default:
		return u
	}
	return &transcript.Update{Kind: u.Kind, MessageID: u.MessageID, ParentToolCallID: u.ParentToolCallID, Thread: u.Thread, Tool: &told}
}

// targets reports whether what is known of a call's input is meant for the own space.
func (l *link) targets(g *gateCall, p *transcript.ToolPatch) bool {
	space := ""
	if _, whole := g.input.Field("targetSpaceId"); whole {
		space = g.input.Text("targetSpaceId")
	}
	if p.Input != nil {
		var in struct {
			TargetSpaceID string `json:"targetSpaceId"`
		}
		if json.Unmarshal(argumentsOf(p.Input), &in) == nil && in.TargetSpaceID != "" {
			space = in.TargetSpaceID
		}
	}
	return space == l.s.space.ID
}

// undraw makes a row again of a display that was drawn early and has come to nothing. The mutex is held.
func (l *link) undraw(g *gateCall) {
	e := g.early
	if e == nil || !e.drawn {
		return
	}
	e.drawn = false
	kind := e.kind
	if kind == nil {
		other := "other"
		kind = &other
	}
	l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.id, Title: e.title, Kind: kind}}, l.s.m.now())
}

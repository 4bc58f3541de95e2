package gatecalls

import (
	"bytes"
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Call is a line: a call of one of the gateway's tools as the agent's session shows it, from its first report until
// the end of the run. S is the caller's data.
type Call[S any] struct {
	Written // its input, as far as the model has written it
	Kept    S

	ID    string
	Tool  Tool           // as the agent names it; Exact means that it can't be another tool
	First string         // its id while it was shown ahead, if the agent later used another; else ""
	Title string         // the agent's latest title, "" if none
	Whole jsontext.Value // the arguments as last reported by the agent
	Ahead bool           // the model is writing it, and the agent hasn't shown it yet
	Taken bool           // it has arrived at the gateway
	Over  bool           // the agent has ended it
	Drawn bool           // set by the caller: drawn as a display, so later updates of the agent aren't shown

	order int  // position in the order of appearance
	past  bool // of an earlier run
}

// Target returns the space that the call targets according to the input so far and p; "" if that isn't known yet.
func (g *Call[S]) Target(p *transcript.ToolPatch) (space string) {
	if _, whole := g.reader.Field("targetSpaceId"); whole {
		space = g.Text("targetSpaceId")
	}
	if p.Input != nil {
		var in struct {
			TargetSpaceID string `json:"targetSpaceId"`
		}
		if json.Unmarshal(Arguments(p.Input), &in) == nil && in.TargetSpaceID != "" {
			space = in.TargetSpaceID
		}
	}
	return space
}

// PartID returns the id of the text that the call sends. It doesn't change if the agent's id differs from the
// model's.
func (g *Call[S]) PartID() string { return cmp.Or(g.First, g.ID) }

// Bare returns the arguments as the tool gets them, without wrapping and without the argument that says where the
// call is shown.
func (g *Call[S]) Bare(input jsontext.Value) jsontext.Value {
	if input = Arguments(input); g.Tool.Bare != nil && len(input) > 0 {
		input = g.Tool.Bare(input)
	}
	return input
}

// Plain returns a copy of p with bare arguments, and with a corrected kind if the call has arrived at the gateway.
func (g *Call[S]) Plain(p *transcript.ToolPatch) *transcript.ToolPatch {
	told := *p
	if p.Input != nil {
		told.Input = g.Bare(p.Input)
	}
	if p.Kind != nil && g.Taken {
		kind := g.kind(*p.Kind)
		told.Kind = &kind
	}
	return &told
}

// kind corrects the agent's kind for a call that has arrived at the gateway: it isn't a command, and Weft's own tools
// neither read nor write files.
func (g *Call[S]) kind(told string) string {
	if told == "execute" || told != "" && !g.Tool.Acts {
		return "other"
	}
	return told
}

// How certain it is that a line is a call with given arguments.
const (
	no      = iota
	unknown // nothing is known about its arguments
	begun   // they match as far as they are written
	alike   // they match, but some are shortened
	within  // the agent's input contains them
	same
)

// fits returns how certain it is that the line is the call with the sent arguments.
func (g *Call[S]) fits(sent jsontext.Value) int {
	switch {
	case SameJSON(g.Whole, sent):
		return same
	case HasArguments(g.Whole):
		if holds(g.Whole, sent) {
			return within
		}
		return no
	}
	return g.becomes(sent)
}

// shown returns the arguments as far as the agent has shown them.
func (g *Call[S]) shown() jsontext.Value {
	if HasArguments(g.Whole) {
		return g.Whole
	}
	return g.object()
}

// writing reports whether the model is still writing the input, as far as the agent shows it.
func (g *Call[S]) writing() bool {
	return !HasArguments(g.Whole) && g.reader.Len() > 0 && !g.reader.Done()
}

// free reports whether the line can still be assigned to a call of the tool.
func (g *Call[S]) free(tool string) bool { return g.Tool.Name == tool && !g.Taken && !g.Over }

// again reports whether an announced call is a display that was announced before (some agents repeat it after
// permission), and not a new call with its id.
func (g *Call[S]) again(p *transcript.ToolPatch, inRun bool) bool {
	return g.Drawn && inRun && !g.past && (len(p.Input) == 0 || SameJSON(g.Whole, Arguments(p.Input)))
}

// changed returns the arguments that the tool gets, and reports whether they differ from the agent's.
func (g *Call[S]) changed(input jsontext.Value) (jsontext.Value, bool) {
	bare := g.Bare(input)
	return bare, !bytes.Equal(bare, input)
}

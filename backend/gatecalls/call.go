package gatecalls

import (
	"bytes"
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Call is a call of one of the gateway's tools as the agent's session shows it, from its first report until the end of the run. S is what
// the caller keeps with it.
type Call[S any] struct {
	Written // its input, as far as the model has written it
	Kept    S

	ID    string
	Tool  Tool           // as the agent has named it: Exact says that it can be no other one
	First string         // its id while it was shown ahead, if the agent has given it another one since; else ""
	Title string         // as the agent has shown it last, "" if it has none
	Whole jsontext.Value // its arguments as the agent has told them last
	Ahead bool           // the model writes it, and the agent has not shown it yet
	Taken bool           // it has arrived at the gateway
	Over  bool           // the agent has ended it
	Drawn bool           // it is drawn as a display, so that what the agent says about it from now on is not; set by the caller

	order int  // among the calls, as the agent has shown them
	past  bool // of an earlier run
}

// Target returns the space that the call is meant for, as far as the input and p say; "" while that is not known.
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

// PartID returns the id of the text that the call sends. It stays the same if the agent gives the call another id than the model.
func (g *Call[S]) PartID() string { return cmp.Or(g.First, g.ID) }

// Bare returns the arguments as the tool gets them: without what agents put around them, and without where the call is shown.
func (g *Call[S]) Bare(input jsontext.Value) jsontext.Value {
	if input = Arguments(input); g.Tool.Bare != nil && len(input) > 0 {
		input = g.Tool.Bare(input)
	}
	return input
}

// Plain returns what the agent says about the call with the arguments as the tool gets them, and with the kind of a call that is known to be
// the gateway's. The patch itself is not changed.
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

// kind returns the kind of a call that has arrived at the gateway and of which the agent has told this kind: it is no command, and one of
// Weft's own tools neither reads nor writes files.
func (g *Call[S]) kind(told string) string {
	if told == "execute" || told != "" && !g.Tool.Acts {
		return "other"
	}
	return told
}

// The grades of certainty that a line is a call with given arguments.
const (
	no      = iota
	unknown // nothing is known of its arguments
	begun   // as far as they are written, they are these
	alike   // those that are shown are these, some of them shortened
	within  // they are within what the agent tells around them
	same
)

// fits returns how certain it is from the arguments that the line is the call that was sent.
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

// writing reports whether the model still writes the input, as far as the agent tells.
func (g *Call[S]) writing() bool {
	return !HasArguments(g.Whole) && g.reader.Len() > 0 && !g.reader.Done()
}

// free reports whether the line can still be given to a call of the tool.
func (g *Call[S]) free(tool string) bool { return g.Tool.Name == tool && !g.Taken && !g.Over }

// again reports whether a call that is announced is a display that was announced before, as some agents do once they are permitted, and not
// another one with its id.
func (g *Call[S]) again(p *transcript.ToolPatch, inRun bool) bool {
	return g.Drawn && inRun && !g.past && (len(p.Input) == 0 || SameJSON(g.Whole, Arguments(p.Input)))
}

// changed reports whether the tool gets other arguments than the agent shows, and returns them.
func (g *Call[S]) changed(input jsontext.Value) (jsontext.Value, bool) {
	bare := g.Bare(input)
	return bare, !bytes.Equal(bare, input)
}

package gatecalls

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/partialjson"
	"weft/backend/transcript"
)

// MaxInput is how much of an input is read while it is written, in bytes: the gateway takes no more.
const MaxInput = 4 << 20

// Call is a call of one of the gateway's tools as the agent's session shows it, from its first report until the end of the run. S is what
// the caller keeps with it.
type Call[S any] struct {
	Kept S

	ID    string
	Tool  string
	First string         // its id while it was shown ahead, if the agent has given it another one since; else ""
	Title string         // as the agent has shown it last, "" if it has none
	Whole jsontext.Value // its arguments as the agent has told them last
	Draw  jsontext.Value // see [Tool]
	Draws bool           // see [Tool]
	Acts  bool           // see [Tool]
	Exact bool           // the agent has named it so that it can be no other tool
	Ahead bool           // the model writes it, and the agent has not shown it yet
	Taken bool           // it has arrived at the gateway
	Over  bool           // the agent has ended it
	Drawn bool           // it is drawn as a display, so that what the agent says about it from now on is not; set by the caller

	bare    func(jsontext.Value) jsontext.Value // see [Tool]
	input   partialjson.Reader
	tooLong bool // no more of the input is read
	order   int  // among the calls, as the agent has shown them
	past    bool // of an earlier run
}

// Write reads a fragment of the input while it is written. What is broken or too long is left to the gateway to refuse.
func (g *Call[S]) Write(fragment string) []partialjson.Change {
	if g.tooLong = g.tooLong || g.input.Len()+len(fragment) > MaxInput; g.tooLong {
		return nil
	}
	changes, _ := g.input.Write(fragment)
	return changes
}

// TooLong reports whether the input is longer than the gateway takes.
func (g *Call[S]) TooLong() bool { return g.tooLong }

// Text returns the text of a member of the input as far as it is written.
func (g *Call[S]) Text(member string) string { return g.input.Text(member) }

// Target returns the space that the call is meant for, as far as the input and p say; "" while that is not known.
func (g *Call[S]) Target(p *transcript.ToolPatch) (space string) {
	if _, whole := g.input.Field("targetSpaceId"); whole {
		space = g.input.Text("targetSpaceId")
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
	if input = Arguments(input); g.bare != nil && len(input) > 0 {
		input = g.bare(input)
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
	if told == "execute" || told != "" && !g.Acts {
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
	case g.input.Len() == 0 || g.input.Err() != nil:
		return unknown
	}
	written := jsontext.Value(g.input.Object())
	switch {
	case g.input.Done() && SameJSON(written, sent):
		return same
	case g.input.Done() && holds(written, sent):
		return within
	case g.input.Done():
		return no
	}
	if g.contradicts(sent) {
		return no
	}
	return begun
}

// contradicts reports whether what is written of the input until now can't become these arguments.
func (g *Call[S]) contradicts(sent jsontext.Value) bool {
	var want map[string]jsontext.Value
	if json.Unmarshal(sent, &want) != nil {
		return false
	}
	for _, f := range g.input.Fields() {
		if value, ok := want[f.Name]; ok && !SameJSON(jsontext.Value(f.Raw), value) {
			return true
		}
	}
	for name, value := range want {
		var text string
		if part := g.input.Text(name); part != "" && json.Unmarshal(value, &text) == nil && !strings.HasPrefix(text, part) {
			return true
		}
	}
	return false
}

// shown returns the arguments as far as the agent has shown them.
func (g *Call[S]) shown() jsontext.Value {
	if HasArguments(g.Whole) {
		return g.Whole
	}
	return jsontext.Value(g.input.Object())
}

package modelcalls

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/space/gatecalls"
	"weft/backend/space/toolcalls"
)

// Key identifies a call that a model writes.
type Key struct {
	Request uint64
	Call    int
}

func (k Key) before(o Key) bool {
	return k.Request < o.Request || k.Request == o.Request && k.Call < o.Call
}

// Calls are the calls that the model of one session writes during a run. It is not safe for concurrent use.
type Calls struct {
	find  gatecalls.Lookup
	ahead string // the gateway's tool whose calls are shown before the agent shows them
	calls map[Key]*call
	byID  map[string]*call // by the agent's id
}

// New returns a tracker without calls. Weft shows calls of the gateway's tool ahead before the agent reports them
// ([Ahead]).
func New(find gatecalls.Lookup, ahead string) *Calls {
	return &Calls{find: find, ahead: ahead, calls: map[Key]*call{}, byID: map[string]*call{}}
}

// call is a tool call as the model writes it.
type call struct {
	key      Key
	provider string // the provider's id
	name     string // the name in the model's call
	tool     string // the gateway's tool, "" for others

	raw    strings.Builder // the input so far
	passed int             // bytes of it that were passed on
	missed int             // the first bytes of these, which the agent's call lacks: they were read before it was shown
	over   bool            // the input is complete, or will never be
	broken bool            // it never will
	id     string          // the agent's id, "" while unknown
	last   jsontext.Value  // shorter input that the agent has reported in the meantime
	ahead  jsontext.Value  // input that the agent has reported before all of it was read, or nil
	ended  bool            // the agent has ended it
}

// Kind is the kind of a [Change].
type Kind int

// The kinds of changes.
const (
	// Fragment is a fragment of the input of a call that the agent has shown.
	Fragment Kind = iota
	// Missed is the input that was read before the agent showed the call. It is only for the conversation, if that
	// has the call: [Ahead] has already processed it for the call.
	Missed
	// Ahead is a fragment of a call that the agent hasn't shown yet. Text is empty if only the end of the input was
	// read.
	Ahead
)

// Change is an update to show for a call.
type Change struct {
	Kind     Kind
	ID       string // the agent's id of the call, "" with Ahead
	Text     string // a part of the input
	Key      Key
	Provider string         // the provider's id of the call, "" if it gave none
	Whole    jsontext.Value // the input, once it is complete
	Broken   bool           // its input will never be complete, so the agent can't make the call
}

// Update returns a Fragment or Missed as an update of the agent's call.
func (c *Change) Update() *transcript.Update {
	return &transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: c.ID, InputDelta: c.Text}}
}

// Read processes an event of the model proxy. known reports whether the agent has shown a call with the id.
func (c *Calls) Read(e modelproxy.Event, known func(id string) bool) []Change {
	key := Key{e.Request, e.Call}
	o := c.calls[key]
	if o == nil {
		if e.Ended || len(c.calls) >= toolcalls.MaxCalls {
			return nil
		}
		o = &call{key: key, name: e.Name}
		c.calls[key] = o
		if t, ok := c.find.Of(&transcript.ToolPatch{Name: &o.name}); ok {
			o.tool = t.Name
		}
	}
	if e.ID != "" && o.provider == "" {
		o.provider = e.ID
		if known(o.provider) && c.byID[o.provider] == nil {
			c.join(o, o.provider)
		}
	}
	switch {
	case o.over: // a part is missing, so nothing may follow
	case o.raw.Len()+len(e.Fragment) <= gatecalls.MaxInput:
		o.raw.WriteString(e.Fragment)
	default:
		o.over, o.broken = true, true
	}
	o.over, o.broken = o.over || e.Ended, o.broken || e.Broken
	return c.next(o)
}

// next returns the part of a call's input that wasn't passed on yet.
func (c *Calls) next(o *call) (list []Change) {
	rest := o.raw.String()[o.passed:]
	switch {
	case o.ahead != nil && !o.over:
	case o.id != "":
		if o.ahead != nil && (o.broken || gatecalls.SameJSON(gatecalls.Arguments(o.ahead), jsontext.Value(o.raw.String()))) {
			rest, o.passed = "", o.raw.Len()
		}
		o.ahead = nil
		if o.missed > 0 && !o.ended {
			list = append(list, Change{Kind: Missed, ID: o.id, Text: o.raw.String()[:o.missed], Key: o.key})
		}
		o.missed = 0
		if rest != "" && !o.ended {
			o.passed = o.raw.Len()
			list = append(list, Change{Kind: Fragment, ID: o.id, Text: rest, Key: o.key})
		}
	case o.tool == c.ahead:
		o.passed, o.missed = o.raw.Len(), o.raw.Len()
		change := Change{Kind: Ahead, Text: rest, Key: o.key, Provider: o.provider, Broken: o.broken}
		if o.over && !o.broken {
			change.Whole = jsontext.Value(o.raw.String())
		}
		list = append(list, change)
	}
	return list
}

// reported records the input that the agent has reported for the call. If that is longer than what was read, the rest
// may be part of it and waits for the end of the input.
func (o *call) reported(input jsontext.Value) {
	o.ahead = nil
	if !o.over && len(input) > o.raw.Len() && !toolcalls.IsEmptyObject(input) {
		o.ahead = input
	}
}

// join links the model's call to the agent's.
func (c *Calls) join(o *call, id string) {
	o.id = id
	c.byID[id] = o
}

// Forget drops the calls of a run at its end.
func (c *Calls) Forget() {
	clear(c.calls)
	clear(c.byID)
}

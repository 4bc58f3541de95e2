package transcript

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// UpdateKind is the kind of an [Update].
type UpdateKind uint8

// The kinds of update. The zero kind is not valid.
const (
	UpdateText    UpdateKind = iota + 1 // a chunk of the agent's text
	UpdateThought                       // a chunk of its reasoning
	UpdateUser                          // a chunk of the user's words
	UpdateTool                          // a tool call announced or changed
	UpdateState                         // plan, usage, mode, config, commands or title; replaces the old value
	UpdateOpaque                        // something Weft does not know
	UpdateNothing                       // nothing to show or store
)

// Update is one report from an agent, independent of the protocol version.
type Update struct {
	Kind UpdateKind

	// Chunks have Text, or Block if the content is not text.
	Text             string
	Block            *Content
	MessageID        string // "" if the agent sends none
	Notice           bool   // not part of an answer: sent before the first prompt of a session, or marked as a notice
	Note             bool   // a thought that is a note by Weft's own agent about the turn, see [Update.Vouched]
	Apart            bool   // a text that doesn't join texts with another MessageID, in either direction
	Via              string // the call with which an agent sends a text to a space; "" for its ordinary text
	ParentToolCallID string
	Thread           Thread
	Tokens           *Tokens // of a request to a model, if the agent reports them with a chunk

	Tool *ToolPatch // UpdateTool

	Key   StateKey       // UpdateState
	Value jsontext.Value // UpdateState: the new value; UpdateOpaque: the update as sent

	UnknownKind string // UpdateOpaque: the kind as sent
}

// StateKey names a part of a space's state. An agent always replaces the whole part.
type StateKey string

// Of returns the key under which a member's part is stored.
func (k StateKey) Of(memberID string) StateKey {
	if MemberField(memberID) == "" {
		return k
	}
	return k + "@" + StateKey(memberID)
}

// The state keys. Each is also the type of its event.
const (
	StatePlan     StateKey = "plan"
	StateUsage    StateKey = "usage"
	StateMode     StateKey = "mode"
	StateConfig   StateKey = "config"
	StateCommands StateKey = "commands"
	StateTitle    StateKey = "title"
	StateSession  StateKey = "session" // what the session offers; set by Weft
	StateQueue    StateKey = "queue"   // queued prompts; set by Weft
)

// ToolPatch is an agent's report about a tool call. Fields that the agent did not mention are nil.
type ToolPatch struct {
	ID string
	// Announced is true if the agent presented the call as new (tool_call, or a permission request), and false for an
	// update.
	Announced bool

	Name  *string
	Title *string
	// Called is the agent's title if Title is Weft's. The name of the tool is derived from it.
	Called    string
	Kind      *string
	Status    *Status
	ParentID  *string
	Thread    Thread
	Input     jsontext.Value
	Output    jsontext.Value
	Content   *[]Content
	Locations *[]Location
	// Visibility is "" if unchanged. Only Weft sets it, not agents.
	Visibility string
	// Drawn says how to draw a display, see [ToolCall]. Only Weft sets it.
	Drawn jsontext.Value

	// Streamed pieces.
	InputDelta  string
	OutputDelta string
	Exit        *TerminalExit // of a display-only terminal

	// Reported by tools that provide them (the built-in agent); otherwise derived by the fold.
	Summary     *string
	ResultCount *int
	DurationMs  *int64
	Error       *string
	Retryable   *bool
	WasRetried  *bool

	// Stopped says that the user stopped the turn. Only Weft sets it.
	Stopped bool

	// Again starts an ended call again, at the user's request. Only Weft sets it.
	Again bool
}

// WithTool returns a copy of u with another patch. It does not change u, which others read.
func (u *Update) WithTool(p *ToolPatch) *Update {
	changed := *u
	changed.Tool = p
	return &changed
}

// ChangeTool returns a copy of u with a changed copy of its patch. It changes neither u nor its patch, which others
// read.
func (u *Update) ChangeTool(change func(p *ToolPatch)) *Update {
	p := *u.Tool
	change(&p)
	return u.WithTool(&p)
}

// Thread names a sub-agent, for agents that report no parent call (codex). The first call of a message with a thread
// stands for the sub-agent; later updates with that thread belong under the call.
type Thread struct {
	ID   string
	Path string // "/root/review/tests" is nested in "/root/review"; "" if unknown
}

// Vouched returns a note as an ordinary thought unless it is from Weft's own agent (own). Only that agent speaks for
// Weft.
func (u *Update) Vouched(own bool) *Update {
	if own || !u.Note {
		return u
	}
	thought := *u
	thought.Note = false
	return &thought
}

// AsNotice returns a text of the agent marked as a notice, such as a banner. It returns any other update unchanged.
func (u *Update) AsNotice() *Update {
	if u.Kind != UpdateText || u.Block != nil {
		return u
	}
	notice := *u
	notice.Notice = true
	return &notice
}

// AsStopped returns an update of a run that the user stopped: a call that ends now was stopped, unless it is known to
// be done. It returns any other update unchanged.
func (u *Update) AsStopped() *Update {
	if u.Kind != UpdateTool || u.Tool.Status == nil || !u.Tool.Status.Ended() {
		return u
	}
	return u.ChangeTool(func(p *ToolPatch) { p.Stopped = true })
}

// Shows reports whether an update has visible output of the agent: a call, content or text.
func (u *Update) Shows() bool {
	return u.Kind == UpdateTool || u.Kind == UpdateText && !u.Notice && u.visible()
}

// Works reports whether an update shows that an agent works on its turn. Updates that describe the session don't:
// agents send commands, titles and options at any time.
func (u *Update) Works() bool {
	switch u.Kind {
	case UpdateText, UpdateThought:
		return u.visible()
	case UpdateState:
		return u.Key == StatePlan
	case UpdateOpaque:
		return !descriptions[u.UnknownKind]
	case UpdateTool:
		return true
	case UpdateUser, UpdateNothing:
	}
	return false
}

// descriptions are the kinds of updates that describe a session.
var descriptions = map[string]bool{
	"available_commands_update": true, "config_option_update": true, "current_mode_update": true, "session_info_update": true, "usage_update": true,
}

// visible reports whether a chunk has visible content.
func (u *Update) visible() bool {
	return u.Block != nil || strings.ContainsFunc(u.Text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

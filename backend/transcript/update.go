package transcript

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// UpdateKind is what an [Update] is about.
type UpdateKind uint8

// The kinds of update. The zero kind is not valid.
const (
	UpdateText    UpdateKind = iota + 1 // a chunk of the agent's text
	UpdateThought                       // a chunk of its reasoning
	UpdateUser                          // a chunk of the user's words
	UpdateTool                          // a tool call announced or changed
	UpdateState                         // plan, usage, mode, config, commands or title, as a whole
	UpdateOpaque                        // something Weft does not know
	UpdateNothing                       // nothing to show or to keep
)

// Update is one thing that an agent reported, in Weft's own words.
type Update struct {
	Kind UpdateKind

	// Chunks: Text, or Block where the content is not text.
	Text             string
	Block            *Content
	MessageID        string // empty where the agent tells none
	Notice           bool   // a text that is no answer: one before the first prompt of a session, or one that the agent marks as a notice
	Note             bool   // a thought that is a note of Weft's own agent about the turn, see [Update.Vouched]
	Apart            bool   // a text that joins no other with another MessageID, nor does what follows join it
	Via              string // the call by which an agent sends a text to a space; "" if it just says it
	ParentToolCallID string
	Thread           Thread
	Tokens           *Tokens // of a request to a model, where the agent tells them with a chunk

	Tool *ToolPatch // UpdateTool

	Key   StateKey       // UpdateState
	Value jsontext.Value // UpdateState: the new value; UpdateOpaque: the update as sent

	UnknownKind string // UpdateOpaque: the kind as sent
}

// StateKey names a part of a space's state that an agent replaces as a whole.
type StateKey string

// Of is where a member's part of that name is kept.
func (k StateKey) Of(memberID string) StateKey {
	if MemberField(memberID) == "" {
		return k
	}
	return k + "@" + StateKey(memberID)
}

// The state keys; each is also the type of the event that carries it.
const (
	StatePlan     StateKey = "plan"
	StateUsage    StateKey = "usage"
	StateMode     StateKey = "mode"
	StateConfig   StateKey = "config"
	StateCommands StateKey = "commands"
	StateTitle    StateKey = "title"
	StateSession  StateKey = "session" // what the session offers; the app's own
	StateQueue    StateKey = "queue"   // prompts that wait for the turn to end; the app's own
)

// ToolPatch is what an agent said about a tool call. A nil field was not mentioned.
type ToolPatch struct {
	ID string
	// Announced is true where the agent presented the call as a new one (tool_call, or a
	// permission request), false for a plain update.
	Announced bool

	Name  *string
	Title *string
	// Called is the title that the agent gave, where Title is Weft's: a tool without a name is named after it.
	Called    string
	Kind      *string
	Status    *Status
	ParentID  *string
	Thread    Thread
	Input     jsontext.Value
	Output    jsontext.Value
	Content   *[]Content
	Locations *[]Location
	// Visibility is one of the visibilities, "" where nothing is said. It is Weft's to say, not an agent's.
	Visibility string
	// Drawn says how a display is drawn, see [ToolCall]. It is Weft's to say, too.
	Drawn jsontext.Value

	// Streamed pieces.
	InputDelta  string
	OutputDelta string
	Exit        *TerminalExit // of a display-only terminal

	// Told by tools that know (the built-in agent); derived by the fold otherwise.
	Summary     *string
	ResultCount *int
	DurationMs  *int64
	Error       *string
	Retryable   *bool
	WasRetried  *bool

	// Stopped reports that the user has stopped the turn. It is Weft's to say, not an agent's.
	Stopped bool

	// Again begins an ended call again, as the user wants it once more. It is Weft's to say, not an agent's.
	Again bool
}

// WithTool returns an update of a call with another patch. The update itself stays as it is: others read it, too.
func (u *Update) WithTool(p *ToolPatch) *Update {
	changed := *u
	changed.Tool = p
	return &changed
}

// ChangeTool returns an update of a call with its patch changed. Neither the update nor its patch changes: others read them, too.
func (u *Update) ChangeTool(change func(p *ToolPatch)) *Update {
	p := *u.Tool
	change(&p)
	return u.WithTool(&p)
}

// Thread names the sub-agent that something belongs to, for agents that name no parent call (codex). The
// first call of a message that names one stands for the sub-agent: what else names it belongs under that call.
type Thread struct {
	ID   string
	Path string // "/root/review/tests" is nested in "/root/review", if that is known
}

// Vouched returns a note as what any other agent's is: a thought. Only Weft's own agent speaks for Weft; own says whether it is that.
func (u *Update) Vouched(own bool) *Update {
	if own || !u.Note {
		return u
	}
	thought := *u
	thought.Note = false
	return &thought
}

// AsNotice returns a text of the agent, marked as one that it says by itself, such as its banner. Any other update is returned as it is.
func (u *Update) AsNotice() *Update {
	if u.Kind != UpdateText || u.Block != nil {
		return u
	}
	notice := *u
	notice.Notice = true
	return &notice
}

// AsStopped returns an update of a run that the user has stopped: a call that ends now was stopped, unless it is known to be done. Any other update is
// returned as it is.
func (u *Update) AsStopped() *Update {
	if u.Kind != UpdateTool || u.Tool.Status == nil || !u.Tool.Status.Ended() {
		return u
	}
	return u.ChangeTool(func(p *ToolPatch) { p.Stopped = true })
}

// Shows reports whether an update is something that an agent has to show for itself: a call, content, or words.
func (u *Update) Shows() bool {
	return u.Kind == UpdateTool || u.Kind == UpdateText && !u.Notice && u.visible()
}

// Works reports whether an update is a sign that an agent works on its turn. What describes the session is none: agents send their commands, titles,
// options and the like by themselves, also where nothing comes of the turn.
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

// visible reports whether a chunk has something that can be seen.
func (u *Update) visible() bool {
	return u.Block != nil || strings.ContainsFunc(u.Text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

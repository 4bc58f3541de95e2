package transcript

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/fault"
)

// StopBranched is the stop reason of a message that was still being written when its conversation was branched: it continues elsewhere.
const StopBranched = "branched"

// Role says on which side of the conversation a message is.
type Role string

// The two roles of a message.
const (
	RoleUser  Role = "user"
	RoleAgent Role = "agent"
)

// Author is who wrote a message: a user, or one configured agent.
type Author struct {
	Kind string `json:"kind"` // "person" or "agent"
	ID   string `json:"id,omitzero"`
	Name string `json:"name,omitzero"`
	// MemberID is the member of the space that an agent speaks as, "" for [MainMember].
	MemberID string `json:"memberId,omitzero"`
}

// MainMember is the id of the first member of a space. Events leave it out.
const MainMember = "main"

// MemberField is a member's id as events have it.
func MemberField(id string) string {
	if id == MainMember {
		return ""
	}
	return id
}

// Message is what one author put into one space in one go: a user's prompt, or the
// composite message of a run.
type Message struct {
	ID         string         `json:"id"`
	RunID      string         `json:"runId,omitzero"`
	Role       Role           `json:"role"`
	Author     Author         `json:"author"`
	Model      string         `json:"model,omitzero"`
	CreatedAt  int64          `json:"createdAt"`        // unix ms
	EndedAt    int64          `json:"endedAt,omitzero"` // unix ms, 0 while it is being written
	StopReason string         `json:"stopReason,omitzero"`
	Usage      jsontext.Value `json:"usage,omitzero"`
	Error      *Failure       `json:"error,omitzero"`
	Segments   []*Segment     `json:"segments"`
	Opaque     []Opaque       `json:"opaque,omitempty"`
}

// Content is every text segment of the agent (or user) joined. It is derived, never stored.
func (m *Message) Content() string {
	var b strings.Builder
	for _, s := range m.Segments {
		if s.Type == SegmentText && s.Author == "" {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// Thinking is every thought of the message joined. It is derived, never stored.
func (m *Message) Thinking() string {
	var b strings.Builder
	for _, s := range m.Segments {
		for _, it := range s.Items {
			if it.Type == ItemThought {
				b.WriteString(it.Text)
			}
		}
	}
	return b.String()
}

// SegmentType is the kind of one ordered piece of a message.
type SegmentType string

// The segment types.
const (
	SegmentText      SegmentType = "text"
	SegmentToolGroup SegmentType = "tool-group"
	SegmentDisplay   SegmentType = "display"
)

// Segment is one ordered piece of a message.
type Segment struct {
	Type SegmentType `json:"type"`
	// Text segments.
	Text string `json:"text,omitzero"`
	// Author is "user" where the agent reported words of the user inside its own
	// turn; empty otherwise.
	Author           string `json:"author,omitzero"`
	ParentToolCallID string `json:"parentToolCallId,omitzero"`
	// Tool groups.
	Items []*Item `json:"items,omitempty"`
	// Displays: content that is neither text nor a tool call (an image, a resource …).
	Display *Content `json:"display,omitzero"`
}

// ItemType is the kind of an item of a tool group.
type ItemType string

// The item types.
const (
	ItemThought  ItemType = "thought"
	ItemToolCall ItemType = "tool_call"
)

// Item is a thought or a tool call inside a tool group.
type Item struct {
	Type ItemType `json:"type"`
	// Thoughts.
	Text             string `json:"text,omitzero"`
	ParentToolCallID string `json:"parentToolCallId,omitzero"`
	StartedAt        int64  `json:"startedAt,omitzero"` // unix ms of the first piece
	EndedAt          int64  `json:"endedAt,omitzero"`   // unix ms of the last piece so far
	// Tool calls.
	Call *ToolCall `json:"call,omitzero"`
}

// Status is the state of a tool call.
type Status string

// The statuses of a tool call.
const (
	StatusPending   Status = "pending"
	StatusRunning   Status = "running"
	StatusWaiting   Status = "waiting" // for the user
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
	StatusRejected  Status = "rejected"
)

// Ended reports whether s is a final status.
func (s Status) Ended() bool {
	switch s {
	case StatusCompleted, StatusFailed, StatusCancelled, StatusRejected:
		return true
	case StatusPending, StatusRunning, StatusWaiting:
	}
	return false
}

// ToolCall is one tool invocation. Its id is unique within its run only.
type ToolCall struct {
	ID   string `json:"toolCallId"`
	Name string `json:"toolName,omitzero"`
	// NameDerived is set where the agent told no name of the tool, and Weft has made it from the title or the kind.
	NameDerived bool   `json:"toolNameDerived,omitzero"`
	Title       string `json:"title,omitzero"`
	TitleRef    *Ref   `json:"titleRef,omitzero"` // the whole title, where Title had to be cut
	Kind        string `json:"kind,omitzero"`
	Status      Status `json:"status"`
	ParentID    string `json:"parentToolCallId,omitzero"`
	StartedAt   int64  `json:"startedAt,omitzero"` // unix ms when it began to run, of the first sign of it until then
	// Visibility is how the call is drawn: "" in full, [VisibilityMinimal], or [VisibilityHidden].
	Visibility string `json:"visibility,omitzero" enum:"full,minimal,hidden"`
	// Drawn says how a call of [KindDisplay] is drawn and who asks with it, as a JSON object that the fold does not look into. It has at
	// most [MaxDrawn] bytes.
	Drawn jsontext.Value `json:"drawn,omitzero"`

	// Input is the call's arguments as the agent sent them, InputRef where they are large,
	// InputText what has been streamed of them so far.
	Input     jsontext.Value `json:"input,omitzero"`
	InputRef  *Ref           `json:"inputRef,omitzero"`
	InputText string         `json:"inputText,omitzero"`

	Content      []Content  `json:"content,omitempty"`
	ContentRef   *Ref       `json:"contentRef,omitzero"` // the whole list, where it is large
	Locations    []Location `json:"locations,omitempty"`
	LocationsRef *Ref       `json:"locationsRef,omitzero"`

	// Output is the call's raw result, OutputRef where it is large, OutputText what was
	// streamed of a display-only terminal.
	Output     jsontext.Value `json:"output,omitzero"`
	OutputRef  *Ref           `json:"outputRef,omitzero"`
	OutputText string         `json:"outputText,omitzero"`

	// Terminals are those that Weft runs for the call, Exit the end of a display-only one.
	Terminals []Terminal    `json:"terminals,omitempty"`
	Exit      *TerminalExit `json:"exit,omitzero"`

	Summary     string       `json:"summary,omitzero"`
	ResultCount *int         `json:"resultCount,omitzero"`
	DurationMs  *int64       `json:"durationMs,omitzero"`
	Error       string       `json:"error,omitzero"`
	Retryable   bool         `json:"retryable,omitzero"`
	WasRetried  bool         `json:"wasRetried,omitzero"`
	Reported    Status       `json:"reported,omitzero"` // as in [ToolCallError]
	Permissions []Permission `json:"permissions,omitempty"`
}

// The visibilities of a call.
const (
	VisibilityFull    = "full"    // what a call has that says nothing of it
	VisibilityMinimal = "minimal" // a line without details
	VisibilityHidden  = "hidden"  // not drawn, unless it failed or waits
)

// KindDisplay is the kind of calls that are drawn as a component, whatever their visibility (decision 0014). It is Weft's
// own: no agent can give it to a call.
const KindDisplay = "display"

// MaxDrawn is the most bytes that [ToolCall].Drawn may have; more is not kept.
const MaxDrawn = 4 << 10

// Counted reports whether the call counts as a step of its group: one that is hidden does not, once it has ended well.
func (c *ToolCall) Counted() bool {
	if c.Visibility != VisibilityHidden || c.Kind == KindDisplay {
		return true
	}
	return !c.Status.Ended() || c.Status == StatusFailed
}

// AwaitsAnswer reports whether the call is a display that the user is asked to answer. One that waits for permission
// alone does not.
func (c *ToolCall) AwaitsAnswer() bool {
	return c.Kind == KindDisplay && c.Status == StatusWaiting && slices.ContainsFunc(c.Permissions, func(p Permission) bool {
		return p.Outcome == "" && len(p.Options) > 0 && p.Options[0].ID == DisplayAnswer
	})
}

// shown is a visibility as a call keeps it.
func shown(visibility string) string {
	if visibility == VisibilityFull {
		return ""
	}
	return visibility
}

// Terminal is a command that Weft runs for an agent.
type Terminal struct {
	ID        string `json:"terminalId"`
	Command   string `json:"command,omitzero"`
	StartedAt int64  `json:"startedAt,omitzero"` // unix ms
	Running   bool   `json:"running,omitzero"`
	TerminalExit
	DurationMs *int64 `json:"durationMs,omitzero"`

	// Text is what was streamed of the output, TextStart how many bytes of it before are not
	// here. After the end Size is that of the whole output; Ref holds its last Ref.Size bytes
	// where Text is not all of it.
	Text      string `json:"text,omitzero"`
	TextStart int64  `json:"textStart,omitzero"`
	Size      int64  `json:"size,omitzero"`
	Ref       *Ref   `json:"ref,omitzero"`
}

// TerminalExit is how a command ended. Neither code nor signal is known of a lost one.
type TerminalExit struct {
	Code   *int   `json:"exitCode,omitzero"`
	Signal string `json:"signal,omitzero"` // "SIGTERM"
	Killed bool   `json:"killed,omitzero"` // by the user
	Lost   bool   `json:"lost,omitzero"`   // Weft ended while it ran
}

// Permission is a question of the agent whether it may do what a tool call is about.
type Permission struct {
	RequestID string             `json:"requestId"`
	Options   []PermissionOption `json:"options"`
	// Reading is what the call would do as Weft read it when it was asked about, ReadingRef where that is large. The fold does not
	// look into it.
	Reading    jsontext.Value `json:"reading,omitzero"`
	ReadingRef *Ref           `json:"readingRef,omitzero"`
	// Outcome is empty while it waits; then "selected", "cancelled" (the turn ended
	// or the agent withdrew it) or "lost" (the app or the agent went away).
	Outcome  string `json:"outcome,omitzero"`
	OptionID string `json:"optionId,omitzero"`
	By       *By    `json:"by,omitzero"`
	// When it was asked and when that ended, unix ms; 0 where Weft didn't keep that yet, or it still waits.
	RequestedAt int64 `json:"requestedAt,omitzero"`
	ResolvedAt  int64 `json:"resolvedAt,omitzero"`
}

// OutcomeUnasked is the outcome of a permission request that there should have been: the agent did it without asking.
const OutcomeUnasked = "unasked"

// By tells who ended a permission request, where that was not the user with one of the
// agent's options. Of what was not asked about (outcome "unasked") it tells what the agent should have asked for.
type By struct {
	// Who is "rule", "mode" (of the space), "agent_mode" (of the agent, which the user chose), "answered" (the user, who was
	// asked about the same thing before), "agent" (it withdrew the request, or continued without an answer), "stop" (the turn was stopped or ended), "exit" (the agent went away) or "weft" (the app was closed).
	Who string `json:"who" enum:"rule,mode,agent_mode,answered,agent,stop,exit,weft"`
	// Effect is what a rule or a mode decided: "allow" or "reject".
	Effect string `json:"effect,omitzero"`
	Mode   string `json:"mode,omitzero"`
	// AskedBy is the member whose mode it is, where the run is limited to that of the one that asked for it.
	AskedBy string `json:"askedBy,omitzero"`
	// The rule as it was then; at most one of Command, Path and Tool is set.
	RuleID  string `json:"ruleId,omitzero"`
	Kind    string `json:"kind,omitzero"`
	Command string `json:"command,omitzero"`
	Path    string `json:"path,omitzero"`
	Tool    string `json:"tool,omitzero"`
	// Found is true for a change that was found on disk and not asked about: who made it is not known.
	Found bool `json:"found,omitzero"`
}

// PermissionOption is one answer that the agent accepts.
type PermissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// Location is a place in a file that a tool call is about.
type Location struct {
	Path string `json:"path"`
	Line *int   `json:"line,omitzero"` // 1-based
}

// Content is one piece of a tool call's content, or of a display segment.
type Content struct {
	// Type is text, diff, terminal, image, audio, resource, resource_link or unknown.
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	Ref      *Ref   `json:"ref,omitzero"` // the text or the data, where large
	Path     string `json:"path,omitzero"`
	OldText  string `json:"oldText,omitzero"`
	OldRef   *Ref   `json:"oldRef,omitzero"`
	NewFile  bool   `json:"newFile,omitzero"` // a diff without an old text
	Line     int    `json:"line,omitzero"`    // of the file, at which a diff of a part of it begins, from 1; 0 where that is not known or the first
	NewText  string `json:"newText,omitzero"`
	NewRef   *Ref   `json:"newRef,omitzero"`
	Added    int    `json:"added,omitzero"`   // lines, of a diff
	Removed  int    `json:"removed,omitzero"` // lines, of a diff
	Terminal string `json:"terminalId,omitzero"`
	URI      string `json:"uri,omitzero"`
	Name     string `json:"name,omitzero"`
	Mime     string `json:"mimeType,omitzero"`
	// Raw is the piece as sent, for types that Weft does not know.
	Raw jsontext.Value `json:"raw,omitzero"`
}

// Ref points at a blob.
type Ref struct {
	Hash string `json:"hash"` // lower-case hex SHA-256 of the bytes
	Size int64  `json:"size"` // bytes
	Mime string `json:"mimeType,omitzero"`
}

// Blob is a payload too large for an event.
type Blob struct {
	Ref  Ref
	Data []byte // nil where the payload is stored already
}

// Failure is an error that a user can act on.
type Failure struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Detail    string `json:"detail,omitzero"` // e.g. the last lines of stderr
	Retryable bool   `json:"retryable,omitzero"`
	// Said is the template of the message and its values, for other languages; missing where the message has no template.
	Said    fault.Said `json:"said,omitzero"`
	RetryAt int64      `json:"retryAt,omitzero"` // unix ms; when the provider of the model takes requests again, 0 if it doesn't say
}

// Sentence returns the message as a value of another sentence.
func (f Failure) Sentence() error { return fault.Told(f.Code, f.Message, f.Said) }

// Opaque is an update whose kind Weft does not know, kept as it was sent.
type Opaque struct {
	Kind string         `json:"kind"`
	At   int64          `json:"at"` // unix ms
	Raw  jsontext.Value `json:"raw,omitzero"`
	Ref  *Ref           `json:"ref,omitzero"`
}

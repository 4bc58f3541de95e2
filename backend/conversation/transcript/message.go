package transcript

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
)

// StopBranched is the stop reason of a message that was still being written when its conversation was branched. It
// continues in the other space.
const StopBranched = "branched"

// Role says whether a message is from the user or from an agent.
type Role string

// The two roles of a message.
const (
	RoleUser  Role = "user"
	RoleAgent Role = "agent"
)

// Author is the writer of a message: a user, or a configured agent.
type Author struct {
	Kind string `json:"kind"` // "person" or "agent"
	ID   string `json:"id,omitzero"`
	Name string `json:"name,omitzero"`
	// MemberID is the space's member that wrote the message, "" for [MainMember].
	MemberID string `json:"memberId,omitzero"`
}

// MainMember is the id of the first member of a space. Events leave it out.
const MainMember = "main"

// MemberField returns a member's id as events have it.
func MemberField(id string) string {
	if id == MainMember {
		return ""
	}
	return id
}

// Message is a user's prompt, or the message of a run.
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

// Content returns the joined text segments of the author. It is derived, never stored.
func (m *Message) Content() string {
	var b strings.Builder
	for _, s := range m.Segments {
		if s.Type == SegmentText && s.Author == "" {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// Thinking returns the joined thoughts of the message. It is derived, never stored.
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
	// Author is "user" if the agent repeated the user's words in its own turn, "app" for notes by Weft, [AuthorNotice] for
	// notices, and otherwise empty.
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

// ToolCall is one tool invocation. Its id is unique only within its run.
type ToolCall struct {
	ID   string `json:"toolCallId"`
	Name string `json:"toolName,omitzero"`
	// NameDerived is set if the agent reported no tool name and Weft derived it from the title or the kind.
	NameDerived bool   `json:"toolNameDerived,omitzero"`
	Title       string `json:"title,omitzero"`
	TitleRef    *Ref   `json:"titleRef,omitzero"` // the whole title, if Title was truncated
	Kind        string `json:"kind,omitzero"`
	Status      Status `json:"status"`
	ParentID    string `json:"parentToolCallId,omitzero"`
	StartedAt   int64  `json:"startedAt,omitzero"` // unix ms when it began to run; before that, of its first report
	// Visibility is how the call is drawn: "" in full, [VisibilityMinimal], or [VisibilityHidden].
	Visibility string `json:"visibility,omitzero" enum:"full,minimal,hidden"`
	// Drawn says how to draw a call of [KindDisplay], and who shows it. It is a JSON object of at most [MaxDrawn]
	// bytes, which the fold does not read.
	Drawn jsontext.Value `json:"drawn,omitzero"`

	// Input has the call's arguments as the agent sent them, InputRef refers to large ones, and InputText has the part
	// streamed so far.
	Input     jsontext.Value `json:"input,omitzero"`
	InputRef  *Ref           `json:"inputRef,omitzero"`
	InputText string         `json:"inputText,omitzero"`

	Content      []Content  `json:"content,omitempty"`
	ContentRef   *Ref       `json:"contentRef,omitzero"` // the whole list, if it is large
	Locations    []Location `json:"locations,omitempty"`
	LocationsRef *Ref       `json:"locationsRef,omitzero"`

	// Output is the call's raw result, OutputRef refers to a large one, and OutputText is the streamed output of a
	// display-only terminal.
	Output     jsontext.Value `json:"output,omitzero"`
	OutputRef  *Ref           `json:"outputRef,omitzero"`
	OutputText string         `json:"outputText,omitzero"`

	// Terminals are the terminals that Weft runs for the call. Exit is the end of a display-only terminal.
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
	VisibilityFull    = "full"    // the default
	VisibilityMinimal = "minimal" // one line without details
	VisibilityHidden  = "hidden"  // not drawn, unless it failed or waits
)

// KindDisplay is the kind of calls that are drawn as a component, whatever their visibility (decision 0014). Only Weft
// sets it; agents can't.
const KindDisplay = "display"

// MaxDrawn is the maximum size of [ToolCall].Drawn in bytes. A larger value is dropped.
const MaxDrawn = 4 << 10

// Counted reports whether the call counts as a step of its group. A hidden call that completed does not.
func (c *ToolCall) Counted() bool {
	if c.Visibility != VisibilityHidden || c.Kind == KindDisplay {
		return true
	}
	return !c.Status.Ended() || c.Status == StatusFailed
}

// AwaitsAnswer reports whether the call is a display that waits for the user's answer, not only for permission.
func (c *ToolCall) AwaitsAnswer() bool {
	return c.Kind == KindDisplay && c.Status == StatusWaiting && slices.ContainsFunc(c.Permissions, func(p Permission) bool {
		return p.Outcome == "" && len(p.Options) > 0 && p.Options[0].ID == DisplayAnswer
	})
}

// shown returns a visibility as a call stores it: "" for full.
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

	// Text is the streamed output without its first TextStart bytes. After the end, Size is the size of the whole
	// output. If Text is not all of it, Ref holds its last Ref.Size bytes.
	Text      string `json:"text,omitzero"`
	TextStart int64  `json:"textStart,omitzero"`
	Size      int64  `json:"size,omitzero"`
	Ref       *Ref   `json:"ref,omitzero"`
}

// TerminalExit is the end of a command. A lost command has neither code nor signal.
type TerminalExit struct {
	Code   *int   `json:"exitCode,omitzero"`
	Signal string `json:"signal,omitzero"` // "SIGTERM"
	Killed bool   `json:"killed,omitzero"` // by the user
	Lost   bool   `json:"lost,omitzero"`   // Weft exited while it ran
}

// Permission is an agent's request for permission to run a tool call.
type Permission struct {
	RequestID string             `json:"requestId"`
	Options   []PermissionOption `json:"options"`
	// Reading is Weft's analysis of the call, made at the time of the request. ReadingRef refers to a large one. The
	// fold does not read it.
	Reading    jsontext.Value `json:"reading,omitzero"`
	ReadingRef *Ref           `json:"readingRef,omitzero"`
	// Outcome is empty while the request is open; then "selected", "cancelled" (the turn ended or the agent withdrew
	// the request), "lost" (Weft or the agent exited) or [OutcomeUnasked].
	Outcome  string `json:"outcome,omitzero"`
	OptionID string `json:"optionId,omitzero"`
	By       *By    `json:"by,omitzero"`
	// RequestedAt and ResolvedAt are unix ms. They are 0 if unknown, and ResolvedAt is 0 while the request is open.
	RequestedAt int64 `json:"requestedAt,omitzero"`
	ResolvedAt  int64 `json:"resolvedAt,omitzero"`
}

// OutcomeUnasked is the outcome of a request that the agent should have made: it acted without asking.
const OutcomeUnasked = "unasked"

// By says who ended a permission request, if the user didn't choose one of the agent's options. For the outcome
// "unasked" it names the rule or mode that required a request.
type By struct {
	// Who is "rule", "mode" (of the space), "agent_mode" (of the agent, chosen by the user), "answered" (by the user,
	// to the same request earlier in the turn), "agent" (it withdrew the request, or continued without an answer),
	// "stop" (the turn was stopped or ended), "exit" (the agent exited) or "weft" (Weft exited).
	Who string `json:"who" enum:"rule,mode,agent_mode,answered,agent,stop,exit,weft"`
	// Effect is the decision of a rule or mode: "allow" or "reject".
	Effect string `json:"effect,omitzero"`
	Mode   string `json:"mode,omitzero"`
	// AskedBy is the member whose mode applied, if the run is limited to the mode of the member that asked for it.
	AskedBy string `json:"askedBy,omitzero"`
	// The rule at the time of the decision. At most one of Command, Path and Tool is set.
	RuleID  string `json:"ruleId,omitzero"`
	Kind    string `json:"kind,omitzero"`
	Command string `json:"command,omitzero"`
	Path    string `json:"path,omitzero"`
	Tool    string `json:"tool,omitzero"`
	// Found is set for a change that was found on disk without a request; its author is unknown.
	Found bool `json:"found,omitzero"`
}

// PermissionOption is an answer that the agent accepts.
type PermissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// Location is a file, and perhaps a line, that a tool call is about.
type Location struct {
	Path string `json:"path"`
	Line *int   `json:"line,omitzero"` // 1-based
}

// Content is one piece of a tool call's content, or of a display segment.
type Content struct {
	// Type is text, diff, terminal, image, audio, resource, resource_link or unknown.
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	Ref      *Ref   `json:"ref,omitzero"` // the text or the data, if large
	Path     string `json:"path,omitzero"`
	OldText  string `json:"oldText,omitzero"`
	OldRef   *Ref   `json:"oldRef,omitzero"`
	NewFile  bool   `json:"newFile,omitzero"` // a diff without an old text
	Line     int    `json:"line,omitzero"`    // of the file, where a partial diff begins, from 1; 0: unknown, or the first line
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

// Ref refers to a blob.
type Ref struct {
	Hash string `json:"hash"` // lower-case hex SHA-256 of the bytes
	Size int64  `json:"size"` // bytes
	Mime string `json:"mimeType,omitzero"`
}

// Blob is a payload too large for an event.
type Blob struct {
	Ref  Ref
	Data []byte // nil if the payload is already stored
}

// Failure is an error that a user can act on.
type Failure struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Detail    string `json:"detail,omitzero"` // e.g. the last lines of stderr
	Retryable bool   `json:"retryable,omitzero"`
	// Said has the template of the message and its values, for translation. It is empty if the message has no template.
	Said    fault.Said `json:"said,omitzero"`
	RetryAt int64      `json:"retryAt,omitzero"` // unix ms when the provider accepts requests again, 0 if unknown
}

// Sentence returns the message for use as a value in another sentence.
func (f Failure) Sentence() error { return fault.Told(f.Code, f.Message, f.Said) }

// Opaque is an update of a kind that Weft does not know, stored as the agent sent it.
type Opaque struct {
	Kind string         `json:"kind"`
	At   int64          `json:"at"` // unix ms
	Raw  jsontext.Value `json:"raw,omitzero"`
	Ref  *Ref           `json:"ref,omitzero"`
}

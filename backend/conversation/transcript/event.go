package transcript

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxEvent is the maximum size of an event, in bytes of JSON. The fold moves larger values into a [Blob].
const MaxEvent = 8 << 10

// EventType names an event on the wire.
type EventType string

// The event types. The tool events are a published contract (docs/api.md).
const (
	TypeMessageStart       EventType = "message_start"
	TypeTextDelta          EventType = "text_delta"
	TypeTextEnd            EventType = "text_end"
	TypeReasoningDelta     EventType = "reasoning_delta"
	TypeDisplay            EventType = "display"
	TypeToolCallStart      EventType = "tool_call_start"
	TypeToolInputDelta     EventType = "tool_input_delta"
	TypeToolOutputDelta    EventType = "tool_output_delta"
	TypeTerminalStart      EventType = "terminal_start"
	TypeTerminalEnd        EventType = "terminal_end"
	TypeToolCallUpdate     EventType = "tool_call_update"
	TypeToolCallEnd        EventType = "tool_call_end"
	TypeToolCallError      EventType = "tool_call_error"
	TypePermissionRequest  EventType = "permission_request"
	TypePermissionResolved EventType = "permission_resolved"
	TypeOpaque             EventType = "opaque"
	TypeError              EventType = "error"
	TypeMessageEnd         EventType = "message_end"
	TypeRunCreated         EventType = "run_created"
	TypeRunWaitingTool     EventType = "run_waiting_tool"
	TypeRunCompleted       EventType = "run_completed"
)

// Event is one numbered change of a space. Seq counts from 1 without gaps within an Epoch. When the epoch changes,
// readers must discard what they know about the space.
type Event struct {
	Epoch int64
	Seq   int64
	At    int64 // unix ms
	Body  Body

	raw []byte // the JSON, once encoded
}

// Body is the part of an event that depends on its type.
type Body interface{ EventType() EventType }

// At names the item of a message that an event is about, or the segment if Item < 0.
type At struct {
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
}

// The bodies, one per event type.
type (
	// MessageStart opens a message. The message is the last of its space.
	MessageStart struct {
		MessageID string `json:"messageId"`
		RunID     string `json:"runId,omitzero"`
		Role      Role   `json:"role"`
		Author    Author `json:"author"`
		Model     string `json:"model,omitzero"`
	}

	// TextDelta appends to a text segment. It opens the segment if Segment is the next index.
	TextDelta struct {
		MessageID        string `json:"messageId"`
		Segment          int    `json:"segment"`
		Content          string `json:"content"`
		Author           string `json:"author,omitzero"`           // only when it opens the segment
		ParentToolCallID string `json:"parentToolCallId,omitzero"` // only when it opens the segment
		// ToolCallID and AgentID identify the tool call that sent this text to a space, in the session of the agent that made
		// it.
		ToolCallID string `json:"toolCallId,omitzero"`
		AgentID    string `json:"agentId,omitzero"`
	}

	// TextEnd reports that a text sent by a tool is complete: nothing is added to its segment anymore.
	TextEnd struct {
		MessageID  string `json:"messageId"`
		Segment    int    `json:"segment"`
		ToolCallID string `json:"toolCallId,omitzero"` // as in [TextDelta]
		AgentID    string `json:"agentId,omitzero"`
		Unsent     bool   `json:"unsent,omitzero"` // the agent didn't send it in the end, or sent another text
	}

	// ReasoningDelta appends to a thought. It opens the segment and the item if they are next.
	ReasoningDelta struct {
		At
		Content          string `json:"content"`
		ParentToolCallID string `json:"parentToolCallId,omitzero"` // only when it opens the item
	}

	// Display adds a display segment.
	Display struct {
		MessageID        string  `json:"messageId"`
		Segment          int     `json:"segment"`
		Display          Content `json:"display"`
		Author           string  `json:"author,omitzero"`
		ParentToolCallID string  `json:"parentToolCallId,omitzero"`
	}

	// ToolCallStart adds a tool call. It opens the segment if Segment is the next index.
	ToolCallStart struct {
		At
		ToolCallID       string         `json:"toolCallId"`
		ToolName         string         `json:"toolName"`
		NameDerived      bool           `json:"toolNameDerived,omitzero"` // as in [ToolCall]
		Title            string         `json:"title"`
		TitleRef         *Ref           `json:"titleRef,omitzero"`
		Kind             string         `json:"kind"`
		Status           Status         `json:"status"`
		Input            jsontext.Value `json:"input,omitzero"`
		InputRef         *Ref           `json:"inputRef,omitzero"`
		ParentToolCallID string         `json:"parentToolCallId,omitzero"`
		Locations        []Location     `json:"locations,omitempty"`
		LocationsRef     *Ref           `json:"locationsRef,omitzero"`
		Content          []Content      `json:"content,omitempty"`
		ContentRef       *Ref           `json:"contentRef,omitzero"`
		Visibility       string         `json:"visibility,omitzero" enum:"full,minimal,hidden"` // minimal, hidden; "" is full
	}

	// ToolInputDelta appends a fragment of the JSON that the model writes as the call's input.
	ToolInputDelta struct {
		At
		ToolCallID string `json:"toolCallId"`
		Delta      string `json:"delta"`
	}

	// ToolOutputDelta appends to the output of a display-only terminal or, with TerminalID, of a terminal that Weft
	// runs. For the latter, Offset is the byte at which the delta begins: if that isn't the end of the output so far,
	// the delta replaces the output.
	ToolOutputDelta struct {
		At
		ToolCallID string `json:"toolCallId"`
		Delta      string `json:"delta"`
		TerminalID string `json:"terminalId,omitzero"`
		Offset     int64  `json:"offset,omitzero"`
	}

	// TerminalStart adds a terminal that Weft runs to a call.
	TerminalStart struct {
		At
		ToolCallID string `json:"toolCallId"`
		TerminalID string `json:"terminalId"`
		Command    string `json:"command"`
		StartedAt  int64  `json:"startedAt"` // unix ms
	}

	// TerminalEnd reports how a terminal's command ended.
	TerminalEnd struct {
		At
		ToolCallID string `json:"toolCallId"`
		TerminalID string `json:"terminalId"`
		TerminalExit
		DurationMs *int64 `json:"durationMs,omitzero"` // unknown after a crash of Weft
		Size       int64  `json:"size,omitzero"`       // bytes of the whole output
		Ref        *Ref   `json:"ref,omitzero"`        // the end of the output, if the deltas don't have all of it
	}

	// ToolCallUpdate replaces the fields that are present. A list replaces the whole list. A value present inline
	// (input, output, content, locations) replaces a reference, and the reverse.
	ToolCallUpdate struct {
		At
		ToolCallID       string         `json:"toolCallId"`
		ToolName         *string        `json:"toolName,omitzero"`
		NameDerived      bool           `json:"toolNameDerived,omitzero"` // of the name in this event
		Title            *string        `json:"title,omitzero"`
		TitleRef         *Ref           `json:"titleRef,omitzero"`
		Kind             *string        `json:"kind,omitzero"`
		Status           *Status        `json:"status,omitzero"`
		ParentToolCallID *string        `json:"parentToolCallId,omitzero"`
		Input            jsontext.Value `json:"input,omitzero"`
		InputRef         *Ref           `json:"inputRef,omitzero"`
		Output           jsontext.Value `json:"output,omitzero"`
		OutputRef        *Ref           `json:"outputRef,omitzero"`
		Content          *[]Content     `json:"content,omitzero"`
		ContentRef       *Ref           `json:"contentRef,omitzero"`
		Locations        *[]Location    `json:"locations,omitzero"`
		LocationsRef     *Ref           `json:"locationsRef,omitzero"`
		Exit             *TerminalExit  `json:"exit,omitzero"`    // of a display-only terminal
		Summary          *string        `json:"summary,omitzero"` // a better one, after the end
		ResultCount      *int           `json:"resultCount,omitzero"`
		Error            *string        `json:"error,omitzero"`
		StartedAt        int64          `json:"startedAt,omitzero"`                             // unix ms, of a call that runs again
		Visibility       string         `json:"visibility,omitzero" enum:"full,minimal,hidden"` // full, minimal, hidden; "": unchanged
		Drawn            jsontext.Value `json:"drawn,omitzero"`                                 // as in [ToolCall]; always in a separate event
	}

	// ToolCallEnd ends a completed call. In older journals it also ends canceled and rejected calls; see Status.
	ToolCallEnd struct {
		At
		ToolCallID  string         `json:"toolCallId"`
		Status      Status         `json:"status"`
		Summary     string         `json:"summary"`
		ResultCount *int           `json:"resultCount"`
		DurationMs  int64          `json:"durationMs"`
		Output      jsontext.Value `json:"output,omitzero"`
		OutputRef   *Ref           `json:"outputRef,omitzero"`
		WasRetried  bool           `json:"wasRetried,omitzero"`
	}

	// ToolCallError ends a call that failed, or that was canceled or rejected.
	ToolCallError struct {
		At
		ToolCallID string         `json:"toolCallId"`
		Status     Status         `json:"status,omitzero"` // cancelled or rejected; absent: failed
		Error      string         `json:"error"`
		Summary    string         `json:"summary,omitzero"` // of a call that did not fail
		Retryable  bool           `json:"retryable"`
		WasRetried bool           `json:"wasRetried"`
		Reported   Status         `json:"reported,omitzero"` // the agent's status, if the result contradicts it
		DurationMs int64          `json:"durationMs"`
		Output     jsontext.Value `json:"output,omitzero"`
		OutputRef  *Ref           `json:"outputRef,omitzero"`
	}

	// PermissionRequest asks the user about a tool call. The call waits for the answer.
	PermissionRequest struct {
		At
		ToolCallID string             `json:"toolCallId"`
		RequestID  string             `json:"requestId"`
		Options    []PermissionOption `json:"options"`
		Reading    jsontext.Value     `json:"reading,omitzero"` // as in [Permission]
		ReadingRef *Ref               `json:"readingRef,omitzero"`
	}

	// PermissionResolved ends a permission request.
	PermissionResolved struct {
		At
		ToolCallID string `json:"toolCallId"`
		RequestID  string `json:"requestId"`
		Outcome    string `json:"outcome"` // selected, cancelled, lost, unasked
		OptionID   string `json:"optionId,omitzero"`
		Status     Status `json:"status"` // of the call after the answer
		By         *By    `json:"by,omitzero"`
	}

	// OpaqueUpdate stores an update that Weft does not know.
	OpaqueUpdate struct {
		MessageID string         `json:"messageId"`
		Kind      string         `json:"kind"`
		Raw       jsontext.Value `json:"raw,omitzero"`
		Ref       *Ref           `json:"ref,omitzero"`
	}

	// State replaces one part of the state of the space or of a member. The event type is the key.
	State struct {
		Key       StateKey       `json:"-"`
		MemberID  string         `json:"memberId,omitzero"` // "": of the space, or of [MainMember]
		MessageID string         `json:"messageId,omitzero"`
		Value     jsontext.Value `json:"value,omitzero"`
		Ref       *Ref           `json:"ref,omitzero"`
	}

	// Error reports an error, in the message of the run if there is one.
	Error struct {
		MessageID string `json:"messageId,omitzero"`
		RunID     string `json:"runId,omitzero"`
		Failure
	}

	// MessageEnd ends a message. Late updates may still change it.
	MessageEnd struct {
		MessageID  string         `json:"messageId"`
		StopReason string         `json:"stopReason,omitzero"`
		Usage      jsontext.Value `json:"usage,omitzero"`
		Model      string         `json:"model,omitzero"` // if known by now
	}

	// RunCreated reports that an agent's turn begins.
	RunCreated struct {
		RunID     string `json:"runId"`
		AgentID   string `json:"agentId"`
		AgentName string `json:"agentName"`
		MemberID  string `json:"memberId,omitzero"` // "": [MainMember]
		Model     string `json:"model,omitzero"`
		PromptID  string `json:"promptId,omitzero"` // the message that started it
		// SpaceID is the space where the run works, if this event is in another space that the run also writes to.
		SpaceID string `json:"spaceId,omitzero"`
	}

	// RunWaitingTool reports that a run waits for the user, or for any reply in the space.
	RunWaitingTool struct {
		RunID      string `json:"runId"`
		ToolCallID string `json:"toolCallId"`
		RequestID  string `json:"requestId,omitzero"`
		Kind       string `json:"kind,omitzero" enum:"reply"` // reply: for any reply in the space; absent: for the user's answer to the call
	}

	// RunCompleted reports the end of a run, however it ended.
	RunCompleted struct {
		RunID      string         `json:"runId"`
		StopReason string         `json:"stopReason"`
		Usage      jsontext.Value `json:"usage,omitzero"`
		Model      string         `json:"model,omitzero"`
		Error      *Failure       `json:"error,omitzero"`
		SpaceID    string         `json:"spaceId,omitzero"` // as in [RunCreated]
	}
)

// Place returns the key under which the state of a space stores it, with "@" and the member appended.
func (s *State) Place() StateKey { return s.Key.Of(s.MemberID) }

// EventType implements Body.
func (*MessageStart) EventType() EventType       { return TypeMessageStart }
func (*TextDelta) EventType() EventType          { return TypeTextDelta }
func (*TextEnd) EventType() EventType            { return TypeTextEnd }
func (*ReasoningDelta) EventType() EventType     { return TypeReasoningDelta }
func (*Display) EventType() EventType            { return TypeDisplay }
func (*ToolCallStart) EventType() EventType      { return TypeToolCallStart }
func (*ToolInputDelta) EventType() EventType     { return TypeToolInputDelta }
func (*ToolOutputDelta) EventType() EventType    { return TypeToolOutputDelta }
func (*TerminalStart) EventType() EventType      { return TypeTerminalStart }
func (*TerminalEnd) EventType() EventType        { return TypeTerminalEnd }
func (*ToolCallUpdate) EventType() EventType     { return TypeToolCallUpdate }
func (*ToolCallEnd) EventType() EventType        { return TypeToolCallEnd }
func (*ToolCallError) EventType() EventType      { return TypeToolCallError }
func (*PermissionRequest) EventType() EventType  { return TypePermissionRequest }
func (*PermissionResolved) EventType() EventType { return TypePermissionResolved }
func (*OpaqueUpdate) EventType() EventType       { return TypeOpaque }
func (s *State) EventType() EventType            { return EventType(s.Key) }
func (*Error) EventType() EventType              { return TypeError }
func (*MessageEnd) EventType() EventType         { return TypeMessageEnd }
func (*RunCreated) EventType() EventType         { return TypeRunCreated }
func (*RunWaitingTool) EventType() EventType     { return TypeRunWaitingTool }
func (*RunCompleted) EventType() EventType       { return TypeRunCompleted }

// EventTypes returns all types of events, those of the state last.
func EventTypes() []EventType {
	list := []EventType{
		TypeMessageStart, TypeTextDelta, TypeTextEnd, TypeReasoningDelta, TypeDisplay, TypeOpaque, TypeError, TypeMessageEnd,
		TypeToolCallStart, TypeToolInputDelta, TypeToolOutputDelta, TypeTerminalStart, TypeTerminalEnd, TypeToolCallUpdate, TypeToolCallEnd,
		TypeToolCallError, TypePermissionRequest, TypePermissionResolved, TypeRunCreated, TypeRunWaitingTool, TypeRunCompleted,
	}
	for _, k := range []StateKey{StatePlan, StateUsage, StateMode, StateConfig, StateCommands, StateTitle, StateSession, StateQueue} {
		list = append(list, EventType(k))
	}
	return list
}

// NewBody returns an empty body for events of type t.
func NewBody(t EventType) (Body, error) {
	switch t {
	case TypeMessageStart:
		return &MessageStart{}, nil
	case TypeTextDelta:
		return &TextDelta{}, nil
	case TypeTextEnd:
		return &TextEnd{}, nil
	case TypeReasoningDelta:
		return &ReasoningDelta{}, nil
	case TypeDisplay:
		return &Display{}, nil
	case TypeToolCallStart:
		return &ToolCallStart{}, nil
	case TypeToolInputDelta:
		return &ToolInputDelta{}, nil
	case TypeToolOutputDelta:
		return &ToolOutputDelta{}, nil
	case TypeTerminalStart:
		return &TerminalStart{}, nil
	case TypeTerminalEnd:
		return &TerminalEnd{}, nil
	case TypeToolCallUpdate:
		return &ToolCallUpdate{}, nil
	case TypeToolCallEnd:
		return &ToolCallEnd{}, nil
	case TypeToolCallError:
		return &ToolCallError{}, nil
	case TypePermissionRequest:
		return &PermissionRequest{}, nil
	case TypePermissionResolved:
		return &PermissionResolved{}, nil
	case TypeOpaque:
		return &OpaqueUpdate{}, nil
	case TypeError:
		return &Error{}, nil
	case TypeMessageEnd:
		return &MessageEnd{}, nil
	case TypeRunCreated:
		return &RunCreated{}, nil
	case TypeRunWaitingTool:
		return &RunWaitingTool{}, nil
	case TypeRunCompleted:
		return &RunCompleted{}, nil
	}
	switch k := StateKey(t); k {
	case StatePlan, StateUsage, StateMode, StateConfig, StateCommands, StateTitle, StateQueue, StateSession:
		return &State{Key: k}, nil
	}
	return nil, fmt.Errorf("event type %q isn't known", t)
}

// JSON returns the event as it is sent and stored in the journal: {"epoch":…,"seq":…,"type":…,"at":…, and the fields of
// the body}. It encodes the event once; the caller must not change the result.
func (e *Event) JSON() ([]byte, error) {
	if e.raw != nil {
		return e.raw, nil
	}
	body, err := json.Marshal(e.Body, wire)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Body.EventType(), err)
	}
	b := make([]byte, 0, len(body)+96)
	b = append(b, `{"epoch":`...)
	b = strconv.AppendInt(b, e.Epoch, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"type":"`...)
	b = append(b, e.Body.EventType()...)
	b = append(b, `","at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	if len(body) > 2 {
		b = append(b, ',')
	}
	b = append(b, body[1:]...)
	e.raw = b
	return b, nil
}

// MarshalJSON implements encoding/json's interface with [Event.JSON].
func (e *Event) MarshalJSON() ([]byte, error) { return e.JSON() }

// ParseEvent reads what [Event.JSON] wrote.
func ParseEvent(b []byte) (Event, error) {
	var head struct {
		Epoch int64     `json:"epoch"`
		Seq   int64     `json:"seq"`
		Type  EventType `json:"type"`
		At    int64     `json:"at"`
	}
	if err := json.Unmarshal(b, &head, wire); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	body, err := NewBody(head.Type)
	if err != nil {
		return Event{}, err
	}
	if err := json.Unmarshal(b, body, wire); err != nil {
		return Event{}, fmt.Errorf("decode %s event: %w", head.Type, err)
	}
	return Event{Epoch: head.Epoch, Seq: head.Seq, At: head.At, Body: body, raw: b}, nil
}

// wire accepts the unclean JSON that some agents send.
var wire = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

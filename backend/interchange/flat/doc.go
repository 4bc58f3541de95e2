// Package flat reads conversations written by other programs: JSON or JSON Lines files with messages that have text,
// thinking and tool calls. docs/import.md describes the format and the supported variants. The package doesn't access
// a database: it reads and validates a whole conversation, and [Conversation.Fold] converts its messages to events.
//
// read.go takes files apart, parser.go finds conversations, message.go, content.go and calls.go read their forms,
// logs.go exports of ChatGPT and session files, and fold.go makes events.
package flat

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Conversation is a conversation in a file.
type Conversation struct {
	Title   string
	Folder  string // as written
	Agent   string // name or id, as written
	Model   string
	Line    int // of the file, from 1
	Notes   []string
	Faults  []Fault // why it can't be imported, if it can't
	Started int64   // unix ms, 0 if unknown

	Messages []*Message
}

// Message is a message of the user, or a turn of an agent. The results of tool calls are in their calls.
type Message struct {
	Role  transcript.Role
	Name  string // of the agent, or ""
	Model string
	At    int64 // unix ms, 0 if unknown
	Stop  string
	Parts []Part
}

// Part is one piece of a message. Exactly one of the fields is set.
type Part struct {
	Text    string
	Thought string
	Block   *transcript.Content
	Call    *Call
}

// Call is a tool call.
type Call struct {
	ID       string
	Name     string
	Title    string
	Kind     string
	Status   transcript.Status // "" if its end is unknown
	Input    jsontext.Value
	Output   jsontext.Value
	Content  []transcript.Content
	Summary  string
	Error    string
	Duration *int64 // ms
	Count    *int   `json:",omitzero"` // of results; omitted if nil, to keep the [Conversation.Key] of earlier imports
}

// Fault is an error in a file that prevents an import.
type Fault struct {
	Line    int    // from 1, 0 if unknown
	Place   string // in the value, for example messages[2].toolCalls[0]; "" for the value itself
	Message string // a sentence
}

// String returns the fault with its place.
func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Place != "" {
		b.WriteString(f.Place + ": ")
	}
	return b.String() + f.Message
}

// Package flat reads conversations that other programs have written: files of JSON or JSON Lines with messages that
// have a text, thinking and tool calls. docs/import.md describes the form and the variants that are understood. Nothing here touches
// a database: a conversation is read whole and checked, and [Conversation.Messages] are folded into the events of a space by
// [Conversation.Fold].
package flat

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Conversation is one that a file holds.
type Conversation struct {
	Title   string
	Folder  string // as written
	Agent   string // name or id, as written
	Model   string
	Line    int // of the file, from 1
	Notes   []string
	Faults  []Fault // why it can't be imported; empty if it can
	Started int64   // unix ms, 0 if unknown

	Messages []*Message
}

// Message is what one author said in one go. The results of tool calls are with their calls.
type Message struct {
	Role  transcript.Role
	Name  string // of the agent, "" if the message does not tell
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
	Count    *int   `json:",omitzero"` // of results; left out where there is none, so that what was imported before is known by [Conversation.Key]
}

// Fault is something in a file that can't be imported.
type Fault struct {
	Line    int    // from 1, 0 if unknown
	Place   string // in the value, such as messages[2].toolCalls[0]; "" for the value itself
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

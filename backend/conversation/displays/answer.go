package displays

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Answer is the user's answer to a display, or a cancellation, as stored in its call.
type Answer struct {
	Option  string // of the permission request
	Status  transcript.Status
	Summary string
	Output  jsontext.Value
}

// Answered returns the answer in out, or a cancellation. late and open are the display's: the agent stopped waiting, or
// never waited. summary is the answer in one line.
func Answered(out Output, summary string, cancel, late, open bool) Answer {
	out.State, out.By, out.Late = "answered", "person", late && !open
	if open {
		out.Wait = WaitNone
	}
	if cancel {
		out.State, out.Answer = "cancelled", nil
		return Answer{transcript.DisplayCancel, transcript.StatusRejected, "", out.Encode()}
	}
	return Answer{transcript.DisplayAnswer, transcript.StatusCompleted, summary, out.Encode()}
}

// Change is what must be stored for an answer.
type Change struct {
	Bodies     []transcript.Body
	Blobs      []transcript.Blob
	Superseded []string // hashes of blobs that this replaces
}

// Stored returns the change for an answer to a display whose run has ended. call is the display's call and at its
// position in the message; open is the result of [Open].
func (a Answer) Stored(call *transcript.ToolCall, at transcript.At, open bool) (c Change) {
	output, ref := a.Output, (*transcript.Ref)(nil)
	if blob, large := transcript.Large(output); large {
		c.Blobs, output, ref = []transcript.Blob{blob}, nil, &blob.Ref
	}
	if open {
		c.Bodies = append(c.Bodies, &transcript.ToolCallUpdate{At: at, ToolCallID: call.ID, Summary: &a.Summary, Output: output, OutputRef: ref})
		if old := call.OutputRef; old != nil {
			c.Superseded = append(c.Superseded, old.Hash)
		}
		return c
	}
	for _, p := range call.Permissions {
		if p.Outcome == "" {
			c.Bodies = append(c.Bodies, &transcript.PermissionResolved{
				At: at, ToolCallID: call.ID, RequestID: p.RequestID, Outcome: "selected", OptionID: a.Option, Status: a.Status,
			})
		}
	}
	if a.Status != transcript.StatusCompleted {
		end := transcript.NotDone(at, call.ID, a.Status)
		end.Output, end.OutputRef = output, ref
		c.Bodies = append(c.Bodies, end)
		return c
	}
	c.Bodies = append(c.Bodies, &transcript.ToolCallEnd{At: at, ToolCallID: call.ID, Status: a.Status, Summary: a.Summary, Output: output, OutputRef: ref})
	return c
}

// Unsent returns the change that marks an answer as undelivered, because the agent couldn't be prompted with it. raw is
// the current output and old the reference to it, nil if it is inline. ok is false if raw has no answer.
func Unsent(call string, at transcript.At, raw []byte, old *transcript.Ref) (c Change, ok bool) {
	var out Output
	if json.Unmarshal(raw, &out) != nil || out.By == "" {
		return c, false
	}
	out.Unsent = true
	output, ref := out.Encode(), (*transcript.Ref)(nil)
	if blob, large := transcript.Large(output); large {
		c.Blobs, output, ref = []transcript.Blob{blob}, nil, &blob.Ref
	}
	if old != nil {
		c.Superseded = []string{old.Hash}
	}
	c.Bodies = []transcript.Body{&transcript.ToolCallUpdate{At: at, ToolCallID: call, Output: output, OutputRef: ref}}
	return c, true
}

// Late is an answer for an agent that doesn't wait for it (anymore). The agent gets it with its next prompt.
type Late struct {
	Tool, Title string
	Input       jsontext.Value
	Answer      jsontext.Value
	Cancel      bool
}

// maxReminder is the maximum size in bytes of an input that the prompt repeats.
const maxReminder = 600

// Prompt returns the text for the agent, from the user's point of view.
func (l Late) Prompt() string {
	what := fmt.Sprintf("“%s” (%s)", l.Title, l.Tool)
	if l.Cancel {
		return "I won't answer " + what + ", which you showed earlier."
	}
	earlier := "which you showed earlier"
	if n := len(l.Input); n > 2 && n <= maxReminder {
		earlier += " with " + string(l.Input)
	}
	return fmt.Sprintf("I have answered %s, %s: %s", what, earlier, l.Answer)
}

package requests

import (
	"cmp"
	"slices"
	"strings"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/mentions"
)

// Wait is what waits for the user, for lists.
type Wait struct {
	RequestID string `json:"requestId"`
	Title     string `json:"title"`
	Line      string `json:"line,omitzero"`   // the commands that it would run, truncated
	Path      string `json:"path,omitzero"`   // the first file that it would read or change; "" if it runs a command
	Writes    bool   `json:"writes,omitzero"` // it would change Path
	Kind      string `json:"kind"`            // of the tool, question, or [KindReply]
	By        string `json:"by,omitzero"`     // the name of who waits for a reply
	At        int64  `json:"at"`              // unix ms
}

// kindReply is the kind of a request for any reply in the space: what the user writes there is the answer.
const kindReply = "reply"

// maxTold limits how many requests of a space are listed, maxTitle the length of a title in bytes.
const (
	maxTold  = 20
	maxTitle = 200
)

// wait describes a permission request.
func (a *Permission) wait() Wait {
	r := Wait{RequestID: a.ID, Title: Short(a.Call.Title), Kind: a.About.Kind, At: a.At}
	r.Line, r.Path, r.Writes = does(a.About)
	return r
}

// wait describes a question.
func (q *Question) wait() Wait {
	return Wait{RequestID: q.ID, Title: q.Title, Kind: "question", At: q.At}
}

// ReplyWait describes an agent that waits for any reply in the space.
func ReplyWait(o *mentions.OpenReply) Wait {
	return Wait{RequestID: o.ID, Title: Short(o.Text), Kind: kindReply, By: o.Name, At: o.At}
}

// DisplayWait describes a display that an agent waits for, or has waited for.
func DisplayWait(d *displays.Display) Wait {
	return Wait{RequestID: d.Request, Title: d.Title, Kind: transcript.KindDisplay, At: d.At}
}

// KeptWait describes a display that has been waiting since before the app started.
func KeptWait(call *transcript.ToolCall) Wait {
	return Wait{RequestID: call.ID, Title: call.Title, Kind: transcript.KindDisplay, At: call.StartedAt}
}

// OldestWaits returns the oldest requests of a space, at most maxTold, in stable order. It sorts list in place.
func OldestWaits(list []Wait) []Wait {
	slices.SortStableFunc(list, func(a, b Wait) int { return cmp.Compare(a.At, b.At) })
	return list[:min(len(list), maxTold)]
}

// does returns what a request would do: its commands, or else a file, preferably one that it changes.
func does(about *permission.Subject) (line, path string, writes bool) {
	r := about.Reading()
	if len(r.Commands) > 0 {
		lines := make([]string, len(r.Commands))
		for i := range r.Commands {
			lines[i] = r.Commands[i].String()
		}
		return clipped(strings.Join(lines, "\n")), "", false
	}
	for _, f := range r.Files {
		if path == "" || f.Write && !writes {
			path, writes = f.Path, f.Write
		}
	}
	return "", clipped(path), writes
}

// clipped shortens a text to maxTitle and marks the cut.
func clipped(s string) string {
	if len(s) <= maxTitle {
		return s
	}
	return Short(s) + " …"
}

// Short returns the beginning of a text, at most maxTitle bytes.
func Short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxTitle)], "")
}

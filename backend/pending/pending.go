// Package pending is what waits for the user in a space, as lists show it: requests and questions of agents, displays, and agents that wait for a
// reply (see [Request]).
//
// It keeps nothing and has no locks: it describes what its arguments are at the moment, so whoever has the lock of a space calls it.
package pending

import (
	"cmp"
	"slices"
	"strings"

	"weft/backend/displays"
	"weft/backend/mentions"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// Request is something that waits for the user.
type Request struct {
	RequestID string `json:"requestId"`
	Title     string `json:"title"`
	Line      string `json:"line,omitzero"`   // the commands that it would run, as far as they fit
	Path      string `json:"path,omitzero"`   // the first file that it would read or change, where it runs nothing
	Writes    bool   `json:"writes,omitzero"` // it would change Path
	Kind      string `json:"kind"`            // of the tool, question, or [KindReply]
	By        string `json:"by,omitzero"`     // who waits for a reply
	At        int64  `json:"at"`              // unix ms
}

// KindReply is the kind of a request for any reply in the space: what the user writes there is the answer.
const KindReply = "reply"

// maxTold is how many of the requests of a space are listed, and maxTitle how long a title may be, in bytes.
const (
	maxTold  = 20
	maxTitle = 200
)

// Permission returns a permission request of an agent.
func Permission(a *requests.Permission) Request {
	r := Request{RequestID: a.ID, Title: Short(a.Call.Title), Kind: a.About.Kind, At: a.At}
	r.Line, r.Path, r.Writes = does(a.About)
	return r
}

// Question returns a question of an agent.
func Question[L any](q *requests.Question[L]) Request {
	return Request{RequestID: q.ID, Title: q.Title, Kind: "question", At: q.At}
}

// Reply returns that an agent waits for any reply in the space.
func Reply(o *mentions.OpenReply) Request {
	return Request{RequestID: o.ID, Title: Short(o.Text), Kind: KindReply, By: o.Name, At: o.At}
}

// Display returns a display that an agent waits for, or has waited for.
func Display(d *displays.Display) Request {
	return Request{RequestID: d.Request, Title: d.Title, Kind: transcript.KindDisplay, At: d.At}
}

// Kept returns a display that has waited since before the start.
func Kept(call *transcript.ToolCall) Request {
	return Request{RequestID: call.ID, Title: call.Title, Kind: transcript.KindDisplay, At: call.StartedAt}
}

// Oldest returns the first of the requests of a space, the oldest first. Those of one moment stay in their order. It changes the order of list.
func Oldest(list []Request) []Request {
	slices.SortStableFunc(list, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	return list[:min(len(list), maxTold)]
}

// does returns what a request would do: the commands, else the first file, preferably one that is changed.
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

// clipped returns the beginning of a text, with a mark where something is missing.
func clipped(s string) string {
	if len(s) <= maxTitle {
		return s
	}
	return Short(s) + " …"
}

// Short returns the beginning of a text, at most as long as a title.
func Short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxTitle)], "")
}

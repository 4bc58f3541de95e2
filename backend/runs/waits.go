package runs

import (
	"cmp"
	"slices"
	"strings"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// Wait is something that waits for the user.
type Wait struct {
	RequestID string `json:"requestId"`
	Title     string `json:"title"`
	Line      string `json:"line,omitzero"`   // the commands that it would run, as far as they fit
	Path      string `json:"path,omitzero"`   // the first file that it would read or change, where it runs nothing
	Writes    bool   `json:"writes,omitzero"` // it would change Path
	Kind      string `json:"kind"`            // of the tool, question, or [KindReply]
	By        string `json:"by,omitzero"`     // who waits for a reply
	At        int64  `json:"at"`              // unix ms
}

// KindReply is the kind of a wait for any reply in the space: what the user writes there is the answer.
const KindReply = "reply"

// maxWaits is how many of the things that wait in a space are told one by one, and maxWaitTitle how long
// a title may be, in bytes.
const (
	maxWaits     = 20
	maxWaitTitle = 200
)

// waits returns what waits for the user, oldest first. The lock is held.
func (r *room) waits() []Wait {
	list := slices.Clone(r.kept)
	for _, s := range r.inOrder() {
		for _, a := range s.desk.Permissions.List() {
			w := Wait{RequestID: a.ID, Title: short(a.Call.Title), Kind: a.About.Kind, At: a.At}
			w.Line, w.Path, w.Writes = does(a.About)
			list = append(list, w)
		}
		for _, q := range s.desk.Questions.List() {
			list = append(list, Wait{RequestID: q.ID, Title: q.Title, Kind: "question", At: q.At})
		}
	}
	for _, o := range r.replies.All() {
		list = append(list, Wait{RequestID: o.ID, Title: short(o.Text), Kind: KindReply, By: o.Name, At: o.At})
	}
	for _, d := range r.displays.All() {
		list = append(list, Wait{RequestID: d.Request, Title: d.Title, Kind: transcript.KindDisplay, At: d.At})
	}
	// Requests of one moment stay in the order in which they came.
	slices.SortStableFunc(list, func(a, b Wait) int { return cmp.Compare(a.At, b.At) })
	return list[:min(len(list), maxWaits)]
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
	if len(s) <= maxWaitTitle {
		return s
	}
	return short(s) + " …"
}

func short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxWaitTitle)], "")
}

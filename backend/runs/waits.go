package runs

import (
	"cmp"
	"slices"
	"strings"

	"weft/backend/transcript"
)

// Wait is something that waits for the person.
type Wait struct {
	RequestID string `json:"requestId"`
	Title     string `json:"title"`
	Kind      string `json:"kind"` // of the tool, or question
	At        int64  `json:"at"`   // unix ms
}

// maxWaits is how many of the things that wait in a space are told one by one, and maxWaitTitle how long
// a title may be, in bytes.
const (
	maxWaits     = 20
	maxWaitTitle = 200
)

// waits answers what waits for the person, oldest first. The mutex is held.
func (r *room) waits() []Wait {
	list := slices.Clone(r.keptDisplays())
	for _, s := range r.inOrder() {
		for _, a := range s.openAsks() {
			title := strings.ToValidUTF8(a.call.Title[:min(len(a.call.Title), maxWaitTitle)], "")
			list = append(list, Wait{RequestID: a.id, Title: title, Kind: a.about.Kind, At: a.at})
		}
		for id, q := range s.questions {
			list = append(list, Wait{RequestID: id, Title: q.title, Kind: "question", At: q.at})
		}
	}
	for id, d := range r.displays {
		list = append(list, Wait{RequestID: id, Title: d.title, Kind: transcript.KindDisplay, At: d.at})
	}
	// Requests of one moment stay in the order in which they came.
	slices.SortStableFunc(list, func(a, b Wait) int { return cmp.Compare(a.At, b.At) })
	return list[:min(len(list), maxWaits)]
}

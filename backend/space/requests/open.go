package requests

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
)

// Limits for the operations of an agent that wait for the user. Operations above them are refused.
const (
	maxOperations     = 64
	maxOperationBytes = 64 << 20
)

// openPermissions are the open permission requests of a session. The zero value is empty.
type openPermissions struct {
	open  map[string]*Permission
	added int
	held  int // operations that wait for the user
	bytes int // total size of these
}

// Add adds a request about which the user is asked.
func (p *openPermissions) Add(a *Permission) {
	if p.open == nil {
		p.open = map[string]*Permission{}
	}
	p.added++
	a.n = p.added
	p.open[a.ID] = a
}

// Len returns the number of open requests.
func (p *openPermissions) Len() int { return len(p.open) }

// Get returns an open request, or nil.
func (p *openPermissions) Get(id string) *Permission { return p.open[id] }

// IsOpen reports whether a request is open.
func (p *openPermissions) IsOpen(a *Permission) bool { return p.open[a.ID] == a }

// List returns the open requests, oldest first.
func (p *openPermissions) List() []*Permission {
	return slices.SortedFunc(maps.Values(p.open), func(a, b *Permission) int { return cmp.Compare(a.n, b.n) })
}

// Asked returns the open requests that the user sees, oldest first.
func (p *openPermissions) Asked() []*Permission {
	return slices.DeleteFunc(p.List(), func(a *Permission) bool { return a.Behind != nil })
}

// Alike returns the open request that the user sees and whose answer will also decide a, or nil.
func (p *openPermissions) Alike(a *Permission) *Permission {
	for _, b := range p.Asked() {
		if b != a && b.Settles(a) {
			return b
		}
	}
	return nil
}

// Of returns the open permission request of a protocol request, or nil.
func (p *openPermissions) Of(r *acp.Request) *Permission {
	for _, a := range p.open {
		if a.Request != nil && a.Request == r {
			return a
		}
	}
	return nil
}

// AsksAbout reports whether the user is being asked about a call.
func (p *openPermissions) AsksAbout(call string) bool {
	for _, a := range p.open {
		if a.Tool == call && a.Behind == nil {
			return true
		}
	}
	return false
}

// End removes an open request. how is its resolution.
func (p *openPermissions) End(a *Permission, how transcript.Resolution) {
	delete(p.open, a.ID)
	a.How = how
}

// Hold counts an operation that waits for the user. It returns false if there are too many. After it returned true,
// Release must be called.
func (p *openPermissions) Hold(o *Operation) bool {
	if p.held >= maxOperations || p.bytes+o.Size > maxOperationBytes {
		return false
	}
	p.held, p.bytes = p.held+1, p.bytes+o.Size
	return true
}

// Release ends a Hold.
func (p *openPermissions) Release(o *Operation) { p.held, p.bytes = p.held-1, p.bytes-o.Size }

// Resolutions of requests that end without an answer.
var (
	Stopped   = transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "stop"}}
	Exited    = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "exit"}}
	Shut      = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "weft"}}
	Withdrawn = transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}}
)

// openQuestions are the open questions of a session. The zero value is empty.
type openQuestions struct {
	open map[string]*Question
}

// Add adds a question that the user is asked.
func (p *openQuestions) Add(q *Question) {
	if p.open == nil {
		p.open = map[string]*Question{}
	}
	p.open[q.ID] = q
}

// Len returns the number of open questions.
func (p *openQuestions) Len() int { return len(p.open) }

// Get returns an open question, or nil.
func (p *openQuestions) Get(id string) *Question { return p.open[id] }

// Remove removes an open question.
func (p *openQuestions) Remove(q *Question) { delete(p.open, q.ID) }

// List returns the open questions, ordered by their ids.
func (p *openQuestions) List() []*Question { return p.where(func(*Question) bool { return true }) }

// From returns the open questions of a connection.
func (p *openQuestions) From(from Asker) []*Question {
	return p.where(func(q *Question) bool { return q.From == from })
}

// OfCall returns the open questions that belong to a call of the agent.
func (p *openQuestions) OfCall(tool string) []*Question {
	return p.where(func(q *Question) bool { return q.Tool == tool })
}

// OfRequest returns the open questions of a request of the agent.
func (p *openQuestions) OfRequest(r *acp.Request) []*Question {
	return p.where(func(q *Question) bool { return q.Request == r })
}

// Completed returns the open questions that the params of elicitation/complete refer to.
func (p *openQuestions) Completed(from Asker, params jsontext.Value) []*Question {
	var done struct {
		ID string `json:"elicitationId"`
	}
	if json.Unmarshal(params, &done) != nil || done.ID == "" {
		return nil
	}
	return p.where(func(q *Question) bool { return q.From == from && q.address == done.ID })
}

func (p *openQuestions) where(is func(*Question) bool) (list []*Question) {
	for _, id := range slices.Sorted(maps.Keys(p.open)) {
		if q := p.open[id]; is(q) {
			list = append(list, q)
		}
	}
	return list
}

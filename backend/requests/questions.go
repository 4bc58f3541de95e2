package requests

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// Questions are the open questions of a session. The zero value has none.
type Questions[F comparable] struct {
	open map[string]*Question[F]
}

// Add adds a question that the user is asked.
func (p *Questions[F]) Add(q *Question[F]) {
	if p.open == nil {
		p.open = map[string]*Question[F]{}
	}
	p.open[q.ID] = q
}

// Len returns how many are open.
func (p *Questions[F]) Len() int { return len(p.open) }

// Get returns an open question, nil if it is not open.
func (p *Questions[F]) Get(id string) *Question[F] { return p.open[id] }

// Remove takes a question off the open ones.
func (p *Questions[F]) Remove(q *Question[F]) { delete(p.open, q.ID) }

// List returns the open questions, ordered by their ids.
func (p *Questions[F]) List() []*Question[F] { return p.where(func(*Question[F]) bool { return true }) }

// From returns the open questions of a connection.
func (p *Questions[F]) From(from F) []*Question[F] {
	return p.where(func(q *Question[F]) bool { return q.From == from })
}

// OfCall returns the open questions that belong to a call of the agent.
func (p *Questions[F]) OfCall(tool string) []*Question[F] {
	return p.where(func(q *Question[F]) bool { return q.Tool == tool })
}

// OfRequest returns the open questions of a request of the agent.
func (p *Questions[F]) OfRequest(r *acp.Request) []*Question[F] {
	return p.where(func(q *Question[F]) bool { return q.Request == r })
}

// Completed returns the open questions of a connection that the params of elicitation/complete are about.
func (p *Questions[F]) Completed(from F, params jsontext.Value) []*Question[F] {
	var done struct {
		ID string `json:"elicitationId"`
	}
	if json.Unmarshal(params, &done) != nil || done.ID == "" {
		return nil
	}
	return p.where(func(q *Question[F]) bool { return q.From == from && q.address == done.ID })
}

func (p *Questions[F]) where(is func(*Question[F]) bool) (list []*Question[F]) {
	for _, id := range slices.Sorted(maps.Keys(p.open)) {
		if q := p.open[id]; is(q) {
			list = append(list, q)
		}
	}
	return list
}

package requests

import (
	"cmp"
	"maps"
	"slices"

	"weft/backend/acp"
	"weft/backend/transcript"
)

// How many operations of an agent wait for the user at most, and how many bytes these hold. Agents that want more are refused.
const (
	maxOperations     = 64
	maxOperationBytes = 64 << 20
)

// Permissions are the open permission requests of a session. The zero value has none.
type Permissions struct {
	open  map[string]*Permission
	added int
	held  int // operations that wait for the user
	bytes int // of these
}

// Add adds a request that the user is asked about.
func (p *Permissions) Add(a *Permission) {
	if p.open == nil {
		p.open = map[string]*Permission{}
	}
	p.added++
	a.n = p.added
	p.open[a.ID] = a
}

// Len returns how many are open.
func (p *Permissions) Len() int { return len(p.open) }

// Get returns an open request, nil if it is not open.
func (p *Permissions) Get(id string) *Permission { return p.open[id] }

// IsOpen reports whether a request is open.
func (p *Permissions) IsOpen(a *Permission) bool { return p.open[a.ID] == a }

// List returns the open requests in the order in which they were added.
func (p *Permissions) List() []*Permission {
	return slices.SortedFunc(maps.Values(p.open), func(a, b *Permission) int { return cmp.Compare(a.n, b.n) })
}

// Asked returns the open requests that are put before the user, in the order in which they were added.
func (p *Permissions) Asked() []*Permission {
	return slices.DeleteFunc(p.List(), func(a *Permission) bool { return a.Behind != nil })
}

// Alike returns the open request that is put before the user and whose answer will decide another one, too, nil if there is none.
func (p *Permissions) Alike(a *Permission) *Permission {
	for _, b := range p.Asked() {
		if b != a && b.Settles(a) {
			return b
		}
	}
	return nil
}

// Of returns the open request that an agent has made by a request of the protocol, nil if there is none.
func (p *Permissions) Of(r *acp.Request) *Permission {
	for _, a := range p.open {
		if a.Request != nil && a.Request == r {
			return a
		}
	}
	return nil
}

// AsksAbout reports whether the user is asked about a call.
func (p *Permissions) AsksAbout(call string) bool {
	for _, a := range p.open {
		if a.Tool == call && a.Behind == nil {
			return true
		}
	}
	return false
}

// End takes a request off the open ones. How is how it ends.
func (p *Permissions) End(a *Permission, how transcript.Resolution) {
	delete(p.open, a.ID)
	a.How = how
}

// Hold counts an operation that waits for the user, and reports false where there are too many. Release must be called afterwards.
func (p *Permissions) Hold(o *Operation) bool {
	if p.held >= maxOperations || p.bytes+o.Size > maxOperationBytes {
		return false
	}
	p.held, p.bytes = p.held+1, p.bytes+o.Size
	return true
}

// Release ends Hold.
func (p *Permissions) Release(o *Operation) { p.held, p.bytes = p.held-1, p.bytes-o.Size }

// Why requests end that nobody answered.
var (
	Stopped   = transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "stop"}}
	Exited    = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "exit"}}
	Shut      = transcript.Resolution{Outcome: "lost", By: &transcript.By{Who: "weft"}}
	Withdrawn = transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}}
)

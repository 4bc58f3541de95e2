package acp

import (
	"slices"

	"weft/backend/acp/scan"
)

// maxLeft is how many sessions of lanes that are gone are remembered.
const maxLeft = 4096

// routes says which lane a message of the agent is for. It is guarded by wire.mu, but for main, which never changes.
type routes struct {
	main     *lane            // of the connection itself
	open     []*lane          // besides main, in the order of their making
	sessions map[string]*lane // by the ids of their sessions
	opening  []*lane          // whose session/new has no answer yet
	left     map[string]bool  // sessions of lanes that are gone
}

// add adds a lane, and reports whether there are several besides main.
func (r *routes) add(l *lane) (several bool) {
	r.open = append(r.open, l)
	return len(r.open) > 1
}

// remove removes a lane, and reports whether there are still several besides main. Its sessions are remembered.
func (r *routes) remove(l *lane) (several bool) {
	r.open = slices.DeleteFunc(r.open, func(o *lane) bool { return o == l })
	r.notOpening(l)
	for id, of := range r.sessions {
		if of == l {
			delete(r.sessions, id)
			if len(r.left) >= maxLeft {
				clear(r.left)
			}
			r.left[id] = true
		}
	}
	return len(r.open) > 1
}

// of returns the lane of a session, main for a session of a lane that is gone, and nil for one that is not known.
func (r *routes) of(session string) *lane {
	if l := r.sessions[session]; l != nil {
		return l
	}
	if r.left[session] {
		return r.main
	}
	return nil
}

// likely returns the lane of a message that names no session that is known; there must be one besides main.
func (r *routes) likely(session string) *lane {
	switch {
	case len(r.open) == 1:
		return r.open[0]
	case len(r.opening) > 0: // its id is not known yet
		return r.opening[0]
	case session != "":
		return r.main
	}
	var busy *lane
	for _, l := range r.open {
		if l.prompts > 0 {
			if busy != nil {
				return r.main
			}
			busy = l
		}
	}
	if busy == nil {
		return r.main
	}
	return busy
}

// opened gives the session that was made to the lane of the call.
func (r *routes) opened(k *call, res *Response) {
	r.notOpening(k.lane)
	id, ok := scan.Label(scan.Member(res.Result, "sessionId"))
	if !ok || id == "" || k.lane == r.main || k.lane.ended {
		return
	}
	k.taken = !r.claim(id, k.lane)
}

// notOpening notes that a session/new of a lane has its answer, or gets none.
func (r *routes) notOpening(l *lane) {
	if i := slices.Index(r.opening, l); i >= 0 {
		r.opening = slices.Delete(r.opening, i, i+1)
	}
}

// claim gives a session to a lane. It reports false if it is another lane's.
func (r *routes) claim(id string, l *lane) bool {
	if of := r.sessions[id]; of != nil && of != l {
		return false
	}
	r.sessions[id] = l
	delete(r.left, id)
	return true
}

// disclaim takes a session from a lane.
func (r *routes) disclaim(id string, l *lane) {
	if r.sessions[id] == l {
		delete(r.sessions, id)
	}
}

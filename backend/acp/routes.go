package acp

import (
	"slices"

	"weft/backend/base/scan"
)

// maxLeft is the maximum number of remembered sessions whose lanes have left.
const maxLeft = 4096

// routes maps messages from the agent to lanes. It is guarded by wire.mu, except main, which never changes.
type routes struct {
	main     *lane            // of the connection itself
	open     []*lane          // without main, oldest first
	sessions map[string]*lane // by session id
	opening  []*lane          // lanes with a session/new or session/fork in progress
	left     map[string]bool  // ids of sessions whose lanes have left
}

// add adds a lane and reports whether there are now several, not counting main.
func (r *routes) add(l *lane) (several bool) {
	r.open = append(r.open, l)
	return len(r.open) > 1
}

// remove removes a lane, remembers its sessions in left, and reports whether there are still several lanes, not
// counting main.
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

// of returns the lane of a session, main if that lane has left, or nil if the session is unknown.
func (r *routes) of(session string) *lane {
	if l := r.sessions[session]; l != nil {
		return l
	}
	if r.left[session] {
		return r.main
	}
	return nil
}

// likely guesses the lane of a message without a known session. There must be a lane besides main.
func (r *routes) likely(session string) *lane {
	switch {
	case len(r.open) == 1:
		return r.open[0]
	case len(r.opening) > 0: // the message may be for a session whose id is still unknown
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

// opened assigns the session in res to the lane of the call that created it.
func (r *routes) opened(k *call, res *Response) {
	r.notOpening(k.lane)
	id, ok := scan.Label(scan.Member(res.Result, "sessionId"))
	if !ok || id == "" || k.lane == r.main || k.lane.ended {
		return
	}
	k.taken = !r.claim(id, k.lane)
}

// notOpening notes that a lane's session/new or session/fork has ended.
func (r *routes) notOpening(l *lane) {
	if i := slices.Index(r.opening, l); i >= 0 {
		r.opening = slices.Delete(r.opening, i, i+1)
	}
}

// claim assigns a session to a lane. It returns false if another lane has it.
func (r *routes) claim(id string, l *lane) bool {
	if of := r.sessions[id]; of != nil && of != l {
		return false
	}
	r.sessions[id] = l
	delete(r.left, id)
	return true
}

// unclaim undoes claim.
func (r *routes) unclaim(id string, l *lane) {
	if r.sessions[id] == l {
		delete(r.sessions, id)
	}
}

package runs

import (
	"maps"
	"slices"
	"sync"

	"weft/backend/pending"
	"weft/backend/permission"
)

// openSpaces is which spaces have a runtime. No lock of a space is taken while its own is held.
type openSpaces struct {
	mu       sync.Mutex
	spaces   map[string]*spaceRuntime     // by space
	recalled map[string][]pending.Request // what waits in spaces without a runtime
	coming   map[string]int               // spaces that are being read
	modes    map[string]permission.Mode   // of these, as they were set meanwhile
	closed   bool
}

func newOpenSpaces() openSpaces {
	return openSpaces{spaces: map[string]*spaceRuntime{}, recalled: map[string][]pending.Request{}, coming: map[string]int{}, modes: map[string]permission.Mode{}}
}

// open returns the runtime of a space if there is one.
func (o *openSpaces) open(spaceID string) *spaceRuntime {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spaces[spaceID]
}

// begin returns the runtime of a space, or notes that it is about to be read: [openSpaces.came] must follow. Error: closing.
func (o *openSpaces) begin(spaceID string) (*spaceRuntime, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.spaces[spaceID]; r != nil {
		return r, nil
	}
	if o.closed {
		return nil, &Error{Code: "closing", Message: "Weft is closing."}
	}
	o.coming[spaceID]++
	return nil, nil
}

// came notes that a space was read, or could not be.
func (o *openSpaces) came(spaceID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.coming[spaceID]--; o.coming[spaceID] == 0 {
		delete(o.coming, spaceID)
		delete(o.modes, spaceID)
	}
}

// add makes the runtime of a space that was read, unless someone else has meanwhile.
func (o *openSpaces) add(space Space, make func(Space) *spaceRuntime) *spaceRuntime {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.spaces[space.ID]; r != nil {
		return r
	}
	if mode, ok := o.modes[space.ID]; ok {
		space.Mode = mode // set after the space was read
	}
	r := make(space)
	o.spaces[space.ID] = r
	delete(o.recalled, space.ID)
	return r
}

// setMode keeps the mode of a space that is being read, and returns the runtime of one that was, nil if there is none.
func (o *openSpaces) setMode(spaceID string, mode permission.Mode) *spaceRuntime {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.coming[spaceID] > 0 {
		o.modes[spaceID] = mode
	}
	return o.spaces[spaceID]
}

// recall keeps what waits in a space, unless it has a runtime, which knows.
func (o *openSpaces) recall(spaceID string, waits []pending.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(waits) > 0 && o.spaces[spaceID] == nil {
		o.recalled[spaceID] = waits
	}
}

// waitingIn is what waits in a space without a runtime.
func (o *openSpaces) waitingIn(spaceID string) []pending.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.recalled[spaceID]
}

// take removes the runtime of a space, and returns it; nil if there was none.
func (o *openSpaces) take(spaceID string) *spaceRuntime {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.spaces[spaceID]
	delete(o.spaces, spaceID)
	return r
}

// closeAll removes all runtimes, and returns them. No space is opened any more.
func (o *openSpaces) closeAll() []*spaceRuntime {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	runtimes := slices.Collect(maps.Values(o.spaces))
	o.spaces = map[string]*spaceRuntime{}
	return runtimes
}

// known returns the session of a member if there is one; "" is the default member.
func (o *openSpaces) known(spaceID, memberID string) *Session {
	r := o.open(spaceID)
	if r == nil {
		return nil
	}
	r.Lock()
	defer r.Unlock()
	member, _ := r.space.Member(memberID)
	return r.sessions[member.ID]
}

// here returns the sessions of a space that there are, in the order in which their members came.
func (o *openSpaces) here(spaceID string) []*Session {
	r := o.open(spaceID)
	if r == nil {
		return nil
	}
	r.Lock()
	defer r.Unlock()
	return r.inOrder()
}

// all returns the sessions of all spaces, in no order.
func (o *openSpaces) all() []*Session {
	o.mu.Lock()
	runtimes := slices.Collect(maps.Values(o.spaces))
	o.mu.Unlock()
	var list []*Session
	for _, r := range runtimes {
		r.Lock()
		list = append(list, slices.Collect(maps.Values(r.sessions))...)
		r.Unlock()
	}
	return list
}

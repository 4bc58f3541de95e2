package runs

import (
	"maps"
	"slices"

	"weft/backend/openspaces"
)

// openSpaces is the spaces that are open, and the sessions in them.
type openSpaces struct {
	spaces openspaces.Set[*spaceRuntime]
}

// open returns the runtime of a space if there is one.
func (o *openSpaces) open(spaceID string) *spaceRuntime { return o.spaces.Get(spaceID) }

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
func (o *openSpaces) all() (list []*Session) {
	for r := range o.spaces.All() {
		r.Lock()
		list = append(list, slices.Collect(maps.Values(r.sessions))...)
		r.Unlock()
	}
	return list
}

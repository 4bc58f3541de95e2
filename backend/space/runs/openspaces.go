package runs

import (
	"maps"
	"slices"

	"weft/backend/space/openspaces"
)

// openSpaces are the spaces that have a runtime.
type openSpaces struct {
	spaces openspaces.Set[*spaceRuntime]
}

// open returns the runtime of a space, or nil.
func (o *openSpaces) open(spaceID string) *spaceRuntime { return o.spaces.Get(spaceID) }

// known returns the session of a member ("": the default member), or nil.
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

// here returns the sessions of a space in the order of its members.
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

package mentions

import (
	"context"
	"slices"
	"time"

	"weft/backend/fault"
	"weft/backend/quantity"
)

// OpenReply is a run that waits for any reply in a space: what the user writes there, or what a member says there.
type OpenReply struct {
	ID       string
	RunID    string
	MemberID string // of the space, that waits
	Name     string // of this member
	Text     string // what it has said
	At       int64  // unix ms

	got chan Reply
}

// Reply is what was said to one that waits for any reply.
type Reply struct {
	From string // the name of a member, or [User]
	Text string
}

// User is what an agent is told as the author of a reply of the user.
const User = "the user"

// NewOpenReply returns a copy of o that waits.
func NewOpenReply(o OpenReply) *OpenReply {
	o.got = make(chan Reply, 1)
	return &o
}

// Give ends the wait. It must be called once at most, and doesn't block.
func (o *OpenReply) Give(r Reply) { o.got <- r }

// Await blocks until there is a reply, the run is over, or the limit is reached. Errors: timeout, cancelled, and that of ctx.
func (o *OpenReply) Await(ctx context.Context, over <-chan struct{}, limit time.Duration) (Reply, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case got := <-o.got:
		return got, nil
	case <-timer.C:
		return Reply{}, fault.New(fault.Timeout, "there was no answer within {{time}}. A later answer appears in the space.", quantity.Seconds(limit))
	case <-over:
		return Reply{}, fault.New(fault.Cancelled, "The run has ended.")
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
}

// OpenReplies are those that wait for any reply in one space, the one that has waited longest first. The zero value has none.
type OpenReplies struct{ list []*OpenReply }

// All returns those that wait. It must not be changed, and doesn't change.
func (l *OpenReplies) All() []*OpenReply { return l.list }

// Get returns the one with an id, "" for the one that has waited longest; nil if there is none.
func (l *OpenReplies) Get(id string) *OpenReply {
	for _, o := range l.list {
		if id == "" || o.ID == id {
			return o
		}
	}
	return nil
}

// Add adds one that waits from now on.
func (l *OpenReplies) Add(o *OpenReply) { l.list = append(slices.Clone(l.list), o) }

// Remove ends a wait and reports whether there was one.
func (l *OpenReplies) Remove(o *OpenReply) bool {
	return len(l.remove(func(x *OpenReply) bool { return x == o })) > 0
}

// Heard removes and returns those to whom what a member says in the space is a reply: all but itself, and the run that says it.
func (l *OpenReplies) Heard(memberID, runID string) []*OpenReply {
	return l.remove(func(o *OpenReply) bool { return o.RunID != runID && o.MemberID != memberID })
}

func (l *OpenReplies) remove(which func(*OpenReply) bool) (removed []*OpenReply) {
	var left []*OpenReply
	for _, o := range l.list {
		if which(o) {
			removed = append(removed, o)
		} else {
			left = append(left, o)
		}
	}
	l.list = left
	return removed
}

package mentions

import (
	"context"
	"slices"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// OpenReply is a run that waits for any reply in a space, from the user or from a member.
type OpenReply struct {
	ID       string
	RunID    string
	MemberID string // the waiting member of the space
	Name     string // of this member
	Text     string // what it said
	At       int64  // unix ms

	got    chan Reply
	forgot chan struct{} // closed when nobody waits any more
}

// Reply is the answer to an [OpenReply].
type Reply struct {
	From string // the name of a member, or [User]
	Text string
}

// User is the [Reply.From] of a reply by the user.
const User = "the user"

// NewOpenReply returns a copy of o that can be awaited.
func NewOpenReply(o OpenReply) *OpenReply {
	o.got, o.forgot = make(chan Reply, 1), make(chan struct{})
	return &o
}

// Give ends the wait. It must be called at most once, and doesn't block.
func (o *OpenReply) Give(r Reply) { o.got <- r }

// Await blocks until there is a reply, over is closed, limit has passed (timeout), or ctx is done. If over is closed,
// the error is cancelled.
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

// Forget marks the wait as over. An entry that isn't listed yet will not be: its message may still be on its way. It
// must be called at most once.
func (o *OpenReply) Forget() { close(o.forgot) }

// OpenReplies lists the runs that wait for any reply in one space, oldest first. The zero value is empty.
type OpenReplies struct{ list []*OpenReply }

// All returns a snapshot of the list. The caller must not change it.
func (l *OpenReplies) All() []*OpenReply { return l.list }

// Get returns the entry with the given id, or the oldest one if id is "". It returns nil if there is none.
func (l *OpenReplies) Get(id string) *OpenReply {
	for _, o := range l.list {
		if id == "" || o.ID == id {
			return o
		}
	}
	return nil
}

// Add appends an entry, unless it was forgotten, and reports whether it did.
func (l *OpenReplies) Add(o *OpenReply) bool {
	select {
	case <-o.forgot:
		return false
	default:
		l.list = append(slices.Clone(l.list), o)
		return true
	}
}

// Remove removes an entry and reports whether it was in the list.
func (l *OpenReplies) Remove(o *OpenReply) bool {
	return len(l.remove(func(x *OpenReply) bool { return x == o })) > 0
}

// Heard removes and returns the entries that a member's text in the space replies to: all except those of the same
// member or run.
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

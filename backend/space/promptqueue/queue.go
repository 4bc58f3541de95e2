// Package promptqueue keeps the prompts of a space that wait until their member's turn has ended.
//
// A [Queue] is a value: its methods never change copies of it, so a change can be undone. It has no lock and calls
// nobody: reply waiters of removed prompts are returned. [Queue.Encode] returns the form that is stored.
package promptqueue

import (
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/mentions"
	"weft/backend/space/prompt"
)

// Prompt starts a run. It waits in the queue of the space until the current turn of its member has ended.
type Prompt struct {
	ID    string              `json:"id"`
	Text  string              `json:"text"`
	Parts []prompt.Attachment `json:"parts,omitempty"`
	At    int64               `json:"at"` // unix ms
	// MemberID is the recipient.
	MemberID string `json:"memberId"`
	// Said is the id of the message that already has the text; "": the text becomes a message.
	Said string `json:"said"`
	// From is the name of the member that sent it; "" is the user.
	From string `json:"from"`
	// Group is the same for prompts that the user sent to several members at once; they become one message.
	Group string `json:"group,omitzero"`
	// Limit is the permission mode of the sender's space or run if that restricts it; "" is no limit. See [requests.Mode].
	Limit permission.Mode `json:"limit,omitzero"`
	// Held means that the user has stopped a turn of the member since: it waits until it is sent explicitly, or the
	// queue is resumed.
	Held bool `json:"held,omitzero"`

	// Budget is the budget of the prompt that led to it; nil: the user's. It isn't stored.
	Budget *mentions.Budget `json:"-"`
	// Depth is how many mentions have led to it.
	Depth int `json:"-"`
	// Reply waits for the reply to it, or is nil.
	Reply *mentions.ReplyWaiter `json:"-"`
}

// Queue has the waiting prompts of a space, in the order in which they were added unless one was moved. The zero
// value is empty.
type Queue struct{ list []Prompt } // the list is never changed in place

// Read parses a stored queue.
func Read(raw []byte) (Queue, error) {
	var list []Prompt
	if err := json.Unmarshal(raw, &list); err != nil {
		return Queue{}, err
	}
	for i := range list {
		if list[i].MemberID == "" {
			list[i].MemberID = transcript.MainMember
		}
	}
	return Queue{list}, nil
}

// Encode returns the queue in its stored form.
func (q *Queue) Encode() ([]byte, error) {
	if q.list == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(q.list)
}

// All returns the waiting prompts. The caller must not change them.
func (q *Queue) All() []Prompt { return q.list }

// Add appends a prompt.
func (q *Queue) Add(p Prompt) { q.list = append(slices.Clone(q.list), p) }

// Find returns the prompt with the id.
func (q *Queue) Find(id string) (p Prompt, ok bool) {
	return q.first(func(p Prompt) bool { return p.ID == id })
}

// Next returns the next prompt for a member that isn't held.
func (q *Queue) Next(memberID string) (p Prompt, ok bool) {
	return q.first(func(p Prompt) bool { return p.MemberID == memberID && !p.Held })
}

// Hold holds a member's waiting prompts, and reports whether that changes anything. Prompts that are added later
// aren't held.
func (q *Queue) Hold(memberID string) bool { return q.hold(memberID, true) }

// Resume releases a member's held prompts, and reports whether that changes anything.
func (q *Queue) Resume(memberID string) bool { return q.hold(memberID, false) }

func (q *Queue) hold(memberID string, held bool) bool {
	of := func(p Prompt) bool { return p.MemberID == memberID && p.Held != held }
	if _, any := q.first(of); !any {
		return false
	}
	q.change(func(p *Prompt) bool { return of(*p) }, func(p *Prompt) { p.Held = held })
	return true
}

func (q *Queue) first(is func(Prompt) bool) (p Prompt, ok bool) {
	if i := slices.IndexFunc(q.list, is); i >= 0 {
		return q.list[i], true
	}
	return p, false
}

// Remove removes a prompt.
func (q *Queue) Remove(id string) {
	q.list = slices.DeleteFunc(slices.Clone(q.list), func(p Prompt) bool { return p.ID == id })
}

// RemoveMember removes and returns a member's prompts.
func (q *Queue) RemoveMember(memberID string) (removed []Prompt) {
	var kept []Prompt
	for _, p := range q.list {
		if p.MemberID == memberID {
			removed = append(removed, p)
		} else {
			kept = append(kept, p)
		}
	}
	if len(removed) > 0 {
		q.list = kept
	}
	return removed
}

// Said records the message with the text of a prompt that was sent: the rest of its group uses the same message.
func (q *Queue) Said(sent Prompt, messageID string) {
	if sent.Group != "" {
		q.change(func(p *Prompt) bool { return p.Group == sent.Group }, func(p *Prompt) { p.Said = messageID })
	}
}

// Edit changes the text of a prompt and its group, or removes the prompt if text is empty. It returns the previous
// version. Errors: [ErrSent], and invalid if its text is already in the conversation.
func (q *Queue) Edit(id, text string) (was Prompt, err error) {
	was, ok := q.Find(id)
	switch {
	case !ok:
		return was, ErrSent
	case text == "":
		q.Remove(id)
	case was.Said != "":
		return was, fault.New("invalid", "This prompt is already in the conversation, so it can't be edited. You can remove it from the queue.")
	default:
		q.change(func(p *Prompt) bool { return p.ID == id || was.Group != "" && p.Group == was.Group }, func(p *Prompt) { p.Text = text })
	}
	return was, nil
}

// Move puts a prompt before another waiting one, or at the end if before is "". A member gets its prompts in the
// order of the queue, so the order of prompts for different members matters only for display. Errors: [ErrBegun] if
// the prompt no longer waits, [ErrMoved] if the other one doesn't.
func (q *Queue) Move(id, before string) error {
	p, ok := q.Find(id)
	if !ok {
		return ErrBegun
	}
	if id == before {
		return nil
	}
	at := len(q.list) - 1 // after its removal
	rest := slices.DeleteFunc(slices.Clone(q.list), func(p Prompt) bool { return p.ID == id })
	if before != "" {
		if at = slices.IndexFunc(rest, func(p Prompt) bool { return p.ID == before }); at < 0 {
			return ErrMoved
		}
	}
	q.list = slices.Insert(rest, at, p)
	return nil
}

// Abandon removes and returns all reply waiters, because nothing will be sent anymore.
func (q *Queue) Abandon() (waiters []*mentions.ReplyWaiter) {
	for i := range q.list {
		waiters = append(waiters, q.list[i].Reply)
	}
	q.change(func(*Prompt) bool { return true }, func(p *Prompt) { p.Reply = nil })
	return waiters
}

func (q *Queue) change(of func(*Prompt) bool, to func(*Prompt)) {
	q.list = slices.Clone(q.list)
	for i := range q.list {
		if of(&q.list[i]) {
			to(&q.list[i])
		}
	}
}

// Blobs returns the hashes of the attachments of all prompts, never nil.
func (q *Queue) Blobs() map[string]bool {
	hashes := map[string]bool{}
	for i := range q.list {
		for _, part := range q.list[i].Parts {
			if part.Blob != nil {
				hashes[part.Blob.Hash] = true
			}
		}
	}
	return hashes
}

var (
	// ErrSent means that the prompt no longer waits.
	ErrSent = fault.New("not_found", "This prompt was already sent.")
	// ErrBegun means that the prompt to move no longer waits.
	ErrBegun = fault.New("not_found", "The agent has already begun this prompt, so it can't be moved.")
	// ErrMoved means that the prompt to move before no longer waits.
	ErrMoved = fault.New("changed", "The queue has changed: the agent has already begun the next prompt. Try again.")
)

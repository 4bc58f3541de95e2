// Package promptqueue keeps the prompts of a space that wait until their member has ended its turn.
//
// A [Queue] is a value: its methods change it, and a copy of it stays as it was, so that a change can be taken back. It has no lock, and nobody is
// told anything: who waits for a reply to a prompt that is removed is returned. [Queue.Encode] is what the store keeps of it.
package promptqueue

import (
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/fault"
	"weft/backend/mentions"
	"weft/backend/permission"
	"weft/backend/prompt"
	"weft/backend/transcript"
)

// Prompt is what a run is started with. It waits in the space's queue until the turn of its member has ended.
type Prompt struct {
	ID    string              `json:"id"`
	Text  string              `json:"text"`
	Parts []prompt.Attachment `json:"parts,omitempty"`
	At    int64               `json:"at"` // unix ms
	// MemberID is who is asked.
	MemberID string `json:"memberId"`
	// Said is the message that holds the words already, "" where they become one.
	Said string `json:"said"`
	// From is the member that asks, by its name; "" is the user.
	From string `json:"from"`
	// Group is the same for what the user said once to several members; one message comes of it.
	Group string `json:"group,omitzero"`
	// Limit is the mode of the one that asks, where its own space or run is limited to it; "" is no limit. See [asking.Mode].
	Limit permission.Mode `json:"limit,omitzero"`
	// Held says that the user has stopped a turn of the member since: it waits until it is sent by itself, or the queue is resumed.
	Held bool `json:"held,omitzero"`

	// Budget is that of the prompt that it comes of; nil: it is that of the user. It ends with the app.
	Budget *mentions.Budget `json:"-"`
	// Depth is how many mentions have led to it.
	Depth int `json:"-"`
	// Reply is who waits for what comes of it, nil if nobody does.
	Reply *mentions.ReplyWaiter `json:"-"`
}

// Queue are the prompts that wait in a space: in the order in which they were added, until one is moved. The zero value has none.
type Queue struct{ list []Prompt } // the list is never changed in place

// Read returns the queue that was stored.
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

// Encode returns the queue as it is stored.
func (q *Queue) Encode() ([]byte, error) {
	if q.list == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(q.list)
}

// All returns the prompts that wait. The caller must not change them.
func (q *Queue) All() []Prompt { return q.list }

// Add adds a prompt behind all others.
func (q *Queue) Add(p Prompt) { q.list = append(slices.Clone(q.list), p) }

// Find returns a prompt by its id.
func (q *Queue) Find(id string) (p Prompt, ok bool) {
	return q.first(func(p Prompt) bool { return p.ID == id })
}

// Next returns the prompt that a member gets next by itself.
func (q *Queue) Next(memberID string) (p Prompt, ok bool) {
	return q.first(func(p Prompt) bool { return p.MemberID == memberID && !p.Held })
}

// Hold holds what waits for a member, and reports whether that changes anything. What is added later isn't held.
func (q *Queue) Hold(memberID string) bool { return q.hold(memberID, true) }

// Resume has what is held for a member wait for its turn again, and reports whether that changes anything.
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

// Remove takes a prompt out of the queue.
func (q *Queue) Remove(id string) {
	q.list = slices.DeleteFunc(slices.Clone(q.list), func(p Prompt) bool { return p.ID == id })
}

// RemoveMember takes what waits for a member out of the queue and returns it.
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

// Said notes the message that holds the words of a prompt that was sent: the others of its group are asked the same.
func (q *Queue) Said(sent Prompt, messageID string) {
	if sent.Group != "" {
		q.change(func(p *Prompt) bool { return p.Group == sent.Group }, func(p *Prompt) { p.Said = messageID })
	}
}

// Edit changes the text of a prompt, and of the others of its group, or removes it if the text is empty. It returns the prompt as it was. Errors:
// [ErrSent], and invalid where its words are in the conversation already.
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

// Move puts a prompt before another one that waits, or behind all others if before is "". A member gets its prompts in the order of the queue, so among
// prompts for different members it changes nothing but what is shown. Errors: [ErrBegun] where the prompt doesn't wait any more, [ErrMoved] where the
// other one doesn't.
func (q *Queue) Move(id, before string) error {
	p, ok := q.Find(id)
	if !ok {
		return ErrBegun
	}
	if id == before {
		return nil
	}
	at := len(q.list) - 1 // once it is taken out
	rest := slices.DeleteFunc(slices.Clone(q.list), func(p Prompt) bool { return p.ID == id })
	if before != "" {
		if at = slices.IndexFunc(rest, func(p Prompt) bool { return p.ID == before }); at < 0 {
			return ErrMoved
		}
	}
	q.list = slices.Insert(rest, at, p)
	return nil
}

// Abandon forgets who waits for replies to the prompts, and returns them: nothing is sent any more.
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

// Blobs returns the hashes of what goes along with the prompts; not nil.
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
	// ErrSent is the error of a prompt that doesn't wait.
	ErrSent = fault.New("not_found", "This prompt was already sent.")
	// ErrBegun is the error of a prompt that is moved and doesn't wait.
	ErrBegun = fault.New("not_found", "The agent has already begun this prompt, so it can't be moved.")
	// ErrMoved is the error of a prompt that is moved before one that doesn't wait.
	ErrMoved = fault.New("changed", "The queue has changed: the agent has already begun the next prompt. Try again.")
)

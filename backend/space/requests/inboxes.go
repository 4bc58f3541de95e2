package requests

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// Inboxes are the inboxes of all sessions of a space.
type Inboxes []*Inbox

// Answers returns the resolution by which the user ends a permission request.
type Answers func(*Permission) (transcript.Resolution, error)

// permission returns an open permission request and its inbox, or nil.
func (ds Inboxes) permission(id string) (*Inbox, *Permission) {
	for _, d := range ds {
		if a := d.Permissions.open.Get(id); a != nil {
			return d, a
		}
	}
	return nil, nil
}

// question returns an open question and its inbox, or nil.
func (ds Inboxes) question(id string) (*Inbox, *Question) {
	for _, d := range ds {
		if q := d.Questions.open.Get(id); q != nil {
			return d, q
		}
	}
	return nil, nil
}

// Waiting returns everything that waits for the user: for each inbox, the permission requests and then the questions.
func (ds Inboxes) Waiting() (list []Wait) {
	for _, d := range ds {
		for _, a := range d.Permissions.List() {
			list = append(list, a.wait())
		}
		for _, q := range d.Questions.List() {
			list = append(list, q.wait())
		}
	}
	return list
}

// CanAnswer returns nil if a permission request can end as how decides. Errors: [ErrNotWaiting], and those of how.
func (ds Inboxes) CanAnswer(id string, how Answers) error {
	_, a := ds.permission(id)
	if a == nil {
		return ErrNotWaiting
	}
	_, err := how(a)
	return err
}

// Answer ends a permission request as how decides. Errors are those of [Inboxes.CanAnswer].
func (ds Inboxes) Answer(id string, how Answers) error {
	d, a := ds.permission(id)
	if a == nil {
		return ErrNotWaiting
	}
	r, err := how(a)
	if err == nil {
		d.Permissions.resolve([]*Permission{a}, []transcript.Resolution{r})
	}
	return err
}

// RefuseAll rejects all open permission requests and returns their number. An agent without an option to reject gets
// "cancelled".
func (ds Inboxes) RefuseAll() (n int) {
	for _, d := range ds {
		asks := d.Permissions.open.List()
		how := make([]transcript.Resolution, len(asks))
		for i, a := range asks {
			how[i], _ = a.Answered(permission.Reject, nil)
		}
		if len(asks) > 0 {
			d.Permissions.resolve(asks, how)
		}
		n += len(asks)
	}
	return n
}

// Call returns the call of an open permission request, and the place in which it is evaluated. Error: [ErrNotWaiting].
func (ds Inboxes) Call(id string) (permission.Call, permission.Place, error) {
	d, a := ds.permission(id)
	if a == nil {
		return permission.Call{}, permission.Place{}, ErrNotWaiting
	}
	at := d.Permissions.session.Place
	at.Disk = nil // of a step
	return a.Call, at, nil
}

// Asks returns [ErrNotWaiting] if a question isn't open.
func (ds Inboxes) Asks(id string) error {
	if _, q := ds.question(id); q == nil {
		return ErrNotWaiting
	}
	return nil
}

// AnswerQuestion ends a question: accept with the content of the form (an object, or none for a URL), decline, or
// cancel, which gives no answer. Errors: [ErrNotWaiting], and those of [Question.Answered].
func (ds Inboxes) AnswerQuestion(id, do string, content jsontext.Value) error {
	d, q := ds.question(id)
	if q == nil {
		return ErrNotWaiting
	}
	return d.Questions.answer(q, do, content)
}

package asking

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/pending"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// Desks are those of a space.
type Desks []*Desk

// Answers returns how the user ends a permission request.
type Answers func(*requests.Permission) (transcript.Resolution, error)

// permission returns an open permission request and the desk that it is on, nil if it isn't open.
func (ds Desks) permission(id string) (*Desk, *requests.Permission) {
	for _, d := range ds {
		if a := d.Permissions.open.Get(id); a != nil {
			return d, a
		}
	}
	return nil, nil
}

// question returns an open question and the desk that it is on, nil if it isn't open.
func (ds Desks) question(id string) (*Desk, *Question) {
	for _, d := range ds {
		if q := d.Questions.open.Get(id); q != nil {
			return d, q
		}
	}
	return nil, nil
}

// Waiting returns what waits for the user: of each desk the permission requests, and then the questions.
func (ds Desks) Waiting() (list []pending.Request) {
	for _, d := range ds {
		for _, a := range d.Permissions.List() {
			list = append(list, pending.Permission(a))
		}
		for _, q := range d.Questions.List() {
			list = append(list, pending.Question(q))
		}
	}
	return list
}

// CanAnswer returns why a permission request can't end as how says, nil if it can. Errors: [ErrNotWaiting], and those of how.
func (ds Desks) CanAnswer(id string, how Answers) error {
	_, a := ds.permission(id)
	if a == nil {
		return ErrNotWaiting
	}
	_, err := how(a)
	return err
}

// Answer ends a permission request as how says. Errors are those of [Desks.CanAnswer].
func (ds Desks) Answer(id string, how Answers) error {
	d, a := ds.permission(id)
	if a == nil {
		return ErrNotWaiting
	}
	r, err := how(a)
	if err == nil {
		d.Permissions.resolve([]*requests.Permission{a}, []transcript.Resolution{r})
	}
	return err
}

// RefuseAll refuses all open permission requests and returns how many that were. Where an agent offers no answer that refuses, it is told "cancelled".
func (ds Desks) RefuseAll() (n int) {
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

// Call returns what an open permission request is about, and the space's folder that it is read in. Error: [ErrNotWaiting].
func (ds Desks) Call(id string) (permission.Call, permission.Place, error) {
	d, a := ds.permission(id)
	if a == nil {
		return permission.Call{}, permission.Place{}, ErrNotWaiting
	}
	return a.Call, d.Permissions.session.Place, nil
}

// Asks returns an error if a question isn't open: [ErrNotWaiting].
func (ds Desks) Asks(id string) error {
	if _, q := ds.question(id); q == nil {
		return ErrNotWaiting
	}
	return nil
}

// AnswerQuestion ends a question as the user says: accept with the content of the form (an object; none for an address), decline, or cancel, which
// says nothing. Errors: [ErrNotWaiting], and those of [requests.Question.Answered].
func (ds Desks) AnswerQuestion(id, do string, content jsontext.Value) error {
	d, q := ds.question(id)
	if q == nil {
		return ErrNotWaiting
	}
	return d.Questions.answer(q, do, content)
}

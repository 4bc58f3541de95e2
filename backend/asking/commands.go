package asking

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/owner"
)

// Answering returns the command that ends a permission request as the user says; where that can't be stored it stays open. desks is called with the lock of
// the space. Errors are those of [Desks.CanAnswer].
func Answering(desks func() Desks, id string, how Answers) owner.Command {
	return owner.Command{
		Final:  true,
		Before: func() error { return desks().CanAnswer(id, how) },
		Change: func() (then, undo func(), err error) { return nil, nil, desks().Answer(id, how) },
	}
}

// AnsweringQuestion returns the command that ends a question as [Desks.AnswerQuestion] does. desks is called with the lock of the space.
func AnsweringQuestion(desks func() Desks, id, do string, content jsontext.Value) owner.Command {
	return owner.Command{
		Final:  true,
		Before: func() error { return desks().Asks(id) },
		Change: func() (then, undo func(), err error) { return nil, nil, desks().AnswerQuestion(id, do, content) },
	}
}

// RefusingAll returns the command of [Desks.RefuseAll], and sets n to how many requests that were. desks is called with the lock of the space.
func RefusingAll(desks func() Desks, n *int) owner.Command {
	return owner.Command{Final: true, Change: func() (then, undo func(), err error) {
		*n = desks().RefuseAll()
		return nil, nil, nil
	}}
}

package requests

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/space/owner"
)

// AnswerCommand returns a command that ends a permission request as the user decided. If that can't be stored, the
// request stays open. inboxes is called with the lock of the space. Errors are those of [Inboxes.CanAnswer].
func AnswerCommand(inboxes func() Inboxes, id string, how Answers) owner.Command {
	return owner.Command{
		Final:  true,
		Before: func() error { return inboxes().CanAnswer(id, how) },
		Change: func() (then, undo func(), err error) { return nil, nil, inboxes().Answer(id, how) },
	}
}

// AnswerQuestionCommand returns a command that ends a question like [Inboxes.AnswerQuestion]. inboxes is called with
// the lock of the space.
func AnswerQuestionCommand(inboxes func() Inboxes, id, do string, content jsontext.Value) owner.Command {
	return owner.Command{
		Final:  true,
		Before: func() error { return inboxes().Asks(id) },
		Change: func() (then, undo func(), err error) { return nil, nil, inboxes().AnswerQuestion(id, do, content) },
	}
}

// RefuseAllCommand returns a command that calls [Inboxes.RefuseAll] and sets n to the number of requests. inboxes is
// called with the lock of the space.
func RefuseAllCommand(inboxes func() Inboxes, n *int) owner.Command {
	return owner.Command{Final: true, Change: func() (then, undo func(), err error) {
		*n = inboxes().RefuseAll()
		return nil, nil, nil
	}}
}

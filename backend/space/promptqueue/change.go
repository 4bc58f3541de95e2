package promptqueue

import "weft/backend/base/fault"

// Change changes a queue, or returns an error without having changed it. then, if not nil, is called once the change
// is stored.
type Change func(*Queue) (then func(), err error)

// Editing returns a [Change] that calls [Queue.Edit]. If that removes the prompt, whoever waits for its reply gets an
// error.
func Editing(id, text string) Change {
	return func(q *Queue) (then func(), err error) {
		p, err := q.Edit(id, text)
		if err == nil && text == "" {
			then = func() {
				p.Reply.Give("", fault.New(fault.Cancelled, "The user removed it from the queue, so there will be no reply."))
			}
		}
		return then, err
	}
}

// Resuming returns a [Change] that calls [Queue.Resume].
func Resuming(memberID string) Change {
	return func(q *Queue) (then func(), err error) {
		q.Resume(memberID)
		return nil, nil
	}
}

// Moving returns a [Change] that calls [Queue.Move].
func Moving(id, before string) Change {
	return func(q *Queue) (then func(), err error) { return nil, q.Move(id, before) }
}

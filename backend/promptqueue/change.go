package promptqueue

import "weft/backend/fault"

// Change changes a queue, or returns why it doesn't; then it has changed nothing. What it returns, where that isn't nil, is called once the
// change is stored.
type Change func(*Queue) (then func(), err error)

// Editing returns the change of [Queue.Edit]. Whoever waits for the reply to a prompt that it removes is told.
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

// Resuming returns the change of [Queue.Resume].
func Resuming(memberID string) Change {
	return func(q *Queue) (then func(), err error) {
		q.Resume(memberID)
		return nil, nil
	}
}

// Moving returns the change of [Queue.Move].
func Moving(id, before string) Change {
	return func(q *Queue) (then func(), err error) { return nil, q.Move(id, before) }
}

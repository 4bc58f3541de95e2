package runs

import (
	"errors"

	"weft/backend/store"
)

// command is what the user does to a space. It is refused where it can't be stored, and has then changed nothing: everything that has happened before
// is stored first, then the change. Nothing else happens in the space meanwhile.
type command struct {
	// change changes the space, or returns why it doesn't; then it has changed nothing. What it returns is called with the lock: then once the change
	// is stored, undo where it can't be. Either may be nil.
	change func() (then, undo func(), err error)
	// final is for what can't be taken back, such as the end of a request: the store first has to show that it takes something.
	final bool
	// before is called with the lock, before anything else; nil: nothing. What it changes stays. Its error ends the command.
	before func() error
	// done is told what came of it. It must not block.
	done func(err error)

	stage commandStage
	then  func()
	undo  func()
}

type commandStage int

const (
	draining commandStage = iota // what has happened before is being stored
	probing                      // the store is asked whether it takes something
	saving                       // the change is being stored
)

// do carries out a command of the user and waits for it. The lock must not be held.
func (r *room) do(c command) error {
	done := make(chan error, 1)
	c.done = func(err error) { done <- err }
	r.step(func() { r.submit(&c) })
	return <-done
}

// submit takes a command of the user. The lock is held.
func (r *room) submit(c *command) {
	r.commands = append(r.commands, c)
	if r.command == nil {
		r.nextCommand()
	}
}

func (r *room) nextCommand() {
	if len(r.commands) == 0 {
		return
	}
	c := r.commands[0]
	r.commands = r.commands[1:]
	r.command, r.held = c, true
	if c.before != nil {
		if err := c.before(); err != nil {
			r.ended(c, err)
			return
		}
	}
	r.advance(c)
}

// advance continues the command that is being carried out. The lock is held.
func (r *room) advance(c *command) {
	switch {
	case r.lost:
		r.ended(c, errClosing)
	case c.stage == saving:
		if r.trouble != nil {
			r.ended(c, notSavedYet(r.trouble))
		} else {
			r.ended(c, nil)
		}
	case c.stage == draining && r.trouble != nil:
		r.ended(c, notSaved(r.trouble))
	case c.stage == draining:
		if r.flush(); r.flight != nil {
			return // stored continues it
		}
		if c.stage = probing; !c.final {
			r.change(c)
			return
		}
		r.w.probe(func(err error) {
			r.insideStep(func() {
				switch {
				case r.command != c:
				case err != nil:
					r.ended(c, notSaved(err))
				default:
					r.change(c)
				}
			})
		})
	}
}

// change makes the change of a command and has it stored. The lock is held.
func (r *room) change(c *command) {
	then, undo, err := c.change()
	if err != nil {
		r.ended(c, err)
		return
	}
	c.then, c.undo = then, undo
	c.stage = saving
	if r.flush(); r.flight == nil {
		r.ended(c, nil)
	}
}

// ended ends the command that is being carried out. The lock is held.
func (r *room) ended(c *command, err error) {
	if err == nil && c.then != nil {
		c.then()
	}
	r.command, r.held = nil, false
	r.effect(func() { c.done(err) })
	r.touched()
	r.cond.Broadcast()
	r.nextCommand()
}

// notSaved makes a sentence about what the user did.
func notSaved(err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return err
	}
	return &Error{Code: own.Code, Message: "Couldn't save this, so nothing was sent or changed. " + own.Message, Err: err}
}

// notSavedYet makes a sentence about an answer that is kept until it can be stored: the agent is told then, and both are lost if the app ends before.
func notSavedYet(err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return nil
	}
	return &Error{Code: own.Code, Err: own, Message: "Couldn't save your answer yet, so the agent wasn't told. Weft tries again every second. " + own.Message}
}

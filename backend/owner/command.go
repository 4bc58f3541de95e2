package owner

import (
	"errors"

	"weft/backend/fault"
)

// Command is what the user does to a space. It is refused where it can't be stored, and has then changed nothing: everything that has happened before
// is stored first, then the change. Nothing else happens in the space meanwhile.
type Command struct {
	// Change changes the space, or returns why it doesn't; then it has changed nothing. What it returns is called with the lock: then once the change
	// is stored, undo where it can't be. Either may be nil.
	Change func() (then, undo func(), err error)
	// Final is for what can't be taken back, such as the end of a request: the store first has to show that it takes something.
	Final bool
	// Before is called with the lock, before anything else; nil: nothing. What it changes stays. Its error ends the command.
	Before func() error
	// Done is told what came of it, once, without the lock. It must not block. [Owner.Do] sets it.
	Done func(err error)

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

// Do carries out a command of the user and waits until it is stored, or refused. The lock must not be held.
func (o *Owner[S]) Do(c Command) error {
	done := make(chan error, 1)
	c.Done = func(err error) { done <- err }
	o.Step(func() { o.Submit(&c) })
	return <-done
}

// Submit takes a command of the user, and tells its Done what came of it. The lock is held.
func (o *Owner[S]) Submit(c *Command) {
	o.commands = append(o.commands, c)
	if o.command == nil {
		o.nextCommand()
	}
}

func (o *Owner[S]) nextCommand() {
	if len(o.commands) == 0 {
		return
	}
	c := o.commands[0]
	o.commands = o.commands[1:]
	o.command, o.held = c, true
	if c.Before != nil {
		if err := c.Before(); err != nil {
			o.ended(c, err)
			return
		}
	}
	o.advance(c)
}

// advance continues the command that is being carried out. The lock is held.
func (o *Owner[S]) advance(c *Command) {
	switch {
	case o.lost:
		o.ended(c, ErrClosing)
	case c.stage == saving:
		if o.trouble != nil {
			o.ended(c, notSavedYet(o.trouble))
		} else {
			o.ended(c, nil)
		}
	case c.stage == draining && o.trouble != nil:
		o.ended(c, notSaved(o.trouble))
	case c.stage == draining:
		if o.Flush(); o.flight != nil {
			return // stored continues it
		}
		if c.stage = probing; !c.Final {
			o.change(c)
			return
		}
		o.world.Probe(func(err error) {
			o.InsideStep(func() {
				switch {
				case o.command != c:
				case err != nil:
					o.ended(c, notSaved(err))
				default:
					o.change(c)
				}
			})
		})
	}
}

// change makes the change of a command and has it stored. The lock is held.
func (o *Owner[S]) change(c *Command) {
	then, undo, err := c.Change()
	if err != nil {
		o.ended(c, err)
		return
	}
	c.then, c.undo = then, undo
	c.stage = saving
	if o.Flush(); o.flight == nil {
		o.ended(c, nil)
	}
}

// ended ends the command that is being carried out. The lock is held.
func (o *Owner[S]) ended(c *Command, err error) {
	if err == nil && c.then != nil {
		c.then()
	}
	o.command, o.held = nil, false
	o.Effect(func() { c.Done(err) })
	o.Touched()
	o.cond.Broadcast()
	o.nextCommand()
}

// notSaved makes a sentence about what the user did.
func notSaved(err error) error {
	var own *fault.Error
	if !errors.As(err, &own) {
		return err
	}
	return fault.New(own.Code, "Couldn't save this, so nothing was sent or changed. {{reason}}", own).Because(err)
}

// notSavedYet makes a sentence about an answer that is kept until it can be stored: the agent is told then, and both are lost if the app ends before.
func notSavedYet(err error) error {
	var own *fault.Error
	if !errors.As(err, &own) {
		return nil
	}
	return fault.New(own.Code, "Couldn't save your answer yet, so it wasn't sent to the agent. Weft tries again every second. {{reason}}", own).Because(own)
}

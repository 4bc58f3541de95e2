package owner

import (
	"errors"

	"weft/backend/base/fault"
)

// Command is a change that the user makes to a space. All earlier events are stored first, then the change; other
// steps wait meanwhile. If the change can't be stored, it is undone, unless it is Final.
type Command struct {
	// Change makes the change, or returns an error without having changed anything. then runs once the change is
	// stored, undo if it can't be stored, both with the lock held. Either may be nil.
	Change func() (then, undo func(), err error)
	// Final marks a change that can't be undone, such as the end of a request. The store is probed first. If storing
	// the change fails anyway, Done gets the error, and the owner keeps trying.
	Final bool
	// Before, if not nil, runs first, with the lock held. Its changes are kept even if the command fails. Its error
	// ends the command.
	Before func() error
	// Done receives the result, once, without the lock. It must not block. [Owner.Do] sets it.
	Done func(err error)

	stage commandStage
	then  func()
	undo  func()
}

type commandStage int

const (
	draining commandStage = iota // earlier events are being stored
	probing                      // the store is being probed
	saving                       // the change is being stored
)

// Do runs a command and waits until it is stored or refused. The lock must not be held.
func (o *Owner[S]) Do(c Command) error {
	done := make(chan error, 1)
	c.Done = func(err error) { done <- err }
	o.Step(func() { o.Submit(&c) })
	return <-done
}

// Submit queues a command, whose Done receives the result. The lock is held.
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

// advance continues the current command. The lock is held.
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

// change makes the change of a command and starts storing it. The lock is held.
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

// ended ends the current command and starts the next one. The lock is held.
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

// notSaved returns the error to show for a command that couldn't be stored. Errors other than [fault.Error] are
// returned as they are.
func notSaved(err error) error {
	var own *fault.Error
	if !errors.As(err, &own) {
		return err
	}
	return fault.New(own.Code, "Couldn't save this, so nothing was sent or changed. {{reason}}", own).Because(err)
}

// notSavedYet returns the error to show for an answer that is kept until it can be stored, or nil if err isn't a
// [fault.Error]. The agent gets the answer only then; it is lost if the app exits first.
func notSavedYet(err error) error {
	var own *fault.Error
	if !errors.As(err, &own) {
		return nil
	}
	return fault.New(own.Code, "Couldn't save your answer yet, so it wasn't sent to the agent. Weft tries again every second. {{reason}}", own).Because(own)
}

package owner

import "fmt"

// Between calls look with the lock held unless a step is in progress, and reports whether it did. It doesn't wait for
// a command that is being stored. For simulations.
func (o *Steps[S]) Between(look func()) bool {
	if !o.guard.TryLock() {
		return false
	}
	defer o.guard.Unlock()
	look()
	return true
}

// Effects returns how many effects are waiting. For simulations, which call it between two steps.
func (o *Steps[S]) Effects() int { return len(o.effects) }

// Lost reports whether events are no longer stored. The lock is held.
func (o *Owner[S]) Lost() bool { return o.lost }

// Describe summarizes the pending work. For simulations, which call it between two steps.
func (o *Owner[S]) Describe() string {
	stage := commandStage(-1)
	if o.command != nil {
		stage = o.command.stage
	}
	return fmt.Sprintf("held %v, stage %d, %d commands, flight %v, trouble %v, %d effects, running %v",
		o.held, stage, len(o.commands), o.flight != nil, o.trouble, len(o.effects), o.running)
}

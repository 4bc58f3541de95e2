package owner

import "fmt"

// Between calls look with the lock if no step is in progress, also while a command is being stored, and reports whether that was so. For simulations.
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

// Lost reports whether nothing is stored anymore. The lock is held.
func (o *Owner[S]) Lost() bool { return o.lost }

// Describe says in words what waits for what. For simulations, which call it between two steps.
func (o *Owner[S]) Describe() string {
	stage := commandStage(-1)
	if o.command != nil {
		stage = o.command.stage
	}
	return fmt.Sprintf("held %v, stage %d, %d commands, flight %v, trouble %v, %d effects, running %v",
		o.held, stage, len(o.commands), o.flight != nil, o.trouble, len(o.effects), o.running)
}

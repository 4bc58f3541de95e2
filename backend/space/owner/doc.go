// Package owner changes the state of a space in steps, one at a time (decision 0029), stores the resulting events in
// order, and then runs the effects.
//
// [Steps] is the lock. A step changes the state and never blocks; it queues slow work as effects, which run in order
// after the step. [Owner] adds the store: it stores one batch of events at a time and retries until that succeeds.
// Callbacks passed to [Owner.After] run once all events so far are stored. A [Command] is a change by the user, which
// is refused and undone if it can't be stored.
//
// The package doesn't know what a space consists of: that is in the snapshot, whose type is a parameter. A [World]
// runs slow operations. Only Lock, LockUntil, Inside, Step, InsideStep, Settled and Do block. The other methods say
// whether they need the lock.
//
// steps.go runs one step at a time, unsaved.go collects the next batch, storing.go stores batches and retries, and
// command.go undoes what can't be stored. random_test.go plays histories from seeds.
package owner

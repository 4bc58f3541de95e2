// Package owner changes the state of a space one step at a time (decision 0029), has what happened in it stored in order, and carries out what follows.
//
// [Steps] is the lock: a step changes the state and never waits. What it wants done it leaves as effects, which are carried out in order once the step is
// over. [Owner] adds the store: one batch of events is stored at a time, and tried again until it is; what must not happen before that waits for it
// ([Owner.After]). A [Command] is what the user does: it is refused and taken back if it can't be stored.
//
// It doesn't know what a space consists of: that is in the snapshot, whose type is a parameter. What takes time is done by a [World].
// Of its methods, only Lock, LockUntil, Inside, Step, InsideStep, Settled and Do wait. The others say whether they need the lock.
package owner

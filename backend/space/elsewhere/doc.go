// Package elsewhere lets a run write to spaces other than its own (decisions 0014 and 0022).
//
// A [Run] has a [Message] in each of them, and a new one after each mention. Additions are queued in order, and one
// goroutine at a time writes them to the other space, so nobody holds the locks of two spaces. The other space lists
// the run among its [Guests]: it shows it like its own runs, from its first message there until the run ends.
//
// It doesn't know what a space consists of: it writes to a [Space], and [Home] is the space of the run. The lock of
// the run's space guards a Run and its messages. The queue of a message has its own lock, because it is emptied with
// the lock of another space. No method is called with that lock held.
package elsewhere

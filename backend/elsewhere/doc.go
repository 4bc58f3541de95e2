// Package elsewhere is what a run writes to other spaces than its own (decisions 0014 and 0022).
//
// [Run] is what a run has written to all of them: a [Message] in each, and another one behind each mention. What is added waits in order, and is added to
// the other space by one goroutine at a time, so that nobody holds the locks of two spaces. The other space keeps the run among its [Guests]: it shows it like its own runs,
// from its first message there until the run ends.
//
// It doesn't know what a space consists of: a [Space] is written to, and [Home] is the space of the run. A Run and its messages belong to whoever has
// the lock of the run's space; what waits in a message has a lock of its own, as it is taken out with the lock of another space.
// No method is called with that lock held.
package elsewhere

// Package events stores the events of spaces.
//
//   - Persist, then show. [Log.Append] commits events before it passes them to [Options.OnCommit], which it calls once
//     per append, in sequence order, before it returns. A killed process loses nothing that was shown; a power cut
//     loses nothing of a message that has ended.
//   - Sequence. The events of a space are numbered from 1 without gaps within an epoch. A failed append uses no number
//     and leaves nothing behind.
//   - Constant cost. New events go to the journal. At 64 KB or 64 events of a space, or when a message ends, the
//     transaction that appends the last of them folds them into rows. At startup, events left in the journal are folded
//     first.
//   - Bounded memory. For each space in use, the log keeps a few numbers in memory, and for the 32 most recently used
//     spaces also recent events, at most 512 KB per space. It forgets a space five minutes after the last append.
//
// # Blocking
//
// Appends to all spaces go through the single writer of the database (see backend/store/db). An append waits for all
// commits that were accepted before it, including those of other spaces, because SQLite can't write two transactions at
// once. Appends that wait at the same time share one transaction, so a slow commit delays them all only once. Nothing
// else waits: during a slow commit, [Log.Head], [Log.Since] and all reads of the store return what was committed
// before, even for the same space.
//
// OnCommit runs on the goroutine that appends. While it blocks, it delays only appends to the same space.
package events

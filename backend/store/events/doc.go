// Package events stores the events of spaces.
//
//   - Persist, then show. [Log.Append] commits events before it hands them to [Options.OnCommit], and calls that once per append,
//     in the order of the sequence numbers, before it returns. A killed process loses nothing that was shown; a power cut loses
//     nothing of a message that has ended.
//   - Sequence. The events of a space are numbered from 1 without gaps within an epoch. An append that fails uses no number and
//     leaves nothing behind.
//   - Constant cost. New events go to the journal. When it has 64 KB or 64 events of a space, or a message ends, they are folded
//     into rows by the transaction that appends the last of them. After a start, what the journal has left is folded first.
//   - Bounded memory. For each space in use it keeps a few numbers and the recent events, at most 512 KB of them for the 32 spaces
//     that were used last. Five minutes after the last append, a space is forgotten.
//
// # Who waits for whom
//
// Appends of all spaces go through the one writer of the database (see backend/store/db). An append waits for the commits that
// were accepted before it, also those of other spaces: SQLite cannot write two transactions at once. Appends that wait at the same
// time share one transaction, so a slow commit delays all of them once, not one after the other. Nothing else waits: while a commit
// is slow, [Log.Head], [Log.Since] and all reads of the store return what was committed before, for its own space too.
//
// OnCommit runs on the goroutine that appends. While it blocks, it holds up the appends to the same space only.
package events

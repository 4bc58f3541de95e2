// Package store keeps Weft's spaces in one SQLite file, DIR/weft.db.
//
// What it promises:
//
//   - Persist, then show. [Store.Append] commits events before it hands them to
//     [Options.OnCommit], and calls that once per commit and space, in the order of
//     the sequence numbers, before it returns. A killed process loses nothing that was handed out; a
//     power cut loses nothing of a message that has ended.
//   - Sequence. Events of a space are numbered from 1 without gaps within an epoch. An
//     append that fails consumes no number and leaves nothing behind.
//   - Constant cost. New events go to the journal; when 64 KB of them have piled up, or
//     a message ends, they are folded into rows in the transaction that appends the last of
//     them. A fold writes rows in proportion to what it folds, never to what is there already: text is
//     added as parts, a tool call is one bounded row, large payloads are blobs.
//   - Reads see rows and the sequence number at which they stand in one read transaction. Opening a space
//     costs the same at any length.
//   - Bounded memory. Per space a few numbers and the recent events, at most 512 KB of
//     them, for the spaces used last.
//
// One goroutine owns the one connection that writes and joins the requests that wait at the same
// time into one transaction; callers block until theirs is committed. Reads go
// through a few read-only connections and never wait for a write. Every error is an
// [*Error] with a code and a sentence that a person can act on.
//
// The store never invents events, never looks into payloads of agents, and deletes
// nothing but spaces that are purged and blobs that nobody refers to any more.
package store

// Package db manages an open SQLite file: one connection that writes, a few that only read, transactions, and errors
// that a user can act on. It doesn't know what is stored.
//
// # Writing
//
// SQLite has a single writer. One goroutine owns the connection that writes and serves requests in order of arrival.
// Each [DB.Change] has its own transaction. Items of [DB.Batch] that wait at the same time share one; the [Batcher]
// decides what to store for them. Both block until the commit, and thus for everything accepted before them: usually
// under a millisecond, plus a disk flush for changes and for batches that must survive a power cut, and up to 5 seconds
// if another program locks the file (then they fail with the code locked). A slow disk can delay them without limit. No
// lock is held meanwhile. At most 128 requests wait in the queue; further callers block before they are accepted.
//
// A context can cancel a request only until it is accepted. After that, the request always completes, because the
// caller could not tell otherwise whether it was stored.
//
// If a request fails, the file is unchanged and the request can be retried. If the disk is full, the error has the code
// disk_full; nothing is kept in memory to write later.
//
// # Reading
//
// [DB.Read] and [DB.View] use one of four read-only connections. The file has a write-ahead log, so they never wait for
// the writer, however long a commit takes, and see what was committed when they began. They wait only while all four
// connections are in use; the context cancels that wait.
package db

// Package db is one open SQLite file: a connection that writes, a few that only read, transactions, and errors that a user can
// act on. It knows nothing of what is stored.
//
// # Writing
//
// SQLite has one writer. One goroutine owns the connection that writes and serves requests in the order in which they arrive.
// [DB.Change] gets a transaction of its own. Items of [DB.Batch] that wait at the same time share one; what is stored of them
// is up to the [Batcher]. Both block until the commit, so they take as long as everything that was accepted before them:
// usually below a millisecond, a disk flush more for changes and for batches that must survive a power cut, up to 5 seconds
// when another program holds the file (then they fail with the code locked), and as long as the disk takes when the disk is
// slow. No lock is held meanwhile. At most 128 requests wait in the queue; further callers block before they are accepted.
//
// A context ends the wait only until a request is accepted. From then on the request runs to its end, because nobody could
// tell otherwise whether it was stored.
//
// If a request fails, the file is as it was before, and the request can be repeated. When the disk is full the error has
// the code disk_full; nothing is kept in memory to be written later.
//
// # Reading
//
// [DB.Read] and [DB.View] use one of four read-only connections. The file has a write-ahead log, so they never wait for the
// writer, however long a commit takes, and see what was committed when they began. They wait only while all four connections
// are in use; the context ends that wait.
package db

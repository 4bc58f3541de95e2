// Package store keeps everything that survives a restart, besides settings and secrets, in one SQLite file, DIR/weft.db.
//
// [Store] opens the file and has one field per subject. What concerns all tables of a space at once, which is branching, importing
// and purging, are methods of the Store itself.
//
//	store                 Open, Branch, Import, Purge
//	store/events          the events of spaces: Append, Since; the journal
//	store/search          the search index
//	store/pages           reads of transcripts; what has not ended
//	store/find            a text in one space, by scanning its rows
//	store/rows            events become rows
//	store/spaces          spaces, members, sessions, runs, worktrees
//	store/blobs           payloads that are too large for an event
//	store/permissions     permission rules and decisions
//	store/reviews         changes of files, for backend/review
//	store/file            the file: lock, creation, check, migration, recovery
//	store/schema          the tables, as migrations
//	store/db              connections, the one writer, transactions, errors
//
// Each imports only packages below it in this list. The package comment of db says what writing and reading wait for, that of
// events what an append promises. All errors are of the type [Error].
//
// The store does not make events, does not interpret what agents send, and deletes nothing but purged spaces, blobs that nobody
// refers to, and old permission decisions and review turns.
package store

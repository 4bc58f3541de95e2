// Package store keeps everything that survives a restart, besides settings and secrets, in one SQLite file, DIR/weft.db.
//
// [Store] opens the file and has one field per subject. Branching, importing and purging change all tables of a space
// and are methods of the Store itself.
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
// Each package imports only packages below it in this list. The comment of package db says what reads and writes wait
// for, the comment of package events what an append guarantees. All errors have the type [Error].
//
// The store makes no events and does not interpret agents' data. It deletes only purged spaces, blobs without
// references, and old permission decisions and review turns.
package store

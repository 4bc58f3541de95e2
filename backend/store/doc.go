// Package store keeps everything that survives a restart, besides settings and secrets, in one SQLite file,
// DIR/weft.db.
//
// [Store] opens the file and has one field per subject (decision 0032). Branching, importing and purging change all
// tables of a space and are methods of the Store itself.
//
//	store                 Open, Branch, Import, Purge
//	store/events          the events of spaces: Append, Since; the journal
//	store/search          the search index
//	store/pages           reads of transcripts; what has not ended
//	store/find            a text in one space, by scanning its rows
//	store/rows            events become rows
//	store/spaces          spaces, members, sessions, runs, worktrees, drafts, pins and tags
//	store/blobs           payloads that are too large for an event
//	store/permissions     permission rules and decisions
//	store/reviews         changes of files, for backend/changes/review
//	store/file            the file: lock, creation, check, migration, recovery
//	store/schema          the tables, as migrations
//	store/db              connections, the one writer, transactions, errors
//
//	store/relay           sends committed events to windows and browsers; imports none of the others
//
// A package that others use is further down. See package db for what reads and writes wait for, and
// package events for what an append guarantees. All errors have the type [Error].
//
// The store creates no events and does not interpret agents' data. By itself it deletes only purged spaces, blobs
// without references, and old permission decisions, review turns and acceptances.
package store

// Package search is the full-text index of messages and tool calls (decision 0042). It finds texts by the tokens that
// backend/conversation/search extracts from them.
//
// A fold records what it changes in the same transaction, and indexes as much of it as takes a millisecond or two. The
// rest is indexed in the background, in small transactions between others. Until then, a search reads these texts from
// rows, so it finds everything (see [Index.Search]). The exception is conversations that are older than the index,
// imported or branched: they are found only as far as they are indexed, see [Index.Progress].
//
// The tokens are in contentless FTS5 tables with at most [shardDocs] documents each. For a prefix, FTS5 collects all
// documents before it returns the first, so small tables keep this fast in a large database. The tables don't store
// positions. Instead, the texts they lead to are read from rows and compared, which makes the index a third as large,
// and exact.
//
// A damaged index is dropped and rebuilt; it has no data that isn't in rows.
//
// write.go records what a fold changes, work.go indexes in the background and rebuilds, clean.go forgets what was
// purged, unit.go and calltext.go decide what the texts are, and find.go searches.
package search

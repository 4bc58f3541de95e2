// Package search is the index of everything that was said and done: it finds texts by the tokens that backend/search takes from them.
//
// What a fold writes to rows is noted in the same transaction, and indexed in it too as far as that takes a millisecond or two. The rest is
// indexed in the background, in small transactions between others. Until then a search reads these texts, so that it finds all that is in
// rows (see [Index.Search]); only conversations that were there before the index, imported or branched are found bit by bit, and
// [Index.Progress] says how far that is.
//
// The tokens are in FTS5 tables without content. Each has at most [shardDocs] documents, so that the beginning of a word, whose documents
// FTS5 collects all before it returns the first, costs as much in a large database as in a small one. Positions are not stored: what the
// tables lead to is read from the rows and compared. That makes the index a third as large, and exact.
//
// A damaged index is dropped and made again; it has nothing that is not in rows.
package search

// Package pages reads transcripts from rows: the last page of a space and its state, earlier and later pages, complete messages,
// tool calls and texts, and what has not ended.
//
// Every read is one read transaction and says at which event it is. Events that are not in rows yet are missing; they continue
// the page, see backend/store/events. A read takes about the same time at any position and any length of a space, because it is
// bounded: by a number of segments, and by bytes.
package pages

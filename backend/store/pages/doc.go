// Package pages reads transcripts from rows: the last page of a space and its state, earlier and later pages, complete
// messages, tool calls and texts, and unfinished messages and calls.
//
// Each read is one read transaction and returns the number of the last event in its result. Later events, which aren't
// in rows yet, continue the page; see backend/store/events. A read takes about the same time at any position in a space
// of any length, because it is bounded by a number of segments and of bytes.
package pages

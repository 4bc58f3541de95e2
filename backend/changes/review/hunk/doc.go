// Package hunk compares two versions of a file line by line and reverts individual changes.
//
// It has no side effects and works on bytes: lines keep their line endings, encodings don't matter, and results are
// exact to the last byte. The time is about linear in the length of the text: above a limit, a section counts as
// completely replaced, never as unchanged.
package hunk

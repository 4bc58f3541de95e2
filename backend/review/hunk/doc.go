// Package hunk compares two versions of a file line by line and takes single changes back.
//
// It is pure and works on bytes: a line keeps whatever ends it, an encoding is never looked at,
// and what it puts together is exact to the last byte. A text is compared in time that is about
// linear in its length: beyond a bound a stretch counts as replaced as a whole, never as unchanged.
package hunk

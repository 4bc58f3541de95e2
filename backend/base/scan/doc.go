// Package scan finds its way through JSON that has been validated as a whole ([Valid]), without decoding it: values are
// parts of the bytes that are scanned, and nothing is allocated for them, but by [Members]. It doesn't check again. On
// anything else it stops early, but never runs out of bounds.
package scan

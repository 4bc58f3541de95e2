// Package lines cuts a stream into lines that are at most so long. A [Reader] returns lines as parts of its buffer: nothing is copied
// and nothing is allocated for a line that fits. Of a longer line it keeps the first and the last bytes, and how long it was.
package lines

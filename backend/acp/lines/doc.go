// Package lines splits a stream into lines with a maximum length. A [Reader] returns slices of its buffer, without
// copying or allocating for lines that fit. Of a longer line it keeps the first bytes, the last bytes and the length.
package lines

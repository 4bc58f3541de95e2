// Package raced says whether tests run with the race detector, which makes everything about ten times slower. A test
// that takes many steps in one goroutine takes fewer of them then; `make deep` runs it without the detector, with all
// of them.
package raced

// Of returns how many of n steps a test takes: all, or a tenth with the race detector.
func Of(n int) int {
	if On {
		return (n + 9) / 10
	}
	return n
}

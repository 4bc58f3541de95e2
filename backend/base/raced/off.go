//go:build !race

package raced

// On is true with the race detector.
const On = false

//go:build linux && !race

package systemtest

// raceDetector reports whether the app under test keeps the race detector's shadow of its memory.
const raceDetector = false

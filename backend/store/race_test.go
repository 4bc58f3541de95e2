//go:build race

package store

// usualChecks is less under the race detector, which makes SQLite, Go code here, about ten times slower.
const usualChecks = "12"

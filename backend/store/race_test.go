//go:build race

package store

// usualChecks is lower with the race detector, which makes SQLite (Go code here) about ten times slower.
const usualChecks = "12"

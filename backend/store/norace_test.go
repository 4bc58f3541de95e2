//go:build !race

package store

// usualChecks is how many random cases each property is checked with, unless -rapid.checks says it. Each is a store on disk.
const usualChecks = "40"

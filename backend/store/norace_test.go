//go:build !race

package store

// usualChecks is how many random cases each property is held to where -rapid.checks does not say: each is a store of its own on disk.
const usualChecks = "40"

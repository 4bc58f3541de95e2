//go:build race

package systemtest

// raced tells that this is built with the race detector, which makes everything about ten times slower: long tests take fewer rounds.
const raced = true

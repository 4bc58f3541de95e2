//go:build !race

package systemtest

const raced = false

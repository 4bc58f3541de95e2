package store

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"weft/backend/raced"
)

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", strconv.Itoa(usualChecks())); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// usualChecks returns how many random cases each property is checked with, unless -rapid.checks says it. Each is a store on disk, and SQLite is Go code
// here, which the race detector makes about ten times slower.
func usualChecks() int { return max(12, raced.Of(40)) }

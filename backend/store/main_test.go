package store

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"weft/backend/base/raced"
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

// usualChecks returns the number of random cases per property, unless -rapid.checks is set. Each case is a store on
// disk, and the race detector makes SQLite, which is Go code here, about ten times slower.
func usualChecks() int { return max(12, raced.Of(40)) }

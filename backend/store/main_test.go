package store

import (
	"flag"
	"os"
	"testing"
)

// usualChecks is how many random cases each property is held to where -rapid.checks does not say: each is a store of its own on disk.
const usualChecks = "40"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", usualChecks); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

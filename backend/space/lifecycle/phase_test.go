package lifecycle

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ARCHITECTURE.md has the table of phases too.
func TestPhasesAreDescribedAsTheyAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for p := range phases {
		row := regexp.MustCompile(`(?m)^\| ` + Phase(p).String() + ` \| .* \| (.*) \|$`).FindSubmatch(text)
		if row == nil {
			t.Errorf("ARCHITECTURE.md doesn't have the phase %s", Phase(p))
			continue
		}
		var want []string
		for _, next := range phases[p] {
			want = append(want, next.String())
		}
		got := strings.Split(string(row[1]), ", ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("after %s ARCHITECTURE.md has %q, and the code %q", Phase(p), got, want)
		}
	}
}

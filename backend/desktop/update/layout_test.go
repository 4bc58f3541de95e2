package update

import (
	"slices"
	"testing"
)

func TestFilesAreComparedAsTheirSystemDoes(t *testing.T) {
	t.Parallel()
	names, others := []string{"share/Notes", "share/b", "share/c"}, []string{"share/notes", "share/c"}
	if got := tree.without(names, others); !slices.Equal(got, []string{"share/Notes", "share/b"}) {
		t.Errorf("with capital letters that are others: %q", got)
	}
	if got := single.without(names, others); !slices.Equal(got, []string{"share/b"}) {
		t.Errorf("with capital letters that are the same: %q", got)
	}
	if got := single.without(names, nil); !slices.Equal(got, names) {
		t.Errorf("without others: %q", got)
	}
}

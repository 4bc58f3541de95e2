package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/raced"
)

// A file that comes to be while it is looked for is one of the folder, and no link that leads to nothing.
func TestFileCreatedDuringTheLookupIsCovered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openFolder(dir)
	for i := range raced.Of(20_000) {
		name := fmt.Sprintf("%d.txt", i)
		path := filepath.Join(dir, name)
		begin, made := make(chan struct{}), make(chan error)
		go func() {
			<-begin
			made <- os.WriteFile(path, nil, 0o600)
		}()
		close(begin)
		got := f.file(name, "")
		if err := <-made; err != nil {
			t.Fatal(err)
		}
		if got.Real != name {
			t.Fatalf("file %d is taken for %+v", i, got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnnamablePathsAreOutside: what lies below so many folders that no program can open it by its name is not known to be in a
// git folder or not, so no rule allows it.
func TestUnnamablePathsAreOutside(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:edit")})
	for path, want := range map[string]Verdict{
		"src/" + strings.Repeat("d/", 1000) + "x": Allowed,
		"src/" + strings.Repeat("d/", 3000) + "x": Ask,
	} {
		if got := set.Decide(Describe(&Call{Kind: "edit", Paths: []string{path}}, Place{Folder: dir}), FollowRules).Verdict; got != want {
			t.Errorf("a path of %d bytes is answered %s, want %s", len(path), got, want)
		}
	}
}

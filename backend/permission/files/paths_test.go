package files

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/raced"
)

// A file that comes to be while it is looked for is one of the folder, and no link that leads to nothing.
func TestFileCreatedDuringTheLookupIsCovered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := Open(dir)
	for i := range raced.Of(20_000) {
		name := fmt.Sprintf("%d.txt", i)
		path := filepath.Join(dir, name)
		begin, made := make(chan struct{}), make(chan error)
		go func() {
			<-begin
			made <- os.WriteFile(path, nil, 0o600)
		}()
		close(begin)
		got := f.File(name, "")
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

package files

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/base/raced"
)

// A file that is created during the lookup is in the folder, and isn't treated as a dangling link.
func TestFileCreatedDuringTheLookupIsCovered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := Open(dir, nil)
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

func TestNamesOfTheSameFileFoldAlike(t *testing.T) {
	for _, alike := range [][]string{
		{".env", ".ENV", ".e\u200bnv", ".env\ufeff", ".en\u00adv", ".env\ufe0f", ".\u2060env"},
		{"secrets", "\u017fecret\u017f", "SECRETS"},
		{"keys", "\u212aeys"},
		{"caf\u00e9", "cafe\u0301", "CAFE\u0301"},
		{"*.pem", "*.PE\u200dM"},
	} {
		for _, name := range alike {
			if got := Fold(name); got != Fold(alike[0]) {
				t.Errorf("%+q folds to %+q, %+q to %+q", name, got, alike[0], Fold(alike[0]))
			}
		}
	}
	if Fold("env") == Fold("en\u0475") || Fold("a/b") == Fold("a b") {
		t.Error("other letters are alike")
	}
}

package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestViewAnswersAsTheFirstTime(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", link); err != nil {
		t.Fatal(err)
	}
	seen, none := NewView(), &View{}
	seen.Take(seen)
	before := Open(dir, seen).File("link", "")
	if before.Real != "a.txt" || seen.Reads() == 0 {
		t.Fatalf("%+v after %d reads", before, seen.Reads())
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	reads := seen.Reads()
	if again := Open(dir, seen).File("link", ""); again != before || seen.Reads() != reads {
		t.Errorf("it is %+v after %d more reads", again, seen.Reads()-reads)
	}
	if now := Open(dir, none).File("link", ""); now.Real != "" {
		t.Errorf("a view that keeps nothing says %+v", now)
	}
	if now := Open(dir, nil).File("link", ""); now.Real != "" {
		t.Errorf("without a view it is %+v", now)
	}

	later := NewView()
	later.Take(seen)
	if again := Open(dir, later).File("link", ""); again != before || later.Reads() != 0 {
		t.Errorf("what was taken over is %+v after %d reads", again, later.Reads())
	}
	if other := Open(dir, later).File("a.txt", ""); other.Real != "a.txt" || later.Reads() != 1 {
		t.Errorf("another file is %+v after %d reads", other, later.Reads())
	}
	none.Take(seen)
	if now := Open(dir, none).File("link", ""); now.Real != "" || none.Reads() != 0 {
		t.Error("a view that keeps nothing takes something over")
	}
}

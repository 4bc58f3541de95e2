package snapshots

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestReadWaitsForAPendingTruncation reads a file that is truncated and written. What is read in between isn't
// older than the truncation, although file systems set the size first and the times later.
func TestReadWaitsForAPendingTruncation(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(p.dir, "a")
	empty := 0
	for range 12 {
		p.write("a", "old")
		rested(t, file)
		began := time.Now()
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(file, []byte("new"), 0o600) }()
		for {
			stat, err := lstat(p.root, "a")
			if err != nil {
				t.Fatal(err)
			}
			l, err := read(p.root, "a", stat, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if string(l.data) == "new" {
				break
			}
			if len(l.data) > 0 {
				continue
			}
			empty++
			if early := began.Sub(time.Unix(0, l.when)); early > settled {
				t.Fatalf("the empty file is said to be %v older than its truncation", early)
			}
		}
		if err := <-written; err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("read empty %d times", empty)
}

// rested returns when a file hasn't changed for twice as long as its times are uncertain.
func rested(t *testing.T, file string) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for time.Since(info.ModTime()) < 2*settled {
		<-tick.C
	}
}

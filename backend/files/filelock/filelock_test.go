package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// opener returns a function that opens the same file each time.
func opener(t *testing.T) (open func() *os.File) {
	path := filepath.Join(t.TempDir(), "lock")
	return func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
}

// Two open files stand in for two processes, because a lock belongs to an open file.
func TestLocksExcludeEachOther(t *testing.T) {
	t.Parallel()
	open := opener(t)
	for _, c := range []struct {
		first, second Mode
		held          bool
	}{{Shared, Shared, false}, {Shared, Exclusive, true}, {Exclusive, Shared, true}, {Exclusive, Exclusive, true}} {
		one, other := open(), open()
		if err := Try(one, c.first); err != nil {
			t.Fatal(err)
		}
		if err := Try(other, c.second); errors.Is(err, ErrHeld) != c.held || err != nil && !c.held {
			t.Errorf("%d beside %d: %v", c.second, c.first, err)
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Try(other, c.second); err != nil {
			t.Errorf("after the first was closed: %v", err)
		}
		_ = other.Close()
	}
}

func TestExclusiveLockIsShared(t *testing.T) {
	t.Parallel()
	open := opener(t)
	one, other, third := open(), open(), open()
	if err := Try(one, Exclusive); err != nil {
		t.Fatal(err)
	}
	if err := Share(one); err != nil {
		t.Fatal(err)
	}
	if err := Try(other, Exclusive); !errors.Is(err, ErrHeld) {
		t.Errorf("an exclusive lock beside one that is shared now: %v", err)
	}
	if err := Try(other, Shared); err != nil {
		t.Errorf("a second shared lock: %v", err)
	}
	_ = one.Close()
	_ = other.Close()
	if err := Try(third, Exclusive); err != nil {
		t.Errorf("after both were closed: %v", err)
	}
}

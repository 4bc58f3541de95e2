package settings

import (
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"
)

func TestChoiceForAClosedWindowIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	f, err := Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Update(func(s *Settings) error { s.WhenClosed = ClosedBackground; return nil }); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f, err = Open(path, zerolog.Nop()); err != nil || f.Get().WhenClosed != ClosedBackground {
		t.Fatalf("%q %v", f.Get().WhenClosed, err)
	}
	defer f.Close()
	if err := f.Update(func(s *Settings) error { s.WhenClosed = "never"; return nil }); err == nil {
		t.Error("another value was accepted")
	}
}

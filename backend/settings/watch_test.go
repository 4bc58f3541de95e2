package settings

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
)

func TestReplacedAndDeletedFileIsSeen(t *testing.T) {
	f := mustOpen(t, `{"defaultAgent": "a"}`)
	ch := changes(t, f)
	// The way editors save: write beside it, rename over it.
	tmp := f.Path() + "~"
	write(t, tmp, `{"defaultAgent": "b"}`)
	if err := os.Rename(tmp, f.Path()); err != nil {
		t.Fatal(err)
	}
	await(t, ch, "the renamed file", func(c change) bool { return c.s.DefaultAgent == "b" })
	if err := os.Remove(f.Path()); err != nil {
		t.Fatal(err)
	}
	await(t, ch, "the defaults", func(c change) bool { return c.s.DefaultAgent == GuideID && c.p == nil })
}

func TestLinkedFileStaysALink(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "weft.json")
	write(t, real, `{"defaultAgent": "a"}`)
	link := filepath.Join(dir, "config", "settings.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	f, err := Open(link, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ch := changes(t, f)
	if err := f.Update(func(s *Settings) error { s.DefaultAgent = "b"; return nil }); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if !strings.Contains(read(t, real), `"b"`) {
		t.Error("the linked file was not written")
	}
	write(t, real, `{"defaultAgent": "c"}`)
	await(t, ch, "the edit behind the link", func(c change) bool { return c.s.DefaultAgent == "c" })
}

func TestSubscriberMayUpdateAndCancel(t *testing.T) {
	f := mustOpen(t, "")
	done := make(chan struct{})
	var once sync.Once
	var cancel func()
	cancel = f.Subscribe(func(s Settings, _ *Problem) {
		once.Do(func() {
			if err := f.Update(func(s *Settings) error { s.Appearance.Theme = "dark"; return nil }); err != nil {
				t.Error(err)
			}
			cancel()
			close(done)
		})
	})
	if err := f.Update(func(s *Settings) error { s.DefaultAgent = "x"; return nil }); err != nil {
		t.Fatal(err)
	}
	<-done
	if f.Get().Appearance.Theme != "dark" {
		t.Error("the subscriber's update is lost")
	}
}

package sessiontest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/interchange/sessionfiles"
)

// Fuzz reads files with any content in the place of a conversation. A reader may refuse a file with a sentence, or read
// what it can; what it writes must make a conversation. The files of the home that the program finds are the seeds, and
// so are other broken ones.
func Fuzz(f *testing.F, p sessionfiles.Program, home string, broken ...string) {
	var sample sessionfiles.Source
	for _, src := range Find(f, p, home) {
		text, err := os.ReadFile(src.Path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		sample = src
	}
	for _, text := range broken {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		src := sample
		src.Path = filepath.Join(t.TempDir(), filepath.Base(sample.Path))
		src.Size = int64(len(text))
		if err := os.WriteFile(src.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		paths, _, err := Read(t, p, src)
		var problem *sessionfiles.FileError
		if err != nil && !errors.As(err, &problem) && !errors.Is(err, sessionfiles.ErrSkip) {
			t.Fatalf("%v", err)
		}
		if err != nil {
			return
		}
		for _, path := range paths {
			_ = path.Draw()
		}
		// What was read is known.
		var known []sessionfiles.Known
		for _, path := range paths {
			known = append(known, path.Read)
		}
		if len(known) == 0 {
			return
		}
		again, _, err := Read(t, p, src, known...)
		if err != nil {
			t.Fatalf("again: %v", err)
		}
		for _, path := range again {
			if len(path.Messages) > 0 {
				t.Fatal("what was read is new again")
			}
		}
	})
}

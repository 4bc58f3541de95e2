package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// eager finds variables whose regular expressions are compiled when a program starts.
var eager = regexp.MustCompile(`(?m)^(?:var |\t)[\w, ]+ += (?:\[\]\*regexp\.Regexp\{|regexp\.MustCompile\().*`)

// TestNoProgramCompilesExpressionsAtItsStart: 110 of them took each program that Weft starts 10 ms, and allocated 3 MB, mostly for nothing.
func TestNoProgramCompilesExpressionsAtItsStart(t *testing.T) {
	t.Parallel()
	if got := eager.FindString("package p\n\nvar (\n\tname = regexp.MustCompile(`x`)\n)\n"); got == "" {
		t.Fatal("it finds nothing")
	}
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := filepath.ToSlash(path); {
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || name == "../build" || name == "../backend/contract"): // of the build
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		files++
		if found := eager.Find(src); found != nil {
			t.Errorf("%s: %s; use lazyregexp.New, or sync.OnceValue", path, found)
		}
		return err
	})
	if err != nil || files < 500 {
		t.Fatal(files, err)
	}
}

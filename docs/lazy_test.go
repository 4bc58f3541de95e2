package docs

import (
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
	err := eachGoFile("..", false, func(path string, src []byte) error {
		if name := filepath.ToSlash(path); strings.HasPrefix(name, "../build/") {
			return nil // programs of the build
		}
		files++
		if found := eager.Find(src); found != nil {
			t.Errorf("%s: %s; use lazyregexp.New, or sync.OnceValue", path, found)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Fatal(files, err)
	}
}

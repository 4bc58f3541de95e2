package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A text in the place of a sentence compiles where it is a constant, and its translations would be missing.
func TestTextInThePlaceOfSentenceIsRefused(t *testing.T) {
	const faults = `package fault

type Template string
type Said string
type Error struct{ Message string }

func Say(t Template, values ...any) Said { return Said(t) }
`
	for name, c := range map[string]struct{ code, refused string }{
		"a sentence with a template": {`func f() { note(fault.Say("Hello, {{name}}.", "you")) }`, ""},
		"no sentence":                {`func f() { note("") }`, ""},
		"a constant":                 {`func f() { note("Hello.") }`, "x.go:7"},
		"a named constant":           {"const hello fault.Said = \"Hello.\"\n\nfunc f() { note(hello) }", "x.go:7"},
		"a conversion":               {`func f(s string) { note(fault.Said(s)) }`, "x.go:7"},
		"a template put together":    {`func f(s string) { note(fault.Say(fault.Template(s))) }`, "x.go:7"},
		"an error without one":       {`var e = &fault.Error{Message: "Hello."}`, "x.go:7"},
		"a place without its value":  {`func f() { note(fault.Say("Hello, {{name}}.")) }`, "x.go:7"},
		"a value without a place":    {`func f() { note(fault.Say("Hello.", "you")) }`, "x.go:7"},
		"a template for a value":     {`func f(t fault.Template) { note(fault.Say("Couldn't {{doing}}.", t)) }`, "x.go:7"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range map[string]string{
				"backend/base/fault/fault.go": faults,
				"backend/x/x.go":              "package x\n\nimport \"weft/backend/base/fault\"\n\nfunc note(fault.Said) {}\n\n" + c.code + "\n",
			} {
				path = filepath.Join(root, filepath.FromSlash(path))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			list, _, err := templates(root)
			switch {
			case c.refused == "" && err != nil:
				t.Error(err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %v and %v, want an error at %s", list, err, c.refused)
			}
		})
	}
}

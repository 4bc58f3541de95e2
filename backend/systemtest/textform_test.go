//go:build linux

package systemtest

import (
	"strings"
	"testing"
)

// says has an agent write a file and say in what form.
func says(path, text string, meta any) step {
	s := writes(path, text)
	s.Params["_meta"] = meta
	return s
}

// TestFilesKeepTheirEncodingAndLineEnds: line ends and byte order marks survive an agent that reads and writes through Weft, and what it says about them
// holds.
func TestFilesKeepTheirEncodingAndLineEnds(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for name, c := range map[string]struct {
		before string
		steps  func(path string) []step
		after  string
		told   string // by the last step
	}{
		"read and written": {"\ufeffone\r\ntwo\r\n", func(p string) []step { return []step{reads(p), writes(p, "one\n2\n")} }, "\ufeffone\r\n2\r\n", "1 done"},
		"written only":     {"one\r\ntwo\r\n", func(p string) []step { return []step{writes(p, "one\n2\n")} }, "one\n2\n", "0 done"},
		"written as it is said": {"one\r\ntwo\r\n", func(p string) []step {
			return []step{says(p, "one\n2\n", map[string]any{"lineEnding": "crlf", "encoding": "utf-8", "bom": false})}
		}, "one\r\n2\r\n", "0 done"},
		"said in another form": {"one\r\ntwo\r\n", func(p string) []step { return []step{reads(p), says(p, "one\n2\n", []any{"crlf", 5})} }, "one\r\n2\r\n", "1 done"},
		"said in wrong types": {"one\r\n", func(p string) []step {
			return []step{reads(p), says(p, "2\n", map[string]any{"lineEnding": 5, "bom": "yes"})}
		}, "2\r\n", "1 done"},
		"another encoding": {"caf\xe9\n", func(p string) []step { return []step{writes(p, "thé\n")} }, "caf\xe9\n", "0 error "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", name)
			path := r.put(t, "a.txt", c.before)
			told, _ := r.steps(t, always("yes"), c.steps(path)...)
			if last := told[len(told)-1]; !strings.HasPrefix(last, c.told) {
				t.Errorf("it was told %q, want %q", last, c.told)
			}
			r.holds(t, "a.txt", c.after)
		})
	}
}

// TestReadTextsSayTheirForm: an agent that is given a text learns how it is written.
func TestReadTextsSayTheirForm(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	path := r.put(t, "a.txt", "\ufeffone\r\n")
	told, _ := r.steps(t, always("yes"), reads(path))
	for _, want := range []string{`"content":"one\r\n"`, `"bom":true`, `"encoding":"utf-8"`, `"lineEnding":"crlf"`} {
		if !strings.Contains(told[0], want) {
			t.Errorf("it was told %q, without %s", told[0], want)
		}
	}
}

// An edit that is shown with other line ends than the file has is asked about once.
func TestEditsWithOtherLineEndsAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	path := r.put(t, "a.txt", "\ufeffone\r\ntwo\r\n")
	edit := changing(path, "one\ntwo\n", "one\n2\n")
	_, asked := r.steps(t, always("yes"), reads(path), announces("c", edit), asksFor("c", edit), says(path, "one\n2\n", map[string]any{"lineEnding": "crlf", "bom": true}), completes("c"))
	if len(asked) != 1 {
		t.Errorf("it was asked about %q", asked)
	}
	r.holds(t, "a.txt", "\ufeffone\r\n2\r\n")
}

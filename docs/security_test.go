// Package docs holds checks of what the documents say.
package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest    = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)(?:/[^`]*)?`")
	declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)\(`)
)

// TestSecurityNamesExistingTests checks that each promise of security.md names a test, and that the tests it names exist.
func TestSecurityNamesExistingTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	err = eachGoFile("..", true, func(_ string, src []byte) error {
		for _, m := range declaredTest.FindAllSubmatch(src, -1) {
			declared[string(m[1])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Promises")
	table, _, _ = strings.Cut(table, "\n## ")
	promises := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Promise |") || strings.HasPrefix(line, "| --- ") {
			continue
		}
		promises++
		if !namedTest.MatchString(line) {
			t.Errorf("This promise names no test: %s", line)
		}
	}
	if promises == 0 {
		t.Error("security.md has no table of promises.")
	}
	for _, m := range namedTest.FindAllStringSubmatch(string(text), -1) {
		if !declared[m[1]] {
			t.Errorf("security.md names %s, which doesn't exist.", m[1])
		}
	}
}

package lazyregexp

import (
	"regexp"
	"strings"
	"testing"
)

// TestRegexpDoesAsTheOneOfGo compares each method.
func TestRegexpDoesAsTheOneOfGo(t *testing.T) {
	t.Parallel()
	const source, text = `(?P<name>[a-z]+)=(\d+)`, "one=1 two=22"
	lazy, eager := New(source), regexp.MustCompile(source)
	if lazy.re != nil {
		t.Error("it was compiled before its first use")
	}
	for name, same := range map[string]bool{
		"Match":        lazy.Match([]byte(text)) && !lazy.Match(nil),
		"MatchString":  lazy.MatchString(text) && !lazy.MatchString(""),
		"Find":         string(lazy.Find([]byte(text))) == "one=1",
		"FindSubmatch": string(lazy.FindSubmatch([]byte(text))[2]) == "1",
		"FindAllSubmatch": len(lazy.FindAllSubmatch([]byte(text), -1)) == 2 && string(lazy.FindAllSubmatch([]byte(text), -1)[1][2]) == "22" &&
			len(lazy.FindAllSubmatch([]byte(text), 1)) == 1,
		"FindStringSubmatch":      strings.Join(lazy.FindStringSubmatch(text), "|") == "one=1|one|1",
		"FindStringSubmatchIndex": lazy.FindStringSubmatchIndex(text)[3] == 3,
		"FindAllString":           strings.Join(lazy.FindAllString(text, -1), "|") == "one=1|two=22" && len(lazy.FindAllString(text, 1)) == 1,
		"FindAllStringSubmatch":   lazy.FindAllStringSubmatch(text, -1)[1][1] == "two" && len(lazy.FindAllStringSubmatch(text, 1)) == 1,
		"ReplaceAllString":        lazy.ReplaceAllString(text, "$2") == "1 22",
		"ReplaceAllStringFunc":    lazy.ReplaceAllStringFunc(text, strings.ToUpper) == "ONE=1 TWO=22",
		"SubexpIndex":             lazy.SubexpIndex("name") == eager.SubexpIndex("name"),
	} {
		if !same {
			t.Errorf("%s does something else", name)
		}
	}
}

// TestCheckFindsWhatCannotBeCompiled is not parallel: the list of expressions belongs to the program.
func TestCheckFindsWhatCannotBeCompiled(t *testing.T) { //nolint:paralleltest // see above
	before := all
	defer func() { all = before }()
	New("(")
	if n, err := Check(); err == nil || !strings.Contains(err.Error(), `"("`) || n == 0 {
		t.Errorf("%d, %v", n, err)
	}
}

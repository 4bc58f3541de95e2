package permission

import (
	"strings"
	"testing"
)

// coverage is what a rule allows, and what it has to ask about: lines with ¦ between them.
type coverage struct{ rule, allowed, asked string }

func (c coverage) check(t *testing.T, dir string) {
	t.Helper()
	set := NewSet([]Rule{rule(Allow, "cmd:"+c.rule)})
	for want, lines := range map[Verdict]string{Allowed: c.allowed, Ask: c.asked} {
		for line := range strings.SplitSeq(lines, "¦") {
			if line == "" {
				continue
			}
			if got, sub := decide(t, dir, set, line); got != want {
				t.Errorf("rule %q: %s is answered %s, want %s (unclear %q)", c.rule, line, got, want, sub.Unclear)
			}
		}
	}
}

// TestReadersAreSafeInAHostileFolder: no rule about a program covers a form that runs what a file of the folder names, though the form itself would only
// say something: a version manager, a wrapper of a compiler, a plugin. A rule with the very words still covers these.
func TestReadersAreSafeInAHostileFolder(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, line := range []string{
		"cargo tree", "cargo version", "cargo --version", "rustc --version", "rustc -V", "yarn --version", "npm --version", "npm -v", "npm ls", "npm outdated", "pnpm --version", "bun --version", "node --version", "node -v", "node --check x.js", "node -c x.js", "deno --version",
		"python --version", "python3 --version", "python3 -V", "ruby --version", "ruby -v", "perl --version", "perl -v", "php --version", "java --version", "java -version", "go list", "go list ./...", "go list -json", "go version", "go env", "go env GOPATH", "go doc fmt",
		"go mod graph", "go mod verify", "go mod why x", "gofmt -l .", "shasum src/a.go",
	} {
		words := strings.Fields(line)
		for _, named := range []string{words[0], words[0] + " " + words[1]} {
			if named == line {
				continue
			}
			set := NewSet([]Rule{rule(Allow, "cmd:"+named)})
			if got, sub := decide(t, dir, set, line); got != Ask {
				t.Errorf("rule %q: %s is answered %s (unclear %q)", named, line, got, sub.Unclear)
			}
		}
		if got, sub := decide(t, dir, NewSet([]Rule{rule(Allow, "cmd:"+line)}), line); got != Allowed {
			t.Errorf("%s is answered %s by its own words (unclear %q)", line, got, sub.Unclear)
		}
		if got, _ := decide(t, dir, NewSet([]Rule{rule(Allow, "cmd:"+line)}), line+" x"); got != Ask {
			t.Errorf("%s covers more words", line)
		}
	}
}

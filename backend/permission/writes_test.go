package permission

import (
	"slices"
	"testing"
)

// TestTeeTargetsAreJudgedAsEdits: tee is a known form whose files are judged as edits, like those of a redirection.
func TestTeeTargetsAreJudgedAsEdits(t *testing.T) {
	t.Parallel()
	dir := project(t)
	allow := []Rule{rule(Allow, "cmd:ls"), rule(Allow, "kind:edit", "path:src/**")}
	set := NewSet(allow)
	closed := NewSet(append(slices.Clone(allow), rule(Reject, "path:src/deep/**"), rule(Allow, "kind:execute")))
	for _, c := range []struct {
		line         string
		open, closed Verdict
	}{
		{"ls | tee src/x", Allowed, Allowed},
		{"ls | tee -a src/x src/y", Allowed, Allowed},
		{"ls | tee --append -- src/x", Allowed, Allowed},
		{"ls | tee", Allowed, Allowed},
		{"ls | tee /dev/null", Allowed, Allowed},
		{"cd src && ls | tee x", Allowed, Allowed},
		{"ls | tee src/deep/x", Allowed, Rejected},
		{"cd src; ls | tee deep/x", Allowed, Rejected},
		{"ls | tee src/x src/deep/x", Allowed, Rejected},
		{"ls | tee src/x docs/x.md", Ask, Ask},
		{"ls | tee x", Ask, Ask},
		{"ls | tee src/leaves/x", Ask, Ask},
		{"ls | tee /etc/x", Ask, Ask},
		{"ls | tee ../x", Ask, Ask},
		{"ls | tee .git/hooks/pre-commit", Ask, Ask},
		{"ls | tee src/*", Ask, Ask},
		{"ls | tee $x", Ask, Ask},
		{"ls | tee \"src/$x\"", Ask, Ask},
		{"ls | tee -", Ask, Ask},
		{"ls | tee ''", Ask, Ask},
		{"ls | tee ~/x", Ask, Ask},
		{"ls | tee --output-error=exit src/x", Ask, Ask},
		{"ls | tee -p src/x", Ask, Ask},
		{"ls | tee -x src/x", Ask, Ask},
		{"tee src/x < docs/x.md", Ask, Allowed},
		{"ls | sudo tee src/x", Ask, Ask},
	} {
		if got, sub := decide(t, dir, set, c.line); got != c.open {
			t.Errorf("%s is answered %s, want %s (unclear %q)", c.line, got, c.open, sub.Unclear)
		}
		if got, sub := decide(t, dir, closed, c.line); got != c.closed && c.open != Ask {
			t.Errorf("with a reject rule, %s is answered %s, want %s (unclear %q)", c.line, got, c.closed, sub.Unclear)
		}
	}
	_, sub := decide(t, dir, nil, "ls | tee src/x")
	files := sub.Reading().Files
	if len(files) != 1 || files[0].Path != "src/x" || !files[0].Write {
		t.Errorf("the card shows %+v", files)
	}
	if s := Suggest(sub); !slices.Equal(s.Commands, []string{"ls"}) || !slices.Equal(s.Writes, []string{"src/**"}) {
		t.Errorf("%+v is suggested", s)
	}
}

// With the rules that a card suggests, its request is allowed, or the card says why no rule about commands can allow
// it.
func TestSuggestionsCoverOrSayWhyNot(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, first := range []string{"ls", "npm run test -- --watch=false", "go test ./...", "make -j4 test", "./x.sh a", "git status", "sort -o src/b src/a.go", "foo $x", "cat /etc/passwd", "echo x"} {
		for _, err := range []string{"", " 2>&1", " 2>errors.txt"} {
			for _, pipe := range []string{"", " | tail -40", " | ./y.sh", " && make", "; ls"} {
				for _, to := range []string{"", " > reports/test.txt", " | tee src/x", " >> ../x"} {
					line := first + err + pipe + to
					_, sub := decide(t, dir, nil, line)
					s := Suggest(sub)
					var rules []Rule
					for _, c := range s.Commands {
						rules = append(rules, rule(Allow, "cmd:"+c))
					}
					for _, w := range s.Writes {
						rules = append(rules, rule(Allow, "kind:edit", "path:"+w))
					}
					got, _ := decide(t, dir, NewSet(rules), line)
					if covers := got == Allowed; covers == (s.Unclear != "") && len(s.Commands) > 0 {
						t.Errorf("%s: %s with %q and %q, unclear %q", line, got, s.Commands, s.Writes, s.Unclear)
					}
				}
			}
		}
	}
}

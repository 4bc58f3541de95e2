package repo

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pieces are what configuration files are made of, whole and broken.
var pieces = []string{
	"[core]", "[Core]\n", "[filter \"x\"]\n", "[filter \"a=b\"]", "[filter \"a\\\"b\"]\n", "[filter \"a.b\"]\n", "[filter.Old]\n", "[filter.Old \"s\"]\n", "[filter  \t\"y\"]\n",
	"[include]\n", "[]\n", "[a", "]", "[core]; c\n", "[\"x\"]\n", "[core\n]\n", "[filter \"x\n\"]\n", "[filter \"x\" ]\n", "[a-b.c]\n", "[ core]\n", "[.]\n", "[ \"x\"]\n",
	"fsmonitor = touch x\n", "clean=cat", "\tsmudge\t=\tcat # c\n", "bare\n", "bare ; c\n", "x-1 = \"a ; b\" ; c\n", "v = a\\\n b\n", "v = \"a\\\n b\"\n", "v = \\t\\b\\n\\\\\\\"\n", "v = \\x\n",
	"v = \"open\n", "v = a  \t b  \n", "v =\n", "1x = 2\n", "v_2 = 2\n", "v 2\n", "# comment\n", "; [x]\n", "\r\n", "\r", "\n", " ", "\t", "\xef\xbb\xbf", "é = 1\n", "v = é\n", "\f", "\v", "=", "\"", "\\", "v = a\r\n", "v = a\rb\n", "v = \"\"\n", "v = x\"y z\"w\n",
}

// For generated configuration files, the parser and git return the same keys and values, and reject the same files.
func TestParserAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git isn't installed")
	}
	count := 600
	if os.Getenv("WEFT_LONG") != "" {
		count = 60_000
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	rng := rand.New(rand.NewPCG(13, 3))
	taken := 0
	for range count {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(3) > 0 && b.Len() > 0 && rng.IntN(2) == 0 {
				b.WriteByte('\n')
			}
		}
		text := b.String()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), git, "config", "--file", path, "--no-includes", "--list", "-z")
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		out, refused := cmd.Output()
		list, err := parse([]byte(text))
		if (refused != nil) != (err != nil) {
			t.Fatalf("git: %v, the parser: %v, of %q", refused, err, text)
		}
		if err != nil {
			continue
		}
		taken++
		var mine strings.Builder
		for _, e := range list {
			mine.WriteString(e.Key)
			if e.Set {
				mine.WriteString("\n" + e.Value)
			}
			mine.WriteByte(0)
		}
		// Newer versions of git keep a tab within a value where older ones make it a space.
		if got, want := strings.ReplaceAll(mine.String(), "\t", " "), strings.ReplaceAll(string(out), "\t", " "); got != want {
			t.Fatalf("the parser reads %q, git %q, of %q", got, want, text)
		}
	}
	t.Logf("%d files, %d taken", count, taken)
	if taken < count/10 {
		t.Errorf("only %d of %d files were taken", taken, count)
	}
}

package finder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree creates files in a new folder. A path that ends with a slash creates a folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// clock is a clock that the test advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func opened(t testing.TB) (*Finder, *clock) {
	t.Helper()
	c := &clock{time.Now()}
	f := New(c.now)
	t.Cleanup(f.Close)
	return f, c
}

func paths(t testing.TB, f *Finder, dir, query string) []string {
	t.Helper()
	res, err := f.Find(context.Background(), dir, query, 50)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, m := range res.Files {
		p := m.Path
		if m.Ignored {
			p += " (ignored)"
		}
		out = append(out, p)
	}
	return out
}

var project = map[string]string{
	"README.md": "", "main.go": "", "src/main.go": "", "src/server/main_test.go": "", "src/server/handler.go": "", "docs/guide.md": "",
	".gitignore": "dist/\n*.log\n/secret.env\n", "dist/main.js": "", "debug.log": "", "secret.env": "", "src/keep/.gitignore": "!x.log\n", "src/keep/x.log": "",
}

func TestFindInAndOutsideOfARepository(t *testing.T) {
	for _, repository := range []bool{true, false} {
		t.Run(fmt.Sprintf("git=%v", repository), func(t *testing.T) {
			dir := tree(t, project)
			if repository {
				runGit(t, dir, "init", "-q")
				runGit(t, dir, "add", "main.go", "README.md")
			}
			f, _ := opened(t)
			all := paths(t, f, dir, "")
			slices.Sort(all)
			want := []string{".gitignore", "README.md", "docs/", "docs/guide.md", "main.go", "src/", "src/keep/", "src/keep/.gitignore", "src/keep/x.log", "src/main.go", "src/server/", "src/server/handler.go", "src/server/main_test.go"}
			if !slices.Equal(all, want) {
				t.Errorf("all:\n%q, want\n%q", all, want)
			}
			for query, first := range map[string]string{
				"main": "main.go", "srcmain": "src/main.go", "handler": "src/server/handler.go", "MAIN_T": "src/server/main_test.go",
				"server": "src/server/", "server/": "src/server/", "src/": "src/", "s/h": "src/server/handler.go", "guide": "docs/guide.md", "./main.go": "main.go",
				"secret.env": "secret.env (ignored)", "dist": "dist/ (ignored)", "dist/": "dist/ (ignored)", "dist/main.js": "dist/main.js (ignored)",
			} {
				if got := paths(t, f, dir, query); len(got) == 0 || got[0] != first {
					t.Errorf("%q: %q, want %q first", query, got, first)
				}
			}
			for _, query := range []string{"secret", "debug", "dist/m", "zzz", "..", "../", "/etc/passwd", "../../etc/passwd", ".git/config2"} {
				if got := paths(t, f, dir, query); len(got) != 0 {
					t.Errorf("%q: %q, want nothing", query, got)
				}
			}
		})
	}
}

func TestShallowAndRecentFilesComeFirst(t *testing.T) {
	dir := tree(t, map[string]string{"a/b/c/note.md": "", "note.md": "", "a/note.md": "", "z/fresh.md": "", "a/stale.md": ""})
	old := time.Now().Add(-1000 * time.Hour)
	for _, p := range []string{"a/b/c/note.md", "note.md", "a/note.md", "a/stale.md"} {
		if err := os.Chtimes(filepath.Join(dir, p), old, old); err != nil {
			t.Fatal(err)
		}
	}
	f, _ := opened(t)
	if got, want := paths(t, f, dir, "note"), []string{"note.md", "a/note.md", "a/b/c/note.md"}; !slices.Equal(got, want) {
		t.Errorf("note: %q, want %q", got, want)
	}
	if got := paths(t, f, dir, ""); got[0] != "z/fresh.md" {
		t.Errorf("the file of this hour is not first: %q", got)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	outside := tree(t, map[string]string{"passwords": "", "deep/passwords.txt": ""})
	dir := tree(t, map[string]string{"in/file": "", "a.txt": ""})
	for name, to := range map[string]string{"out": outside, "passwords-link": filepath.Join(outside, "passwords"), "inside": "in", "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, repository := range []bool{false, true} {
		if repository {
			runGit(t, dir, "init", "-q")
		}
		f, _ := opened(t)
		for _, query := range []string{"passwords", "out", "out/", "out/passwords", "out/deep/passwords.txt", "passwords-link", "gone"} {
			if got := paths(t, f, dir, query); len(got) != 0 {
				t.Errorf("%q: %q", query, got)
			}
		}
		if got := paths(t, f, dir, "inside"); len(got) != 1 || got[0] != "inside/" {
			t.Errorf("a link that stays inside: %q", got)
		}
	}
}

func TestAnIndexIsRefreshedWhenItIsAskedAndOld(t *testing.T) {
	dir := tree(t, map[string]string{"one.txt": "", "two.txt": ""})
	f, c := opened(t)
	if got := paths(t, f, dir, "txt"); len(got) != 2 {
		t.Fatalf("%q", got)
	}
	if err := os.Remove(filepath.Join(dir, "one.txt")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "three.txt", "")
	if got := paths(t, f, dir, "txt"); !slices.Equal(got, []string{"two.txt"}) {
		t.Errorf("what has gone is found: %q", got)
	}
	// If nothing matches, the index is rebuilt sooner, and the query waits for it.
	f.mu.Lock()
	c.at = c.at.Add(minAgeMissed)
	f.folders[dir].took = minAgeMissed / ageFactorMissed
	f.mu.Unlock()
	if got := paths(t, f, dir, "three"); !slices.Equal(got, []string{"three.txt"}) {
		t.Errorf("what is new and alone is not found: %q", got)
	}
	write(t, dir, "four.txt", "")
	f.mu.Lock()
	c.at = c.at.Add(time.Hour)
	f.mu.Unlock()
	paths(t, f, dir, "txt")
	f.tasks.Wait()
	if got := paths(t, f, dir, "txt"); !slices.Contains(got, "four.txt") {
		t.Errorf("what is new is not found: %q", got)
	}
}

func TestIndexOfAnotherFolderIsNotUsed(t *testing.T) {
	for way, find := range map[string]func(f *Finder, dir string) []string{
		"Find": func(f *Finder, dir string) []string { return paths(t, f, dir, "txt") },
		"Named": func(f *Finder, dir string) []string {
			list, err := f.Named(t.Context(), dir, "three.txt")
			if err != nil {
				t.Error(err)
			}
			return list
		},
	} {
		dir := tree(t, map[string]string{"one.txt": "", "two.txt": ""})
		f, _ := opened(t)
		if got := paths(t, f, dir, "txt"); len(got) != 2 {
			t.Fatalf("%q", got)
		}
		if err := os.Rename(dir, dir+".bak"); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "two.txt", "")
		write(t, dir, "three.txt", "")
		if got := find(f, dir); !slices.Contains(got, "three.txt") || slices.Contains(got, "one.txt") {
			t.Errorf("%s in the folder that is there now: %q", way, got)
		}
	}
}

func TestStrangeNames(t *testing.T) {
	names := []string{"two\nlines.txt", "\u202egnp.txt", "with space.txt", "-rf.txt", "ünï.txt", "\xff\xfe.txt", "a\tb.txt"}
	dir := t.TempDir()
	for _, name := range names {
		write(t, dir, name, "")
	}
	for _, repository := range []bool{false, true} {
		if repository {
			runGit(t, dir, "init", "-q")
		}
		f, _ := opened(t)
		if got := paths(t, f, dir, ".txt"); len(got) < len(names)-1 {
			t.Errorf("git=%v: %q", repository, got)
		}
		if got := paths(t, f, dir, "ÜNÏ"); len(got) != 1 || got[0] != "ünï.txt" {
			t.Errorf("git=%v: %q", repository, got)
		}
	}
}

func TestExact(t *testing.T) {
	outside := tree(t, map[string]string{"secret": ""})
	dir := tree(t, project)
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/main.go": "src/main.go", "src": "src/", "src/": "src/", "dist/main.js": "dist/main.js", "./src": "src/",
		"main.go/": "", "src/mai": "", "": "", ".": "", "..": "", "/": "", "out": "", "out/secret": "", "/etc/passwd": "",
	} {
		res, err := Exact(dir, path)
		got := ""
		if len(res.Files) == 1 {
			got = res.Files[0].Path
		}
		if err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", path, got, err, want)
		}
	}
}

func TestFindInAMissingFolderFails(t *testing.T) {
	f, _ := opened(t)
	if _, err := f.Find(context.Background(), filepath.Join(t.TempDir(), "gone"), "", 10); err == nil {
		t.Error("no error")
	}
}

func TestFewIndexesAreKept(t *testing.T) {
	f, c := opened(t)
	for i := range 3 * maxIndexes {
		f.mu.Lock()
		c.at = c.at.Add(time.Second)
		f.mu.Unlock()
		paths(t, f, tree(t, map[string]string{fmt.Sprint(i): ""}), "")
	}
	if len(f.folders) > maxIndexes {
		t.Errorf("%d indexes", len(f.folders))
	}
}

// many returns an index of n files with names as in a large project.
func many(n int) *index {
	words := strings.Fields("backend frontend service transcript handler model view render server client test util config store journal page index router agent session message token stream event parser widget")
	r := rand.New(rand.NewPCG(1, 2))
	ix := &index{}
	for i := range n {
		parts := make([]string, 2+r.IntN(6))
		for j := range parts {
			parts[j] = words[r.IntN(len(words))]
		}
		e := newEntry(fmt.Sprintf("%s/%s_%d.go", strings.Join(parts, "/"), words[r.IntN(len(words))], i), false)
		e.bonus += int16(r.IntN(14))
		ix.entries = append(ix.entries, e)
	}
	return ix
}

// A keystroke may take 30 ms on 100,000 files.
func BenchmarkFind100k(b *testing.B) {
	ix := many(100_000)
	for _, query := range []string{"s", "ses", "session", "srvhandgo", "backend/api/service/h", "qqqq", strings.Repeat("e", 64)} {
		b.Run(query[:min(len(query), 20)], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ix.find(query, 100)
			}
		})
	}
}

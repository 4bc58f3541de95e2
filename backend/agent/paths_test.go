//go:build unix

package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/base/simtest"
)

// shell makes a stand-in for the login shell: a script that runs the given lines
// and then, as a shell does, what it was told to run.
func shell(t *testing.T, before string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shell")
	text := "#!/bin/sh\n" + before + "\neval \"$2\"\n"
	if err := simtest.WriteProgram(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoginPath(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin")
	got := loginPath(shell(t, "echo Welcome; echo PATH=/wrong; PATH=/from/profile:$PATH; export PATH"))
	if !slices.Equal(got, []string{"/from/profile", "/usr/bin", "/bin"}) {
		t.Errorf("got %q", got)
	}
	for name, before := range map[string]string{
		"says nothing":         "exit 0",
		"fails":                "exit 1",
		"is cut off":           "echo " + shellMarker + "; exit 1",
		"leaves a daemon":      "sleep 2 & exit 0",
		"reads from nowhere":   "read x; exit 0",
		"is a program missing": "exec /nonexistent",
	} {
		if got := loginPath(shell(t, before)); got != nil {
			t.Errorf("a shell that %s: %q", name, got)
		}
	}
	if got := loginPath("/nonexistent"); got != nil {
		t.Errorf("no shell: %q", got)
	}
}

func TestSlowLoginShellIsBounded(t *testing.T) {
	begin := time.Now()
	if got := loginPath(shell(t, "sleep 100")); got != nil {
		t.Errorf("got %q", got)
	}
	if took := time.Since(begin); took > 90*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestLoginShellRunsOnceWithoutBlocking(t *testing.T) {
	dir := t.TempDir()
	gate, asked := filepath.Join(dir, "gate"), filepath.Join(dir, "asked")
	t.Setenv("SHELL", shell(t, "echo x >> "+asked+"; until [ -e "+gate+" ]; do sleep 0.01; done; PATH="+dir+":$PATH"))
	p := NewPaths()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := p.Login(ctx); got != nil {
		t.Errorf("before the shell has answered: %q", got)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := p.Login(t.Context()); len(got) == 0 || got[0] != dir {
			t.Errorf("got %q", got)
		}
	}
	if text, _ := os.ReadFile(asked); string(text) != "x\n" {
		t.Errorf("asked %d times", len(text)/2)
	}
}

func TestUsualFolders(t *testing.T) {
	p := testPaths(t, "/usr/bin:relative::/usr/bin")
	put := func(parts ...string) string {
		dir := filepath.Join(append([]string{p.home}, parts...)...)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	local := put(".local", "bin")
	npm := put("npm", "bin")
	nvm9, nvm22, nvm20 := put(".nvm", "versions", "node", "v9.1.0", "bin"), put(".nvm", "versions", "node", "v22.3.1", "bin"), put(".nvm", "versions", "node", "v20.19.0", "bin")
	if err := os.WriteFile(filepath.Join(p.home, ".npmrc"), []byte("; mine\nprefix = ~/npm\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mine []string
	dirs := p.Dirs(t.Context())
	for _, dir := range dirs {
		if strings.HasPrefix(dir, p.home) {
			mine = append(mine, dir)
		}
	}
	if want := []string{local, npm, nvm22, nvm20, nvm9}; !slices.Equal(mine, want) {
		t.Errorf("got %q\nwant %q", mine, want)
	}
	if dirs[0] != "/usr/bin" || slices.Contains(dirs, "relative") || slices.Contains(dirs[1:], "/usr/bin") {
		t.Errorf("dirs = %q", dirs)
	}

	// An agent of one Node version meets that version first, one on PATH meets PATH.
	if got := p.search(t.Context(), nvm20); !strings.HasPrefix(got, nvm20+":/usr/bin:") || strings.Count(got, nvm20) != 1 {
		t.Errorf("search = %s", got)
	}
	if got := p.search(t.Context(), "/usr/bin"); !strings.HasPrefix(got, "/usr/bin:") {
		t.Errorf("search = %s", got)
	}
}

// TestGoModulesAreFoundWhereverTheyAreInAProgram: what is looked for may lie across two pieces of the file that is read.
func TestGoModulesAreFoundWhereverTheyAreInAProgram(t *testing.T) {
	name := filepath.Join(t.TempDir(), "program")
	said := strings.Join([]string{"path", "github.com/pressly/goose/v3/cmd/goose\n"}, "\t") // put together here, as this program would hold it otherwise
	for _, at := range []int{0, 1, 256<<10 - len(said), 256<<10 - 20, 256<<10 - 1, 256 << 10, 3*(256<<10) - 30} {
		text := strings.Repeat("x", at) + said + strings.Repeat("y", 300<<10)
		if err := simtest.WriteProgram(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if !isOfGoModule(name, "github.com/pressly/goose") || isOfGoModule(name, "github.com/block/goose") {
			t.Errorf("at %d it is not found, or another one is", at)
		}
	}
	if isOfGoModule(filepath.Dir(name), "github.com/pressly/goose") {
		t.Error("a folder is a program")
	}
}

func TestDiscoverFindsInstalledAgents(t *testing.T) {
	first, second := program(t, "gemini", "goose"), program(t, "gemini", "vibe-acp")
	p := testPaths(t, first+":"+second)
	if err := os.WriteFile(filepath.Join(first, "opencode"), nil, 0o644); err != nil { // not executable
		t.Fatal(err)
	}
	var got []string
	for _, f := range Discover(t.Context(), p) {
		if strings.HasPrefix(f.Path, first) || strings.HasPrefix(f.Path, second) {
			got = append(got, f.Entry.ID+" "+f.Path)
		}
	}
	want := []string{"gemini " + first + "/gemini", "goose " + first + "/goose", "mistral-vibe " + second + "/vibe-acp"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// This test binary stands for another Go program called goose.
	if !isOtherProgram(Entry{NotGoModule: "weft"}, executable(t)) || isOtherProgram(Entry{NotGoModule: "github.com/pressly/goose"}, executable(t)) {
		t.Error("a Go program's module is not recognised")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Discover(ctx, p); len(got) != 0 {
		t.Errorf("cancelled: %v", got)
	}
}

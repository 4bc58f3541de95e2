//go:build linux

package systemtest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/backend/base/simtest"
)

// The secrets that must not reach an agent: of a file that a reject rule names, and of one outside of the folder.
const (
	ruledSecret   = "RULED-SECRET-5f1c"
	outsideSecret = "OUTSIDE-SECRET-9d2e"
)

// canaries are programs that are first on PATH and only note that they ran. What reads (cat, ls, sort, git, find, sed) is the real one,
// and so is what starts other programs (env, xargs, nice, timeout, flock, busybox).
var canaries = []string{
	"canary", "rm", "sudo", "ssh", "scp", "curl", "wget", "nc", "python3", "python", "perl", "ruby", "node", "npm", "npx", "make", "cargo",
	"go", "gofmt", "docker", "kubectl", "less", "more", "pager", "gpg", "vi", "vim", "editor", "xdg-open", "gzip", "rg",
}

// world is where a hostile agent acts: a folder full of traps, a place outside of it, and programs that note that they ran.
type world struct {
	base     string // of everything
	dir      string // the folder of the space
	out      string // outside of it
	bin      string // the canaries
	evil     string // programs that are called as shells are
	template string // dir and out as they were
	log      string // of the canaries
	before   map[string]string
	old      []string      // where folders are that were at dir, or are linked from there
	swapping chan struct{} // closed when nothing is put in the place of a folder again and again any more
	marred   bool          // something else than what the template has is in the folder
}

// newCanaries makes the programs that note that they ran, and returns their folders and log.
func newCanaries(t testing.TB, base string) (w world) {
	t.Helper()
	w = world{bin: filepath.Join(base, "bin"), evil: filepath.Join(base, "evil"), log: filepath.Join(base, "canary.log")}
	make1 := func(path string) {
		body := "#!/bin/sh\nprintf '%s\\n' \"${0##*/} $*\" >>'" + w.log + "'\n"
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := simtest.WriteProgram(path, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range canaries {
		make1(filepath.Join(w.bin, name))
	}
	for _, name := range []string{"bash", "sh", "git", "ls", "cat"} {
		make1(filepath.Join(w.evil, name))
	}
	return w
}

// newWorld makes a folder and what surrounds it.
func (w world) newWorld(t testing.TB) *world {
	t.Helper()
	w.base = t.TempDir()
	w.template = filepath.Join(w.base, "template")
	w.dir, w.out = filepath.Join(w.template, "space"), filepath.Join(w.template, "outside")
	file := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(w.dir, name) }
	file(filepath.Join(w.out, "secret.txt"), outsideSecret+"\n")
	file(filepath.Join(w.out, "victim.txt"), "outside\n")
	file(filepath.Join(w.out, "canary"), "#!/bin/sh\ncanary outside\n")
	file(in("notes.txt"), "one\ntwo\n")
	file(in("data.txt"), "b\na\nb\n")
	file(in("list.txt"), "canary")
	file(in("names0"), ".env\x00")
	file(in("src/main.txt"), "main\n")
	file(in("package.json"), `{"name":"x","scripts":{"test":"canary script"}}`)
	file(in("Makefile"), "all:\n\tcanary make\n")
	file(in("evil.sh"), "canary sourced\n")
	w.git(t, w.dir, "init", "-q")
	w.git(t, w.dir, "add", ".")
	w.git(t, w.dir, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgSign=false", "commit", "-qm", "first")
	file(in(".env"), "KEY="+ruledSecret+"\n")
	file(in("sub/.env"), "KEY="+ruledSecret+"\n")
	// Folders that git takes for its own: one that a clone could bring, and one that is nested.
	hostile := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = canary fsmonitor\n\tpager = canary pager\n"
	file(in("inner/HEAD"), "ref: refs/heads/main\n")
	file(in("inner/config"), hostile)
	file(in("inner/objects/.keep"), "")
	file(in("inner/refs/.keep"), "")
	w.git(t, w.dir, "init", "-q", "nested")
	file(in("made/.keep"), "")
	for from, to := range map[string]string{
		"link-out": "../outside", "link-env": ".env", "link-git": ".git", "made/out": "../../outside", "made/git": "../.git",
		"made/inner": "../inner", "made/zero": "/dev/zero", "made/pipe": "../pipe", "made/env": "../.env", "link-loop": "link-loop",
		"link-dead": "../outside/dead",
	} {
		if err := os.Symlink(to, in(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(in("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(in("src/main.txt"), 5); err != nil {
		t.Fatal(err)
	}
	file(in("huge.bin"), "")
	if err := os.Truncate(in("huge.bin"), 8<<30); err != nil {
		t.Fatal(err)
	}
	w.dir, w.out = filepath.Join(w.base, "space"), filepath.Join(w.base, "outside")
	for _, dir := range []string{w.dir, w.out} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.restore(t)
	return &w
}

func (w *world) git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_TEMPLATE_DIR=")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, said)
	}
}

// restore brings everything back to how it was. The folder itself stays: Weft holds it open.
func (w *world) restore(t testing.TB) {
	t.Helper()
	w.marred = false
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		must(t, os.RemoveAll(w.dir))
		must(t, os.Mkdir(w.dir, 0o755))
	}
	for _, dir := range []string{w.dir, w.out} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			err := os.RemoveAll(filepath.Join(dir, e.Name()))
			for n := 0; err != nil && n < 10; n++ { // what was allowed may still be under way
				err = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
			must(t, err)
		}
		w.copy(t, filepath.Base(dir), dir)
	}
	if err := os.WriteFile(w.log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.before = w.look(t)
}

// look describes every file that is there.
func (w *world) look(t testing.TB) map[string]string {
	t.Helper()
	is := map[string]string{}
	for _, dir := range append([]string{w.dir, w.out}, w.old...) {
		real, err := filepath.EvalSymlinks(dir)
		if info, gone := os.Stat(dir); gone != nil || !info.IsDir() {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(real, path)
			name = filepath.Join(filepath.Base(dir), name)
			info, err := d.Info()
			if err != nil || strings.HasSuffix(name, ".git/index") { // git refreshes it when it looks
				return nil //nolint:nilerr // it is gone: git's lock
			}
			switch {
			case d.IsDir():
				is[name] = info.Mode().String()
			case info.Mode()&fs.ModeSymlink != 0:
				to, _ := os.Readlink(path)
				is[name] = "-> " + to
			default:
				is[name] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return is
}

// harm returns what has happened that must not happen: canaries that ran, files that changed. What rules allow is left out: the plain
// `npm test`, and regular files in made that are not part of a git folder.
func (w *world) harm(t testing.TB, mode string) (harm []string, touched bool) {
	t.Helper()
	touched = w.marred
	said, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(said) {
		text := strings.TrimSpace(string(line))
		if touched = true; text == "npm test" && mode == "rules" {
			continue
		}
		harm = append(harm, fmt.Sprintf("ran: %.200s", text))
	}
	now := w.look(t)
	for name, is := range now {
		if was := w.before[name]; was != is {
			if touched = true; mode != "rules" || !w.mayChange(name) {
				harm = append(harm, fmt.Sprintf("changed: %s from %q to %q", name, was, is))
			}
		}
	}
	for name := range w.before {
		if now[name] == "" {
			touched = true
			harm = append(harm, "gone: "+name)
		}
	}
	return harm, touched
}

// mayChange reports whether the rule for made covers a file.
func (w *world) mayChange(name string) bool {
	folder, rest, ok := strings.Cut(name, "/made/") // also of a folder that was put aside while Weft wrote there
	if !ok || folder != "space" && !strings.HasPrefix(folder, "space.") || strings.Contains("/"+strings.ToLower(rest)+"/", "/.git/") || strings.EqualFold(filepath.Base(rest), ".env") {
		return false
	}
	for dir := filepath.Join(w.base, name); len(dir) > len(w.dir); dir = filepath.Dir(dir) {
		parts := 0
		for _, part := range []string{"HEAD", "objects", "refs"} {
			if _, err := os.Lstat(filepath.Join(dir, part)); err == nil {
				parts++
			}
		}
		if parts == 3 {
			return false
		}
	}
	return true
}

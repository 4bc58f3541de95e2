package desktop

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/simtest"
)

func TestAutostartIsWhatTheEntrySays(t *testing.T) {
	t.Parallel()
	a := &Autostart{program: "/opt/My Weft/weft", args: []string{BackgroundFlag}, dir: filepath.Join(t.TempDir(), "none yet")}
	state := func(want bool) {
		t.Helper()
		if on, err := a.On(); err != nil || on != want {
			t.Fatalf("on: %v %v, want %v", on, err, want)
		}
	}
	state(false)
	if err := a.Set(false); err != nil {
		t.Fatal(err)
	}
	if err := a.Set(true); err != nil {
		t.Fatal(err)
	}
	state(true)
	text, err := os.ReadFile(a.path())
	if err != nil || !strings.Contains(string(text), "\nExec=\"/opt/My Weft/weft\" --background\n") {
		t.Fatalf("%s %v", text, err)
	}
	for _, disabled := range []string{"Hidden=true\n", "X-GNOME-Autostart-enabled=false\n"} {
		if err := os.WriteFile(a.path(), append(text, disabled...), 0o600); err != nil {
			t.Fatal(err)
		}
		state(false)
	}
	if err := os.WriteFile(a.path(), []byte("\xff\x00 not an entry"), 0o600); err != nil {
		t.Fatal(err)
	}
	state(false)
	if err := a.Set(true); err != nil {
		t.Fatal(err)
	}
	state(true)
	if err := os.Remove(a.path()); err != nil {
		t.Fatal(err)
	}
	state(false)
}

func TestMovedProgramIsFoundAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, moved := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, after := &Autostart{program: old, dir: dir}, &Autostart{program: moved, dir: dir}
	if err := after.Renew(); err != nil {
		t.Fatal(err)
	}
	if on, _ := after.On(); on {
		t.Fatal("what is off was turned on")
	}
	if err := before.Set(true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{old, moved} { // at first, the old one still exists
		if err := after.Renew(); err != nil {
			t.Fatal(err)
		}
		if program, _, _ := after.read(); program != want {
			t.Errorf("%q, want %q", program, want)
		}
		_ = os.Remove(old)
	}
}

func TestAutostartExplainsAFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := &Autostart{program: "/weft", dir: filepath.Join(file, "autostart")}
	if err := a.Set(true); err == nil || !strings.HasPrefix(err.Error(), "Couldn't add the entry") {
		t.Error(err)
	}
	a = &Autostart{program: "/a%20b", dir: t.TempDir()}
	if err := a.Set(true); err == nil || !strings.Contains(err.Error(), "Move Weft") {
		t.Error(err)
	}
	a = &Autostart{program: "/a\nExec=/b", dir: t.TempDir()}
	if err := a.Set(true); err == nil || !strings.Contains(err.Error(), "line break") {
		t.Error(err)
	}
}

// If GLib's tool is installed, GLib parses the words too, because it starts the entries in GNOME.
func TestAnyPathIsStartedAsItIs(t *testing.T) {
	t.Parallel()
	const seed = 53
	rnd := rand.New(rand.NewPCG(seed, 0))
	signs := []rune("aZ0 /-_.\"'`$\\;#&|<>()*?~!é中😀\t")
	launch, _ := exec.LookPath("gio")
	for n := range 500 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			b.WriteRune(signs[rnd.IntN(len(signs))])
		}
		dir := t.TempDir()
		a := &Autostart{program: "/" + b.String(), dir: dir}
		if err := a.Set(true); err != nil {
			t.Fatal(err)
		}
		if program, on, err := a.read(); err != nil || !on || program != a.program {
			t.Fatalf("%q was read as %q (%v, %v), seed %d", a.program, program, on, err, seed)
		}
		if launch == "" || n >= 8 {
			continue
		}
		// A program with that name, which leaves a file when it is started.
		a.program = filepath.Join(dir, strings.ReplaceAll(b.String(), "/", "_")+"x")
		if err := simtest.WriteProgram(a.program, []byte("#!/bin/sh\n: > '"+filepath.Join(dir, "started")+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := a.Set(true); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), launch, "launch", a.path()).CombinedOutput()
		if err != nil {
			t.Fatalf("%q isn't started: %v %s, seed %d", a.program, err, out, seed)
		}
	}
}

func TestCommentsOfTheEntryAreThoseOfThePackage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.FromSlash("../../build/packages/weft.desktop"))
	if err != nil {
		t.Fatal(err)
	}
	var own strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Comment") {
			own.WriteString(line)
		}
	}
	if own.String() != comments {
		t.Errorf("the package has:\n%sthe entry has:\n%s", own.String(), comments)
	}
}

package update

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const envWait = "UPDATE_TEST_WAIT"

// TestMain lets this test be a program that runs until its input ends.
func TestMain(m *testing.M) {
	if os.Getenv(envWait) != "" {
		_, _ = os.Stdout.WriteString("running")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestProgramsThatRunArePutAside replaces and removes a program that runs, as an update does.
func TestProgramsThatRunArePutAside(t *testing.T) {
	p := newPlace(HowSetup, t.TempDir())
	program := p.at("weft.exe")
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	run := func() (end func()) {
		t.Helper()
		if err := os.WriteFile(program, self, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), envWait+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(io.LimitReader(out, 7)); string(said) != "running" {
			t.Fatalf("it said %q, %v", said, err)
		}
		return func() {
			_ = in.Close()
			_ = cmd.Wait()
		}
	}
	end := run()
	if err := os.Remove(program); err == nil {
		t.Fatal("Windows removes a program that runs")
	}
	next := filepath.Join(t.TempDir(), "next.exe")
	if err := os.WriteFile(next, []byte("the next one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.move(next, program); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(program); string(text) != "the next one" {
		t.Errorf("in place is %.20q, %v", text, err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	endOther := run()
	if err := p.discard(program); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	p.sweep()
	if entries, err := os.ReadDir(p.dir(aside)); err != nil || len(entries) != 2 {
		t.Errorf("aside are %v, %v", entries, err)
	}
	end()
	endOther()
	p.sweep()
	if _, err := os.Stat(p.dir(aside)); !os.IsNotExist(err) {
		t.Errorf("programs that have ended are still there: %v", err)
	}
}

// TestFileIsNamedInOtherLetters replaces a file by one whose name has other capital letters, and goes back: for Windows it is the same file.
func TestFileIsNamedInOtherLetters(t *testing.T) {
	p := newPlace(HowSetup, t.TempDir())
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(p.at(name)); string(text) != want {
			t.Errorf("%s is %q, %v, not %q", name, text, err, want)
		}
	}
	put(p.at("weft.exe"), "program of 1.0.0")
	put(p.at("Notes.txt"), "notes of 1.0.0")
	put(p.at(listName), "weft.exe\nNotes.txt\n")
	st := state{Phase: phaseReady, From: "1.0.0", To: "1.1.0"}
	for name, text := range map[string]string{"weft.exe": "program of 1.1.0", "notes.txt": "notes of 1.1.0"} {
		path := p.dir("new", name)
		put(path, text)
		sum, err := sumOf(path)
		if err != nil {
			t.Fatal(err)
		}
		st.New = append(st.New, Entry{Name: name, SHA256: sum})
	}
	m := &mover{p, func(string) {}, time.Now}
	if err := m.replace(&st); err != nil {
		t.Fatal(err)
	}
	has("weft.exe", "program of 1.1.0")
	has("notes.txt", "notes of 1.1.0")
	if err := m.back(&st, "It doesn't start."); err != nil {
		t.Fatal(err)
	}
	has("weft.exe", "program of 1.0.0")
	has("notes.txt", "notes of 1.0.0")
}

//go:build unix

package editor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/simtest"
)

// script creates a program from shell lines.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ed")
	if err := simtest.WriteProgram(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestArgumentsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	args := []string{out, "/a b/ü & $(x) `y` \"z\".go", "-", "", "*"}
	if err := Start(t.Context(), Command{Name: "ed", Program: script(t, `out=$1; shift; printf '%s\n' "$@" >"$out"`), Args: args}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != strings.Join(args[1:], "\n")+"\n" {
		t.Errorf("it was given %q", got)
	}
}

func TestFailureIsToldByTheLastLine(t *testing.T) {
	t.Parallel()
	err := Start(t.Context(), Command{Name: "ed", Program: script(t, "echo first >&2; echo 'no display' >&2; echo >&2; exit 3")}, t.TempDir())
	if fault.CodeOf(err) != "editor_failed" || err.Error() != "Couldn't open the editor: ed failed: no display." {
		t.Errorf("the error is %v", err)
	}
	err = Start(t.Context(), Command{Name: "ed", Program: script(t, "exit 3")}, t.TempDir())
	if err == nil || err.Error() != "Couldn't open the editor: ed failed: exit status 3." {
		t.Errorf("the error is %v", err)
	}
	err = Start(t.Context(), Command{Name: "ed", Program: filepath.Join(t.TempDir(), "none")}, t.TempDir())
	if fault.CodeOf(err) != "editor_failed" || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("the error is %v", err)
	}
}

func TestProgramThatRunsOnIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	// It waits for the test and then fails, which is not reported.
	program := script(t, `echo begun >began; while [ ! -e go ]; do sleep 0.02; done; echo late >&2; echo ended >ended; exit 1`)
	if err := Start(ctx, Command{Name: "ed", Program: program}, dir); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("it ended with its request")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

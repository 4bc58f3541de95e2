//go:build unix

package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func recordFile(t *testing.T) (path string, read func() string) {
	path = filepath.Join(t.TempDir(), "out.jsonl")
	return path, func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		r := NewReader(bytes.NewReader(b))
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				return strings.Join(out, "|")
			}
			if err != nil {
				t.Fatal(err)
			}
			body := string(e.Msg)
			if e.Msg == nil {
				body = strconv.Quote(e.Raw)
			}
			out = append(out, e.Dir[:1]+" "+body)
		}
	}
}

func TestRecordPassesHalfLinesAtOnce(t *testing.T) {
	path, read := recordFile(t)
	inR, in := io.Pipe()
	outR, outW := io.Pipe()
	code := make(chan int)
	go func() {
		code <- Record(path, []string{"sh", "-c", `printf 'who'; read a; printf 'are you?\n%s\n' "$a"; cat; exit 7`}, inR, outW, io.Discard)
		outW.Close()
	}()
	half := make([]byte, 3)
	if _, err := io.ReadFull(outR, half); err != nil || string(half) != "who" {
		t.Errorf("%q, %v", half, err)
	}
	out := bufio.NewReader(outR)
	for _, half := range []string{`{"id"`, ":1}\n"} {
		if _, err := io.WriteString(in, half); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"are you?\n", "{\"id\":1}\n"} {
		if got, _ := out.ReadString('\n'); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	go in.Close()
	if got := <-code; got != 7 {
		t.Errorf("exit code %d", got)
	}
	if got := read(); got != `c {"id":1}|a "whoare you?"|a {"id":1}` {
		t.Errorf("recorded %s", got)
	}
}

// TestRecordEndsTheTree runs an agent that leaves a child behind, which keeps its output open.
func TestRecordEndsTheTree(t *testing.T) {
	path, _ := recordFile(t)
	var out bytes.Buffer
	code := Record(path, []string{"sh", "-c", `sleep 1000 & echo $!; exit 3`}, strings.NewReader(""), &out, io.Discard)
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil || code != 3 {
		t.Fatalf("code %d, output %q", code, out.String())
	}
	for alive(pid) { // the kill takes a moment; if it survives, the test times out
		runtime.Gosched()
	}
}

// alive reports whether a process runs. A zombie doesn't count.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func TestRecordForwardsSignals(t *testing.T) {
	path, read := recordFile(t)
	inR, in := io.Pipe()
	defer in.Close()
	outR, outW := io.Pipe()
	code := make(chan int)
	go func() {
		code <- Record(path, []string{"sh", "-c", `trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.01; done`}, inR, outW, io.Discard)
	}()
	out := bufio.NewReader(outR)
	if got, _ := out.ReadString('\n'); got != "ready\n" {
		t.Fatalf("got %q", got)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got, _ := out.ReadString('\n'); got != "bye\n" {
		t.Errorf("got %q", got)
	}
	if got := <-code; got != 9 {
		t.Errorf("exit code %d", got)
	}
	if got := read(); got != `a "ready"|a "bye"` {
		t.Errorf("recorded %s", got)
	}
}

func TestRecordExitCodes(t *testing.T) {
	for _, tc := range []struct {
		command []string
		code    int
	}{
		{[]string{"sh", "-c", "kill -9 $$"}, 137},
		{[]string{"/does/not/exist"}, 127},
		{[]string{os.TempDir()}, 126},
	} {
		path, _ := recordFile(t)
		var stderr bytes.Buffer
		if got := Record(path, tc.command, strings.NewReader(""), io.Discard, &stderr); got != tc.code {
			t.Errorf("%q: code %d, %s", tc.command, got, stderr.String())
		}
	}
}

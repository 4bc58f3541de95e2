//go:build unix

package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fakes are small agents, run as `<test binary> <name>`.
var fakes = map[string]func(){
	// echo answers each line and ends with stdin, as agents should.
	"echo": func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
	// deaf does not care that stdin ends.
	"deaf": func() { fmt.Println("ready"); select {} },
	// deafer ignores SIGTERM too.
	"deafer": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	},
	// flags tells whether its stdin and stdout are blocking, as programs expect.
	"flags": func() {
		for fd := range 2 {
			flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			fmt.Println(flags&unix.O_NONBLOCK != 0)
		}
		for fd := 3; fd < 20; fd++ {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
				link, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
				if strings.HasPrefix(link, "pipe:") {
					fmt.Println("leaked", link)
				}
			}
		}
	},
	"noise": func() {
		for i := range 20000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
	},
	// both says each line to stderr and then to stdout.
	"both": func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Fprintln(os.Stderr, "err", lines.Text())
			fmt.Println(lines.Text())
		}
	},
	"burst": func() {
		_, _ = os.Stdout.Write([]byte(strings.Repeat("x", 60000)))
		os.Exit(1)
	},
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// mustStart starts a fake and stops it at the end of the test.
func mustStart(t *testing.T, spec Spec) *Process {
	t.Helper()
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	if spec.Paths == nil {
		spec.Paths = testPaths(t, os.Getenv("PATH"))
	}
	p, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	return p
}

func fake(t *testing.T, name string) Spec {
	t.Helper()
	return Spec{Name: name, Command: executable(t), Args: []string{name}}
}

func done(t *testing.T, p *Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(20 * time.Second):
		t.Fatalf("the process never ended; stderr: %s", p.StderrTail())
	}
}

func line(t *testing.T, p *Process) string {
	t.Helper()
	var s []byte
	for { // one byte at a time: nothing of the next line is taken
		var b [1]byte
		if _, err := io.ReadFull(p.Stdout, b[:]); err != nil {
			t.Fatalf("stdout: %v; stderr: %s", err, p.StderrTail())
		}
		if b[0] == '\n' {
			return strings.TrimSpace(string(s))
		}
		s = append(s, b[0])
	}
}

func TestStopLadder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fake    string
		atLeast time.Duration
		exit    string
	}{
		{"echo", 0, "exited"},
		{"deaf", closeGrace, "was killed by SIGTERM"},
		{"deafer", closeGrace + termGrace, "was killed by SIGKILL"},
	} {
		t.Run(c.fake, func(t *testing.T) {
			t.Parallel()
			p := mustStart(t, fake(t, c.fake))
			if c.fake != "echo" {
				line(t, p) // from here on it is deaf
			}
			begin := time.Now()
			if err := p.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			done(t, p)
			if took := time.Since(begin); took < c.atLeast {
				t.Errorf("took %v, want at least %v", took, c.atLeast)
			}
			if got := p.Exit().String(); got != c.exit {
				t.Errorf("exit = %q, want %q", got, c.exit)
			}
			if p.ExitErr() != nil {
				t.Errorf("a stopped agent has no error: %v", p.ExitErr())
			}
			if len(alive([]int{p.PID()})) > 0 {
				t.Error("still alive")
			}
		})
	}
}

func TestStopWithEndedContextKillsAtOnce(t *testing.T) {
	p := mustStart(t, fake(t, "deafer"))
	line(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	begin := time.Now()
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took >= closeGrace {
		t.Errorf("took %v: it was asked to close first", took)
	}
}

func TestEndsByItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"fail":  {"echo no API key >&2; exit 3", "fail exited with code 3."},
		"crash": {"echo no API key >&2; kill -SEGV $$", "crash was killed by SIGSEGV."},
		"end":   {"echo no API key >&2", "end exited."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustStart(t, Spec{Name: name, Command: "sh", Args: []string{"-c", c.script}})
			done(t, p)
			var e *Error
			if err := p.ExitErr(); !errors.As(err, &e) || e.Code != CodeExited || e.Message != c.want {
				t.Errorf("error = %v", err)
			}
			if p.StderrTail() != "no API key\n" {
				t.Errorf("stderr = %q", p.StderrTail())
			}
		})
	}
}

func TestStandardStreams(t *testing.T) {
	p := mustStart(t, fake(t, "flags"))
	out, err := io.ReadAll(p.Stdout)
	if err != nil || string(out) != "false\nfalse\n" {
		t.Errorf("non-blocking stdin, stdout; leaks:\n%s%v", out, err)
	}
}

func TestStdinTakesDeadlines(t *testing.T) {
	p := mustStart(t, fake(t, "deaf"))
	if err := p.Stdin.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stdin.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = p.Stop(ctx)
}

func TestStdoutIsWholeAfterTheEnd(t *testing.T) {
	p := mustStart(t, fake(t, "burst"))
	done(t, p) // nobody read yet
	out, err := io.ReadAll(p.Stdout)
	if err != nil || len(out) != 60000 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if n, err := p.Stdout.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestStderrTail(t *testing.T) {
	p := mustStart(t, fake(t, "noise"))
	done(t, p)
	got := p.StderrTail()
	if len(got) != StderrLimit || !strings.HasSuffix(got, "line 19998\nline 19999\n") {
		t.Errorf("%d bytes, ending in %q", len(got), got[max(0, len(got)-30):])
	}
}

func TestStderrTailIncludesOutputBeforeStdout(t *testing.T) {
	for range 10 { // what a process writes first comes when it was hardly started
		p := mustStart(t, fake(t, "both"))
		lines := bufio.NewReader(p.Stdout)
		for n := range 30 {
			if _, err := fmt.Fprintln(p.Stdin, n); err != nil {
				t.Fatal(err)
			}
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("err %d\n", n); !strings.HasSuffix(p.StderrTail(), want) {
				t.Fatalf("line %d is not there: %q", n, p.StderrTail())
			}
		}
	}
}

func TestTailIsTheLastBytes(t *testing.T) {
	var whole, copied strings.Builder
	var kept tail
	before := ""
	for i := range 300 {
		s := strings.Repeat(string(rune('a'+i%26)), i*7%1500)
		if i == 150 {
			s = strings.Repeat("0123456789", 9000)
		}
		whole.WriteString(s)
		_, _ = kept.Write([]byte(s))
		want := whole.String()
		want = want[max(0, len(want)-StderrLimit):]
		if kept.since(0) != want {
			t.Fatalf("after write %d the tail differs", i)
		}
		if i == 200 {
			before = want
			kept.copyTo(&copied)
		}
		if i > 200 {
			before += s
		}
	}
	if copied.String() != before {
		t.Errorf("the copy has %d bytes, want %d", copied.Len(), len(before))
	}
}

func TestEnvironmentAndFolder(t *testing.T) {
	t.Setenv("FROM_WEFT", "app")
	t.Setenv("OVERRIDDEN", "app")
	dir := t.TempDir()
	p := mustStart(t, Spec{
		Command: "sh", Dir: dir, Env: map[string]string{"OVERRIDDEN": "own", "bad=name": "x"},
		Args: []string{"-c", `echo "$FROM_WEFT $OVERRIDDEN $(pwd) ${#WEFT_PROCESS_ID}"; ps -o pgid= -p $$; echo $$`},
	})
	out, _ := io.ReadAll(p.Stdout)
	got := strings.Fields(string(out))
	if real, _ := filepath.EvalSymlinks(dir); len(got) != 6 || got[0] != "app" || got[1] != "own" || got[2] != real || got[3] == "0" {
		t.Fatalf("got %q", got)
	}
	if got[4] != got[5] || got[4] == strconv.Itoa(syscall.Getpgrp()) {
		t.Errorf("process group %s of %s is not its own", got[4], got[5])
	}
}

func TestStartErrors(t *testing.T) {
	bin := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("plain", "#!/bin/sh\n", 0o644)
	text := put("text", "this is no program\n", 0o755)
	lost := put("lost", "#!/nonexistent/node\n", 0o755)
	for _, c := range []struct {
		name, command, code, message string
	}{
		{"not on PATH", "opencode-x", CodeMissing, "opencode-x wasn't found on PATH. Install it with `npm i -g opencode-ai`, or choose another agent in Settings."},
		{"no such file", "/nonexistent/agent", CodeMissing, "/nonexistent/agent doesn't exist. Install it with `npm i -g opencode-ai`, or choose another agent in Settings."},
		{"with arguments", "text acp --fast", CodeMissing, "text acp --fast contains arguments. Enter text as the command, and acp --fast as its arguments."},
		{"a path with arguments", text + " acp", CodeMissing, "Enter " + text + " as the command, and acp as its arguments."},
		{"relative", "./agent", CodeMissing, "absolute path"},
		{"not executable", "plain", CodeNotExecutable, "chmod +x"},
		{"a folder", bin, CodeNotExecutable, "is a folder"},
		{"no program", text, CodeNotExecutable, "#!/bin/sh"},
		{"no interpreter", lost, CodeNotExecutable, "needs a program that wasn't found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Start(t.Context(), Spec{
				Command: c.command, Dir: bin, Paths: testPaths(t, bin), InstallHint: "Install it with `npm i -g opencode-ai`",
			})
			var e *Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.message) {
				t.Errorf("error = %#v", err)
			}
		})
	}
	_, err := Start(t.Context(), Spec{Command: "sh", Dir: "/nonexistent", Paths: testPaths(t, bin)})
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeDirMissing {
		t.Errorf("missing folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Start(ctx, Spec{Command: "sh", Dir: bin, Paths: testPaths(t, "/bin:/usr/bin")}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestProgramThatIsStillWritten starts one that its installer hasn't closed yet.
func TestProgramThatIsStillWritten(t *testing.T) {
	bin := t.TempDir()
	path := filepath.Join(bin, "fresh")
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Skip(err)
	}
	written, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	if _, err := written.Write(program); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Command: path, Dir: bin, Paths: testPaths(t, bin)}
	p, err := Start(t.Context(), spec)
	if err == nil {
		done(t, p)
		t.Skip("this system starts programs that are being written")
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeStartFailed || !strings.Contains(e.Message, path+" is being written by another program") {
		t.Errorf("while it is written: %v", err)
	}
	time.AfterFunc(writtenTimeout/5, func() { _ = written.Close() })
	if p, err = Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	done(t, p)
	if p.Exit().Code != 0 {
		t.Errorf("%+v", p.Exit())
	}
}

func BenchmarkStart(b *testing.B) {
	paths := &Paths{getenv: os.Getenv, ready: make(chan struct{})}
	paths.once.Do(func() { close(paths.ready) })
	for b.Loop() {
		p, err := Start(context.Background(), Spec{Command: "true", Dir: "/", Paths: paths})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
	}
}

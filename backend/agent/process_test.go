//go:build unix

package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
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
	"burst": func() {
		_, _ = os.Stdout.Write([]byte(strings.Repeat("x", 60000)))
		os.Exit(1)
	},
}

// family is a script that starts relatives of every kind: in the agent's group, in
// a session of their own, orphaned, with a wiped environment. All hold stdout, most
// ignore SIGTERM, and each writes its pid into the file PIDS.
const family = `
stay='trap "" TERM HUP; echo $$ >> "$PIDS"; while :; do sleep 100; done'
sh -c "$stay" &
setsid sh -c "$stay" &
setsid -f sh -c "$stay"
setsid -f sh -c 'echo $$ >> "$PIDS"; sh -c "echo \$\$ >> \"\$PIDS\"; exec sleep 1000"'
setsid -f env -i PATH="$PATH" PIDS="$PIDS" sh -c "$stay"
until [ "$(grep -c . "$PIDS" 2>/dev/null)" = 6 ]; do sleep 0.02; done
echo ready
`

func self_(t *testing.T) string {
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
	return Spec{Name: name, Command: self_(t), Args: []string{name}}
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
	s, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("stdout: %v; stderr: %s", err, p.StderrTail())
	}
	return strings.TrimSpace(s)
}

// alive gives those of the pids that are not dead or a zombie.
func alive(pids []int) (living []int) {
	for _, pid := range pids {
		if _, err := startTime(pid); err == nil {
			living = append(living, pid)
		}
	}
	return living
}

func TestStopLadder(t *testing.T) {
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
			if took := time.Since(begin); took < c.atLeast || took > c.atLeast+3*time.Second {
				t.Errorf("took %v, want %v", took, c.atLeast)
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
	if took := time.Since(begin); took > time.Second {
		t.Errorf("took %v", took)
	}
}

func TestEndsByItself(t *testing.T) {
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

func TestStreamsAreAsAProgramExpects(t *testing.T) {
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

func TestTailIsTheLastBytes(t *testing.T) {
	var whole strings.Builder
	var kept tail
	for i := range 300 {
		s := strings.Repeat(string(rune('a'+i%26)), i*7%1500)
		if i == 150 {
			s = strings.Repeat("0123456789", 9000)
		}
		whole.WriteString(s)
		_, _ = kept.Write([]byte(s))
		want := whole.String()
		want = want[max(0, len(want)-StderrLimit):]
		if kept.String() != want {
			t.Fatalf("after write %d the tail differs", i)
		}
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

// familySpec runs the family and then the given shell code.
func familySpec(t *testing.T, then string) (Spec, string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("uses setsid(1)")
	}
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	return Spec{
		Command: "sh", Args: []string{"-c", family + then}, Dir: dir, Paths: testPaths(t, os.Getenv("PATH")),
		Env: map[string]string{"PIDS": pids},
	}, pids
}

func readPids(t *testing.T, path string) []int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// However an agent ends, nothing of its tree stays: not what changed its group or
// session, not what wiped its environment, not what ignores SIGTERM.
func TestTheWholeTreeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		then string
		stop bool
	}{
		"stopped while it runs": {"trap '' TERM; while :; do sleep 100; done", true},
		"ended with stdin":      {"cat", true},
		"exited":                {"exit 0", false},
		"crashed":               {"kill -SEGV $$; sleep 100", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, file := familySpec(t, c.then)
			p := mustStart(t, spec)
			if got := line(t, p); got != "ready" {
				t.Fatal(got)
			}
			pids := append(readPids(t, file), p.PID())
			if len(pids) != 7 {
				t.Fatalf("only %v", pids)
			}
			supervisor := p.tree.supervisor.Process.Pid
			if c.stop {
				if err := p.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			done(t, p)
			if left := alive(append(pids, supervisor)); len(left) > 0 {
				t.Errorf("left of the tree: %v", left)
			}
			if out, err := io.ReadAll(p.Stdout); err != nil || len(out) > 0 {
				t.Errorf("stdout after the end: %q, %v", out, err)
			}
			if list := under(table(), os.Getpid()); c.stop {
				for _, z := range list {
					if z.zombie && (z.pid == supervisor || z.pid == p.PID()) {
						t.Errorf("zombie %d", z.pid)
					}
				}
			}
		})
	}
}

// Killing the supervisor itself is the one thing it cannot see to.
func TestKilledSupervisorTakesTheTreeAlong(t *testing.T) {
	spec, file := familySpec(t, "while :; do sleep 100; done")
	p := mustStart(t, spec)
	line(t, p)
	pids := append(readPids(t, file), p.PID())
	if err := p.tree.supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	done(t, p)
	if !p.Exit().Lost || p.ExitErr() == nil {
		t.Errorf("exit = %+v", p.Exit())
	}
	// The one with a wiped environment has nothing left that ties it to the agent.
	left := alive(pids)
	if len(left) > 1 {
		t.Errorf("left of the tree: %v", left)
	}
	for _, pid := range left {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	// It also holds stdout; reading must come to an end all the same.
	if _, err := io.ReadAll(p.Stdout); err != nil {
		t.Error(err)
	}
}

func TestStopWorksWithAStoppedSupervisor(t *testing.T) {
	p := mustStart(t, fake(t, "deafer"))
	line(t, p)
	if err := p.tree.supervisor.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if left := alive([]int{p.PID(), p.tree.supervisor.Process.Pid}); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// appMain is a Weft that starts what it is told, says who runs, and waits to be killed.
func appMain(args []string) {
	var spec Spec
	if err := json.Unmarshal([]byte(args[0]), &spec); err != nil {
		panic(err)
	}
	p, err := Start(context.Background(), spec)
	if err != nil {
		panic(err)
	}
	if s, _ := bufio.NewReader(p.Stdout).ReadString('\n'); s != "ready\n" {
		panic(s + p.StderrTail())
	}
	fmt.Println(p.PID(), p.tree.supervisor.Process.Pid)
	select {}
}

// startApp runs appMain and gives it with the pids of the agent and its supervisor.
func startApp(t *testing.T, spec Spec) (app *exec.Cmd, pids []int) {
	t.Helper()
	spec.Paths = nil
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	app = exec.Command(self_(t), "test-app", string(text))
	app.Env = append(os.Environ(), "SHELL=/bin/false")
	app.Stderr = os.Stderr
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	var agent, supervisor int
	if _, err := fmt.Fscan(out, &agent, &supervisor); err != nil {
		t.Fatal(err)
	}
	return app, []int{agent, supervisor}
}

func TestKilledAppLeavesNothing(t *testing.T) {
	for range 3 {
		spec, file := familySpec(t, "trap '' TERM; while :; do sleep 100; done")
		app, pids := startApp(t, spec)
		pids = append(pids, readPids(t, file)...)
		if err := app.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = app.Wait()
		eventually(t, "the tree of a killed app is gone", func() bool { return len(alive(pids)) == 0 })
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
		{"not on PATH", "opencode-x", CodeMissing, "opencode-x was not found on PATH. Install it with `npm i -g opencode-ai`, or choose another agent in Settings."},
		{"no such file", "/nonexistent/agent", CodeMissing, "/nonexistent/agent does not exist. Install it with `npm i -g opencode-ai`, or choose another agent in Settings."},
		{"relative", "./agent", CodeMissing, "absolute path"},
		{"not executable", "plain", CodeNotExecutable, "chmod +x"},
		{"a folder", bin, CodeNotExecutable, "is a folder"},
		{"no program", text, CodeNotExecutable, "#!/bin/sh"},
		{"no interpreter", lost, CodeNotExecutable, "needs a program that is not there"},
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

func BenchmarkStart(b *testing.B) {
	exe, _ := os.Executable()
	paths := &Paths{getenv: os.Getenv, ready: make(chan struct{})}
	paths.once.Do(func() { close(paths.ready) })
	_ = exe
	for b.Loop() {
		p, err := Start(context.Background(), Spec{Command: "true", Dir: "/", Paths: paths})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
	}
}

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
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"weft/backend/base/simtest"
)

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

// alive gives those of the pids that are not dead or a zombie.
func alive(pids []int) (living []int) {
	for _, pid := range pids {
		if _, err := startTime(pid); err == nil {
			living = append(living, pid)
		}
	}
	return living
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

// However an agent ends, nothing of its tree remains: neither processes that changed their group or session, nor those
// that cleared their environment or ignore SIGTERM.
func TestTheWholeTreeEnds(t *testing.T) {
	t.Parallel()
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

// killBoth kills the supervisor and its guard so that neither sees the other's end.
func killBoth(p *Process) {
	pids := []int{p.tree.supervisor.Process.Pid, p.tree.inner.PID}
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range pids {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// Killing a supervisor and its guard ends only their tree, and no other process with an empty environment: neither the
// tree of another agent, nor programs that Weft has started itself.
func TestKilledSupervisorEndsOnlyItsOwnTree(t *testing.T) {
	t.Parallel()
	spec, file := familySpec(t, "while :; do sleep 100; done")
	otherSpec, otherFile := familySpec(t, "while :; do sleep 100; done")
	ownSpec, ownFile := familySpec(t, "while :; do sleep 100; done")
	own := exec.CommandContext(t.Context(), ownSpec.Command, ownSpec.Args...)
	own.Env = append(os.Environ(), "PIDS="+ownFile)
	ready, err := own.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ownPids := append(readPids(t, ownFile), own.Process.Pid)
	t.Cleanup(func() {
		for _, pid := range ownPids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = own.Wait()
	})
	p, other := mustStart(t, spec), mustStart(t, otherSpec)
	line(t, p)
	line(t, other)
	pids, otherPids := append(readPids(t, file), p.PID()), append(readPids(t, otherFile), other.PID())
	killBoth(p)
	done(t, p)
	if left := alive(pids); len(left) > 0 {
		t.Errorf("left of the tree: %v", left)
	}
	if n := len(alive(otherPids)); n != len(otherPids) {
		t.Errorf("%d of %d processes of the other agent live", n, len(otherPids))
	}
	if n := len(alive(ownPids)); n != len(ownPids) {
		t.Errorf("%d of %d processes of Weft itself live", n, len(ownPids))
	}
}

// Killing a supervisor, or its guard, leaves nothing either, not even processes that have cleared their environment.
func TestKilledSupervisorTakesTheTreeAlong(t *testing.T) {
	for name, kill := range map[string]func(p *Process){
		"the guard":      func(p *Process) { _ = p.tree.supervisor.Process.Kill() },
		"the supervisor": func(p *Process) { _ = syscall.Kill(p.tree.inner.PID, syscall.SIGKILL) },
		"both at once":   killBoth,
		"the supervisor while it is stopped": func(p *Process) {
			_ = syscall.Kill(p.tree.inner.PID, syscall.SIGSTOP)
			_ = syscall.Kill(p.tree.inner.PID, syscall.SIGKILL)
		},
	} {
		for range 4 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				spec, file := familySpec(t, "while :; do sleep 100; done")
				p := mustStart(t, spec)
				line(t, p)
				pids := append(readPids(t, file), p.PID())
				kill(p)
				done(t, p)
				if p.ExitErr() == nil {
					t.Errorf("exit = %+v", p.Exit())
				}
				if left := alive(append(pids, p.tree.inner.PID, p.tree.supervisor.Process.Pid)); len(left) > 0 {
					t.Errorf("left of the tree: %v", left)
				}
				if _, err := io.ReadAll(p.Stdout); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The exit of a program is known as soon as it has exited, however long its child processes take. A later stop doesn't
// change it.
func TestEndedFiresBeforeDone(t *testing.T) {
	t.Parallel()
	p := mustStart(t, Spec{Name: "parent", Command: "sh", Args: []string{"-c", `sh -c 'trap "" TERM; echo deaf; while :; do sleep 100; done' & read line; exit 3`}})
	line(t, p)
	if err := p.ExitErr(); err != nil {
		t.Errorf("before it ended: %v", err)
	}
	if _, err := p.Stdin.Write([]byte("end\n")); err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	const want = "parent exited with code 3."
	if err := p.ExitErr(); err == nil || err.Error() != want {
		t.Errorf("when it had ended: %v", err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.ExitErr(); err == nil || err.Error() != want {
		t.Errorf("after the stop: %v", err)
	}
}

func TestStopWorksWithAStoppedSupervisor(t *testing.T) {
	p := mustStart(t, fake(t, "deafer"))
	line(t, p)
	if err := errors.Join(p.tree.supervisor.Process.Signal(syscall.SIGSTOP), syscall.Kill(p.tree.inner.PID, syscall.SIGSTOP)); err != nil {
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
	fmt.Println(p.PID(), p.tree.supervisor.Process.Pid, p.tree.inner.PID)
	select {}
}

// startApp runs appMain and gives it with the pids of the agent, its guard and its supervisor.
func startApp(t *testing.T, spec Spec) (app *exec.Cmd, pids []int) {
	t.Helper()
	spec.Paths = nil
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	app = exec.CommandContext(t.Context(), executable(t), "test-app", string(text))
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
	var agent, guard, supervisor int
	if _, err := fmt.Fscan(out, &agent, &guard, &supervisor); err != nil {
		t.Fatal(err)
	}
	return app, []int{agent, guard, supervisor}
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
		simtest.Eventually(t, "the tree of a killed app is gone", func() bool { return len(alive(pids)) == 0 })
	}
}

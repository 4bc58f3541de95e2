//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/backend/api/service/spaces"
)

// roomVariable marks all processes of one space's agent.
const roomVariable = "WEFT_SYSTEMTEST_ROOM"

// family is what an agent may start: children, and a grandchild that left the process group and hears
// no SIGTERM. Arguments: mark, and one more line.
const family = `
sh -c ': %[1]s; sleep 1000; true' &
setsid sh -c 'trap "" TERM HUP INT; : %[1]s; while true; do sleep 1000; done' &
sleep 1000 &
%[2]s
wait`

// wiped is one that cannot be told by its environment, either.
const wiped = `setsid sh -c 'env -i setsid sh -c "trap \"\" TERM HUP; : %[1]s; while true; do sleep 1000; done" & true' &`

// tree starts a family in its first turn and then behaves as its argument says.
func tree(a *scripted) {
	stubbornly := a.args[0] == "stubborn"
	if stubbornly {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	a.open()
	a.prompt()
	mark := os.Getenv(roomVariable)
	more := ""
	if a.args[0] != "tame" {
		more = fmt.Sprintf(wiped, mark)
	}
	//nolint:noctx // that it outlives everything is the point
	cmd := exec.Command("sh", "-c", fmt.Sprintf(family, mark, more))
	if err := cmd.Start(); err != nil {
		a.tell(err.Error())
		return
	}
	for len(marked(mark, 0)) < 6 { // itself, two supervisors' worth of shells and sleeps
		<-time.After(5 * time.Millisecond)
	}
	a.say("all are there")
	a.tell("ready")
	switch a.args[0] {
	case "ends":
		a.end("end_turn")
	case "crashes":
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ()) // Go would survive it
	}
	if stubbornly {
		<-time.After(time.Hour)
	}
	a.method("session/cancel")
	a.end("cancelled")
	a.prompt()
}

// TestClosingLeavesNoProcesses ends an agent with a large family in every way there is.
func TestClosingLeavesNoProcesses(t *testing.T) {
	t.Parallel()
	shared := launch(t, t.TempDir())
	for _, c := range []struct {
		name, agent string
		own         bool // the app ends, too
		end         func(*testing.T, *room)
	}{
		{"the turn ends and the space goes", "ends", false, func(t *testing.T, r *room) {
			r.ended(t, "end_turn")
			r.do(t, "DeleteSpace", r.ref(), nil)
		}},
		{"stop, then the space goes", "waits", false, func(t *testing.T, r *room) {
			r.stop(t)
			r.ended(t, "cancelled")
			r.do(t, "DeleteSpace", r.ref(), nil)
		}},
		{"the space goes in the middle of a turn", "waits", false, func(t *testing.T, r *room) {
			r.do(t, "DeleteSpace", r.ref(), nil)
		}},
		{"the space goes, the agent hears nothing", "stubborn", false, func(t *testing.T, r *room) {
			r.do(t, "DeleteSpace", r.ref(), nil)
		}},
		{"the agent crashes", "crashes", false, func(t *testing.T, r *room) {
			r.ended(t, "error")
			if f := r.failure(t, "agent_exited"); !strings.Contains(f.Message, "SIGSEGV") {
				t.Errorf("the sentence is %q", f.Message)
			}
			r.kept(t)
		}},
		{"the agent is killed", "waits", false, func(t *testing.T, r *room) {
			r.signal(t, "scripted tree", syscall.SIGKILL)
			r.ended(t, "error")
			r.kept(t)
		}},
		{"the supervisor is killed", "tame", false, func(t *testing.T, r *room) {
			r.signal(t, supervisor, syscall.SIGKILL)
			r.ended(t, "error")
			r.kept(t)
		}},
		{"the agent is changed", "ends", false, func(t *testing.T, r *room) {
			r.ended(t, "end_turn")
			guide := "guide"
			r.do(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: r.id, AgentID: &guide}, nil)
		}},
		{"kill -9 of the app", "waits", true, func(_ *testing.T, r *room) { r.kill() }},
		{"kill -9 of the app, the agent hears nothing", "stubborn", true, func(_ *testing.T, r *room) { r.kill() }},
		{"SIGTERM of the app", "waits", true, func(t *testing.T, r *room) { r.app.stop(t) }},
		{"SIGTERM of the app, the agent hears nothing", "stubborn", true, func(t *testing.T, r *room) { r.app.stop(t) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := shared
			if c.own {
				a = launch(t, t.TempDir())
			}
			mark := "room" + strconv.FormatInt(time.Now().UnixNano(), 36)
			r := a.scriptedWith(t, map[string]string{roomVariable: mark}, "tree", c.agent)
			r.st.reset()
			r.send(t, "start a family")
			r.ctl.expect(t, "ready")
			// The one that crashes has counted them itself, and may be gone by now.
			if n := len(marked(mark, 0)); n < 6 && c.agent != "crashes" {
				t.Errorf("only %d processes were there to begin with", n)
			}
			c.end(t, r)
			noneLeft(t, mark, 0)
			if !c.own {
				a.alive(t)
			}
		})
	}
}

// signal sends a signal to the process of the room whose command line has text.
func (r *room) signal(t *testing.T, text string, sig syscall.Signal) {
	t.Helper()
	for pid, args := range marked(r.ctl.l.Addr().String(), r.cmd.Process.Pid) {
		if text == supervisor {
			pid, args = above(pid, supervisor)
		}
		if !strings.Contains(args, text) {
			continue
		}
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no process has %q", text)
}

// supervisor is what the arguments of a supervisor hold. Its environment holds nothing of its agent's.
var supervisor = "supervise --"

// above returns the nearest process above pid whose arguments hold text; 0 if there is none.
func above(pid int, text string) (int, string) {
	for pid > 1 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, ""
		}
		_, fields, _ := strings.Cut(string(stat), ") ") // the name of a program may hold spaces
		parts := strings.Fields(fields)
		if len(parts) < 2 {
			return 0, ""
		}
		if pid, err = strconv.Atoi(parts[1]); err != nil {
			return 0, ""
		}
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return 0, ""
		}
		if line := strings.ReplaceAll(string(args), "\x00", " "); strings.Contains(line, text) {
			return pid, line
		}
	}
	return 0, ""
}

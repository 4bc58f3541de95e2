//go:build linux

package systemtest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weft/backend/agent/sandbox"
	"weft/backend/api/service/conversation"
)

// held are folders with a repository, made below one that is empty.
var held = map[string]func(t *testing.T, base string) string{
	"a repository":             repository,
	"a folder of a repository": func(t *testing.T, base string) string { return filepath.Join(repository(t, base), "sub") },
	"a linked worktree": func(t *testing.T, base string) string {
		whole, linked := repository(t, base), filepath.Join(base, "trees/linked")
		shell(t, `cd "$1" && git worktree add -q -b other "$2"`, whole, linked)
		return linked
	},
	"a folder without a repository": func(t *testing.T, base string) string {
		folder := filepath.Join(base, "plain")
		shell(t, `mkdir -p "$1/sub" && cd "$1" && echo old > a.txt && echo old > sub/b.txt`, folder)
		return folder
	},
}

// repository makes a repository with a commit.
func repository(t *testing.T, base string) string {
	t.Helper()
	whole := filepath.Join(base, "work/whole")
	shell(t, `mkdir -p "$1/sub/deep"; cd "$1"
git init -q -b main . && git config user.email a@b && git config user.name A
echo old > a.txt; echo old > sub/b.txt; echo old > sub/deep/c.txt; echo '#!/bin/sh' > run.sh; chmod +x run.sh; ln -s a.txt link
git add . && git commit -qm first`, whole)
	return whole
}

func shell(t *testing.T, script string, args ...string) {
	t.Helper()
	if out, err := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// contents are the files below some folders, with what they hold.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(b)
		}
		all[strings.TrimPrefix(path, dir)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// changed names what differs.
func changed(before, after map[string]string) (list []string) {
	for path, text := range before {
		if after[path] != text {
			list = append(list, path)
		}
	}
	for path := range after {
		if _, was := before[path]; !was {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// waysToWrite are shell commands that try to change the folder that they run in, $F. Where nothing holds them, they change nothing else.
var waysToWrite = map[string]string{
	"write":         `echo evil > a.txt; echo evil >> sub/b.txt; echo evil > b.txt; echo evil > "$F/new"`,
	"replace":       `cp /etc/hostname "$F/.x" && mv "$F/.x" "$F/a.txt"; cp /etc/hostname "$F.x" && mv "$F.x" "$F/a.txt"; rm -f "$F.x"`,
	"remove":        `rm -rf "${F:?}"/* "${F:?}"/.git*; rmdir "$F"; find "${F:?}" -delete`,
	"make":          `mkdir d; mkfifo p; ln -s /etc l; ln a.txt h; touch t; mknod n p`,
	"cut off":       `truncate -s 0 a.txt b.txt; : > a.txt; dd if=/dev/zero of=a.txt count=1`,
	"move":          `mv "$F" "$F.moved"; P=$(dirname "$F"); mv "$P" "$P.moved" && mkdir -p "$F" && echo evil > "$F/a.txt"`,
	"git":           `git add -A; git commit --allow-empty -qm evil; git tag evil; git config core.pager evil; git branch evil; git stash; git checkout -b evil`,
	"linked":        `ln a.txt "$F.h" && echo evil > "$F.h"; ln -s "$F" "$F.l"; echo evil > "$F.l/a.txt"; rm -f "$F.h" "$F.l"`,
	"otherwise":     `for p in /proc/[0-9]*; do echo evil > "$p/root$F/a.txt"; [ "$(readlink $p/cwd)" = "$F" ] && echo evil > $p/cwd/a.txt; done`,
	"namespace":     `for u in -Urm -Um; do unshare $u sh -c 'mount -o remount,rw,bind "$F"; umount -l "$F"; mkdir "$F.n"; mount --bind / "$F.n"; echo evil > "$F.n$F/a.txt"; echo evil > "$F/a.txt"'; rmdir "$F.n"; done`,
	"mount":         `unshare -m sh -c 'mount -o remount,rw,bind "$F"; umount "$F"; mkdir "$F.n"; mount --bind / "$F.n"; echo evil > "$F.n$F/a.txt"; echo evil > a.txt'; rmdir "$F.n"; mount -o remount,rw,bind "$F"; echo evil > a.txt`,
	"bubblewrap":    `bwrap --bind / / --dev /dev --proc /proc sh -c 'echo evil > "$F/a.txt"'; bwrap --unshare-user --uid 0 --gid 0 --bind / / --dev /dev sh -c 'mount -o remount,rw,bind "$F"; echo evil > "$F/a.txt"'`,
	"in background": `(setsid sh -c 'sleep 0.2; echo evil > "$F/a.txt"' &) ; sleep 0.4`,
}

// withoutBubblewrap is the environment of a Weft that doesn't find bubblewrap.
func withoutBubblewrap(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		list, err := os.ReadDir(from)
		if err != nil {
			continue
		}
		for _, e := range list {
			if e.Name() != "bwrap" {
				_ = os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name()))
			}
		}
	}
	return []string{"PATH=" + dir}
}

// launchUnsealed is launch on a machine that can't keep a program from writing a folder: there is no bubblewrap, and the kernel has no Landlock.
func launchUnsealed(t testing.TB, home string, args ...string) *app {
	t.Helper()
	a, err := prepare(home, args...)
	if err == nil {
		a.cmd.Args = slices.Insert(a.cmd.Args, 1, "unsealed")
		a.cmd.Env = append(a.cmd.Env, withoutBubblewrap(t)...)
	}
	return a.launched(t, err)
}

// unsealedMain continues as this program with other arguments, without Landlock: the kernel answers as one that doesn't know it.
func unsealedMain(args []string) int {
	runtime.LockOSThread()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err == nil {
		err = syscall.Exec("/proc/self/exe", append([]string{os.Args[0]}, args...), os.Environ())
	}
	fmt.Fprintln(os.Stderr, "weft:", err)
	return 1
}

// TestReadOnlySpaceRunsUnsealedWhereNothingCanSeal: the user is asked before the prompt, and can send it all the same.
func TestReadOnlySpaceRunsUnsealedWhereNothingCanSeal(t *testing.T) {
	t.Parallel()
	a := launchUnsealed(t, t.TempDir())
	r := a.scripted(t, "shells", "without modes")
	r.mode(t, "read-only")
	r.send(t, "echo new > made; cat made")
	id, title, _ := r.held(t)
	contains(t, "before the prompt", title, "This space is read-only, but Weft can't keep Scripted shells from changing files")
	r.decide(t, id, "accept", "send")
	if got := r.ctl.hear(t); strings.TrimSpace(got) != "new|" {
		t.Errorf("it wrote %q", got)
	}
	r.ended(t, "end_turn")
}

// TestModeHoldsForWhatIdleAgentsLeftRunning has an agent leave something running that writes, in a space that becomes read-only between two turns, and in one
// that does so during a turn.
func TestModeHoldsForWhatIdleAgentsLeftRunning(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	a := launch(t, t.TempDir())
	r := a.scripted(t, "shells")
	r.send(t, `(setsid sh -c 'while :; do date +%N > .beat && mv .beat beat; sleep 0.02; done' >/dev/null 2>&1 &); until [ -e beat ]; do sleep 0.01; done`)
	r.ctl.hear(t)
	r.ended(t, "end_turn")
	r.mode(t, "read-only")
	beat := func() string { b, _ := os.ReadFile(r.path("beat")); return string(b) }
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last := beat()
	for deadline := time.Now().Add(timeout); ; last = beat() {
		<-tick.C
		if beat() == last && last != "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it writes on")
		}
	}
	r.st.reset()
	r.send(t, "echo evil > beat; cat beat")
	if got := r.ctl.hear(t); strings.Contains(got, "evil|") {
		t.Errorf("in the next turn it wrote %q", got)
	}
	r.ended(t, "end_turn")

	// During a turn it is said.
	r.mode(t, "rules")
	r.st.reset()
	r.send(t, "touch begun; until [ -e over ]; do sleep 0.01; done; echo last > beat; cat beat")
	appears(t, r.path("begun"))
	r.mode(t, "read-only")
	r.st.until(t, "the space is told", func(v *seen) bool {
		return strings.Contains(jsonOf(v.conv.Messages), "by itself from the next prompt")
	})
	r.put(t, "over", "")
	if got := r.ctl.hear(t); strings.TrimSpace(got) != "last|" {
		t.Errorf("the turn wrote %q", got)
	}
	r.ended(t, "end_turn")
}

// TestModeHoldsForAgentThatStarts makes a space read-only while its agent is started for a prompt.
func TestModeHoldsForAgentThatStarts(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	a := launch(t, home)
	ctl, begun, may := listen(t), filepath.Join(home, "begun"), filepath.Join(home, "may")
	script := `touch "$1"; until [ -e "$2" ]; do sleep 0.02; done; shift 2; exec "$@"`
	r := a.enter(t, t.TempDir(), a.custom(t, "Slow", "/bin/sh", map[string]string{controlVariable: ctl.l.Addr().String()}, "-c", script, "sh", begun, may, scriptedProgram, "scripted", "shells"))
	r.steer(ctl)
	t.Cleanup(r.st.close)
	r.send(t, "echo evil > made; ls")
	appears(t, begun)
	r.mode(t, "read-only")
	if err := os.WriteFile(may, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.ctl.hear(t); strings.Contains(got, "|made|") || !strings.Contains(got, "Read-only") && !strings.Contains(got, "denied") {
		t.Errorf("it wrote %q", got)
	}
	r.ended(t, "end_turn")
}

// TestModeHoldsForPromptThatWaits makes a space read-only, and writable again, while a prompt waits for an answer of the user.
func TestModeHoldsForPromptThatWaits(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	a := launch(t, t.TempDir())
	r := a.scripted(t, "shells", "without modes")
	r.mode(t, "ask")
	r.send(t, "echo evil > made; ls")
	id, _, _ := r.held(t)
	r.mode(t, "read-only")
	r.decide(t, id, "accept", "send")
	if got := r.ctl.hear(t); strings.Contains(got, "|made|") || !strings.Contains(got, "Read-only") && !strings.Contains(got, "denied") {
		t.Errorf("it wrote %q", got)
	}
	r.ended(t, "end_turn")
	contains(t, "it is said", r.notes(), "can't change anything in the folder of this space")
	r.mode(t, "rules")
	r.st.reset()
	r.send(t, "echo mine > made; cat made")
	if got := r.ctl.hear(t); !strings.Contains(got, "mine|") {
		t.Errorf("in a space that isn't read-only it wrote %q", got)
	}
	r.ended(t, "end_turn")
}

// appears waits for a file.
func appears(t testing.TB, path string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(timeout); ; <-tick.C {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s doesn't appear", path)
		}
	}
}

// TestAskedAgentIsHeldAsItsAskerIs has an agent of a read-only space ask one that doesn't ask, in a space that isn't read-only.
func TestAskedAgentIsHeldAsItsAskerIs(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	a := launch(t, t.TempDir())
	c := a.crew(t, "Ann")
	c.ctls["Ben"] = listen(t)
	c.agents["Ben"] = a.custom(t, "Agent Ben", scriptedProgram, map[string]string{controlVariable: c.ctls["Ben"].l.Addr().String()}, "scripted", "shells")
	from, to := c.space(t, "read-only", "Ann"), c.space(t, "rules", "Ann", "Ben")
	write := "echo new > ben.txt; cat ben.txt"
	from.steps(t, always("yes"), step{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": to.id, "text": write, "mention": "Ben", "wait": true}})
	if got := c.ctls["Ben"].hear(t); !strings.Contains(got, "ben.txt") || strings.Contains(got, "new|") {
		t.Errorf("asked by an agent that is read-only, it wrote %q", got)
	}
	var res conversation.SendPromptResult
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: to.id, Text: write, To: []string{to.memberNamed(t, "Ben")}}, &res)
	if got := c.ctls["Ben"].hear(t); !strings.Contains(got, "new|") {
		t.Errorf("asked by the user, it wrote %q", got)
	}
}

// TestReadOnlySpaceHoldsAgentsThatDoNotAsk lets an agent that acts by itself try what it can. Nobody has chosen a sandbox for it.
func TestReadOnlySpaceHoldsAgentsThatDoNotAsk(t *testing.T) {
	t.Parallel()
	for _, w := range []struct {
		name string
		env  func(t testing.TB) []string
		user string
	}{{name: "bubblewrap"}, {name: "Landlock", env: withoutBubblewrap}, {name: "bubblewrap, not the administrator", user: "65534"}} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if err := sandbox.CanSeal(); err != nil {
				t.Skip(err)
			}
			if err := sandbox.Available(); err != nil && w.env == nil {
				t.Skip(err)
			}
			home, program := t.TempDir(), scriptedProgram
			shell(t, `mkdir "$1/.cache"`, home)
			var env, args []string
			if w.env != nil {
				env = w.env(t)
			}
			if w.user != "" {
				if os.Getuid() != 0 {
					t.Skip("the other tests aren't run by the administrator either")
				}
				program, args = filepath.Join(home, "program"), []string{"--uid=" + w.user}
				if err := os.Link(scriptedProgram, program); err != nil {
					t.Fatal(err)
				}
				shell(t, `chmod 755 "$(dirname "$1")"; mkdir "$1/data"; chown -R "$2" "$1"`, home, w.user)
			}
			a := launchWith(t, home, env, args...)
			for name, make := range held {
				t.Run(name, func(t *testing.T) {
					base := t.TempDir()
					folder := make(t, base)
					if w.user != "" {
						shell(t, `chmod 755 "$(dirname "$1")"; chown -R "$2" "$1"`, base, w.user)
					}
					a.triesToWrite(t, program, base, folder)
				})
			}
		})
	}
}

// triesToWrite runs all of waysToWrite in a read-only space with a folder below base.
func (a *app) triesToWrite(t *testing.T, program, base, folder string) {
	t.Helper()
	ctl := listen(t)
	env := map[string]string{controlVariable: ctl.l.Addr().String(), "F": folder}
	r := a.enter(t, folder, a.custom(t, "Shells "+t.Name(), program, env, "scripted", "shells"))
	r.steer(ctl)
	t.Cleanup(r.st.close)
	r.mode(t, "read-only")
	before := contents(t, base)
	for _, way := range slices.Sorted(maps.Keys(waysToWrite)) {
		r.st.reset()
		r.send(t, waysToWrite[way])
		got := r.ctl.hear(t)
		r.ended(t, "end_turn")
		now := contents(t, base)
		if len(changed(before, now)) > 0 {
			t.Errorf("%s: it has changed %q, and said %q", way, changed(before, now), got)
		}
		before = now
	}
	// The rest of the machine is as it was.
	r.st.reset()
	r.send(t, `cat a.txt b.txt 2>/dev/null; git status --short 2>&1; echo mine > ~/.cache/made && cat ~/.cache/made; F=$(mktemp) && echo mine > $F && rm $F && echo yours`)
	if got := r.ctl.hear(t); !strings.Contains(got, "old|") || !strings.HasSuffix(strings.TrimSpace(got), "mine|yours|") {
		t.Errorf("it reads, and works elsewhere: %q", got)
	}
	r.ended(t, "end_turn")
}

//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain is also a program that connects to sockets, and one that runs a test with mounts of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "ask" {
		asks()
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "dial" {
		for _, address := range os.Args[2:] {
			conn, err := net.Dial("unix", address)
			if err != nil {
				fmt.Println(address, "can't be reached:", err)
				continue
			}
			b := make([]byte, 5)
			n, _ := conn.Read(b)
			fmt.Println(address, string(b[:n]))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// home makes a home with secrets, and a folder of a space in it.
func home(t *testing.T) (home, folder string) {
	t.Helper()
	base, err := os.MkdirTemp(visible(t), "testhome")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	if home, err = filepath.Abs(base); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, ".cache"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		".ssh/id_x": "SECRET", ".config/gh/hosts.yml": "SECRET", ".netrc": "SECRET", ".claude/credentials": "SECRET", ".pi/own": "mine", ".bashrc": "alias",
		"data/weft.db": "SECRET", "data/agents/pi/run": "installed", "work/main.go": "package main", "data/spaces/s1/note": "note", "elsewhere/settings.json": "SECRET", "elsewhere/other": "beside",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return home, filepath.Join(home, "work")
}

// visible returns a folder that isn't empty in the sandbox, as those below /tmp are: this one, or the user's home where Weft was cloned to /tmp.
func visible(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(dir, "/tmp/") && !strings.HasPrefix(dir, "/var/tmp/") && !strings.HasPrefix(dir, "/dev/shm/") {
		return dir
	}
	if dir, err = os.UserHomeDir(); err != nil {
		t.Skip(err)
	}
	return dir
}

// sh runs a script in the sandbox and returns what it wrote.
func sh(t *testing.T, p Plan, script string) string {
	t.Helper()
	if err := CanSeal(); err != nil {
		t.Skip(err)
	}
	if err := Available(); err != nil && !p.SealOnly {
		t.Skip(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Visible = append(slices.Clone(p.Visible), exe)
	c, err := p.Wrap("/bin/sh", []string{"-c", script})
	if err != nil {
		t.Fatal(err)
	}
	if c.End != nil {
		defer c.End()
	}
	cmd := exec.CommandContext(t.Context(), c.Path, c.Args...)
	cmd.Dir = p.Folder
	cmd.Env = append(append(os.Environ(), "DIAL="+exe+" dial", "ASK="+exe+" ask"), c.Env...)
	var out []byte
	restricted(t, c.Restriction, func() { out, err = cmd.CombinedOutput() })
	if err != nil {
		t.Logf("%v", err)
	}
	return string(out)
}

// restricted runs do in a thread that has taken a restriction and ends with it.
func restricted(t *testing.T, r *Restriction, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		var err error
		if r != nil {
			err = r.Take()
		}
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// withoutBubblewrap lets only Landlock be found for the rest of the test.
func withoutBubblewrap(t *testing.T) {
	t.Helper()
	if landlock() < landlockSeals {
		t.Skip("the kernel doesn't have Landlock")
	}
	forget := func() {
		probe.Lock()
		defer probe.Unlock()
		probe.path = ""
	}
	forget()
	t.Cleanup(forget)
	t.Setenv("PATH", "/nowhere")
}

// listens opens a socket that says "hello" to everyone.
func listens(t *testing.T, address string) net.Listener {
	t.Helper()
	if filepath.IsAbs(address) {
		if err := os.MkdirAll(filepath.Dir(address), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("hello"))
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestSandboxConfinesPrograms(t *testing.T) {
	at, folder := home(t)
	plan := Plan{Folder: folder, Home: at, Agent: "pi", Hidden: []string{filepath.Join(at, "data")}, Visible: []string{filepath.Join(at, "data/agents")}}
	readOnly := plan
	readOnly.ReadOnly = true
	inData := plan
	inData.Folder = filepath.Join(at, "data/spaces/s1")
	wholeHome := plan
	wholeHome.Folder = at
	seal := readOnly
	seal.SealOnly, seal.Hidden = true, append(seal.Hidden, filepath.Join(at, "elsewhere/settings.json"))
	plan.Hidden = seal.Hidden
	homeSealed := seal
	homeSealed.Folder = at
	t.Setenv("SSH_AUTH_SOCK", "/run/agent.sock")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", "")
	for _, c := range []struct {
		name, script string
		plan         Plan
		want, not    string
		file, holds  string // afterwards, below the home
	}{
		{name: "writes the folder", plan: plan, script: "echo x > new && cat new", want: "x", file: "work/new", holds: "x\n"},
		{name: "a read-only folder", plan: readOnly, script: "echo x > main.go; cat main.go", want: "Read-only file system", file: "work/main.go", holds: "package main"},
		{name: "the user's shell files", plan: plan, script: "echo evil >> ../.bashrc; echo evil > " + at + "/.profile", want: "Read-only file system", file: ".bashrc", holds: "alias"},
		{name: "system folders", plan: plan, script: "touch /etc/evil /usr/evil /var/evil && echo done", want: "Read-only file system", not: "done"},
		{name: "keys", plan: plan, script: "ls -A ../.ssh; cat ../.ssh/id_x ../.config/gh/hosts.yml ../.netrc", want: "No such file", not: "SECRET"},
		{name: "keys are not made", plan: plan, script: "touch ../.ssh/authorized_keys && echo done", not: "done"},
		{name: "another agent's folder", plan: plan, script: "cat ../.claude/credentials", want: "No such file", not: "SECRET"},
		{name: "its own folder", plan: plan, script: "cat ../.pi/own; echo more >> ../.pi/own", want: "mine", file: ".pi/own", holds: "minemore\n"},
		{name: "Weft's data", plan: plan, script: "cat ../data/weft.db; cat ../data/agents/pi/run; echo x > ../data/agents/pi/run", want: "installed", not: "SECRET", file: "data/agents/pi/run", holds: "installed"},
		{name: "a folder in Weft's data", plan: inData, script: "cat note ../../weft.db; echo x > note", want: "note", not: "SECRET", file: "data/spaces/s1/note", holds: "x\n"},
		{name: "the home as the folder", plan: wholeHome, script: "cat .ssh/id_x data/weft.db; echo x > .bashrc", not: "SECRET", file: ".bashrc", holds: "x\n"},
		{name: "through links", plan: plan, script: "ln -s ../.ssh/id_x l; cat l; ln -s ../.bashrc b; echo evil >> b", not: "SECRET"},
		{name: "other processes", plan: plan, script: "ls -d /proc/[0-9]* | wc -l | tr -d ' '; kill -9 " + "1", not: "SECRET"},
		{name: "sockets of the session", plan: plan, script: `ls -A /run/user /run/dbus 2>/dev/null; echo "[$SSH_AUTH_SOCK$DISPLAY$DBUS_SESSION_BUS_ADDRESS]"`, want: "[]"},
		{name: "a private temporary folder", plan: plan, script: "ls -A /tmp; touch /tmp/x && echo done", want: "done"},
		{name: "no new rights", plan: plan, script: "grep NoNewPrivs /proc/self/status", want: "NoNewPrivs:\t1"},
		{name: "Weft's settings elsewhere", plan: plan, script: "cat ../elsewhere/settings.json; cat ../elsewhere/other", want: "beside", not: "SECRET"},
		{name: "sealed: the folder", plan: seal, script: "echo x > main.go; touch new; cat main.go", want: "Read-only file system", file: "work/main.go", holds: "package main"},
		{name: "sealed: the rest of the home", plan: seal, script: "cat ../.ssh/id_x; echo x > ../.netrc; cat ../.netrc", want: "SECRETx\n"},
		{name: "sealed: Weft's data and settings", plan: seal, script: "cat ../data/weft.db ../elsewhere/settings.json; echo evil > ../data/weft.db; echo evil > ../elsewhere/settings.json; cat ../elsewhere/other", want: "beside", not: "SECRET", file: "data/weft.db", holds: "SECRET"},
		{name: "sealed: the home as the folder", plan: homeSealed, script: "echo evil > .bashrc; echo evil > new; echo more >> .pi/own && mkdir .cache/mine && echo done", want: "done", file: ".bashrc", holds: "alias"},
		{name: "sealed: the home, but its own folder", plan: homeSealed, script: "echo more >> .pi/own; cat .pi/own", want: "minemore"},
		{name: "sealed: the folder above", plan: seal, script: "mv " + at + " " + at + ".moved; mkdir -p " + folder + "; echo evil > main.go", want: "Device or resource busy", file: "work/main.go", holds: "package main"},
		{name: "sealed: temporary files", plan: seal, script: "f=$(mktemp) && echo done > $f && cat $f && rm $f", want: "done"},
		{name: "sealed: system settings", plan: seal, script: "for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/power/state; do test -e $f && (: >> $f) && echo writable; done; echo done", want: "done", not: "writable"},
		{name: "sealed: system settings in a namespace", plan: seal, script: `for kind in proc sysfs cgroup; do unshare -Urmpf sh -c "mount -t $kind none /mnt && for f in /mnt/sys/kernel/core_pattern /mnt/kernel/uevent_helper /mnt/power/state /mnt/release_agent; do test -e \$f && (: >> \$f) && echo writable; done"; done; echo done`, want: "done", not: "writable"},
		{name: "sealed: a sandbox of its own", plan: seal, script: "bwrap --unshare-user --unshare-pid --ro-bind / / --dev /dev /bin/true && echo done", want: "done"},
		{name: "sealed: devices", plan: seal, script: "mknod ../disk b 254 0; mknod /tmp/disk.$$ b 7 0; ls /dev/vda /dev/sda /dev/mem; test -e ../disk || echo none", want: "none"},
		{name: "mounting it away", plan: plan, script: "umount " + at + "/.ssh; mount -o remount,rw /; cat ../.ssh/id_x", not: "SECRET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := sh(t, c.plan, c.script)
			if !strings.Contains(out, c.want) || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("it wrote %q; want %q, not %q", out, c.want, c.not)
			}
			if c.file != "" {
				if text, err := os.ReadFile(filepath.Join(at, c.file)); err != nil || string(text) != c.holds {
					t.Errorf("%s holds %q, %v", c.file, text, err)
				}
				_ = os.WriteFile(filepath.Join(at, ".bashrc"), []byte("alias"), 0o644)
			}
		})
	}
}

// Without a network not even this machine's own addresses are there.
func TestOffline(t *testing.T) {
	at, folder := home(t)
	for _, offline := range []bool{false, true} {
		out := sh(t, Plan{Folder: folder, Home: at, Offline: offline}, "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' ' | grep -v '^lo$' | head -1; readlink /proc/self/ns/net")
		own, err := os.Readlink("/proc/self/ns/net")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, own) == offline {
			t.Errorf("offline %v: %q, this process has %s", offline, out, own)
		}
	}
}

func TestTablesAreWellFormed(t *testing.T) {
	if len(tables().hidden) < 50 || len(tables().homes) < 20 {
		t.Fatal("the tables are empty")
	}
	for _, path := range tables().hidden {
		if path == "" || filepath.IsAbs(path) || filepath.Clean(path) != path {
			t.Errorf("%q is no path below the home", path)
		}
	}
	sockets := tables().sockets
	for _, path := range slices.Concat(sockets.Hidden, sockets.Needed, sockets.Watched) {
		if filepath.Clean(path) != path {
			t.Errorf("%q is no path", path)
		}
	}
	for _, path := range sockets.Needed {
		if !filepath.IsAbs(path) {
			t.Errorf("%q isn't absolute", path)
		}
	}
}

// TestCanSealDoesNotBlock installs bubblewrap after it was looked for.
func TestCanSealDoesNotBlock(t *testing.T) {
	before := landlock
	landlock = func() int { return 0 }
	reset := func() {
		probe.Lock()
		defer probe.Unlock()
		probe.path, probe.err, probe.at = "", nil, time.Time{}
	}
	reset()
	t.Cleanup(func() {
		landlock = before
		reset()
	})
	t.Setenv("PATH", "/nowhere")
	why := (*Error)(nil)
	if err := CanSeal(); !errors.As(err, &why) || why.Code != "sandbox_missing" {
		t.Errorf("without bubblewrap: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\nuntil test -e "+dir+"/go; do sleep 0.02; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	if err := CanSeal(); err == nil {
		t.Error("what was found a moment ago isn't used")
	}
	probe.Lock()
	probe.at = probe.at.Add(-2 * again)
	probe.Unlock()
	if err := CanSeal(); err == nil { // although the probe doesn't end
		t.Error("it has waited for the probe")
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); CanSeal() != nil; <-tick.C {
		if time.Now().After(limit) {
			t.Fatal("bubblewrap that was installed isn't found")
		}
	}
}

// TestSocketsOfOtherProgramsAreOutOfReach opens sockets where container runtimes, terminals and others have them.
func TestSocketsOfOtherProgramsAreOutOfReach(t *testing.T) {
	at, folder := home(t)
	base := t.TempDir()
	abstract := "@" + filepath.Join(base, "abstract")
	places := []string{ // short, because the system allows no long ones
		filepath.Join(at, ".docker/run/docker.sock"), filepath.Join(at, ".colima/d.sock"), filepath.Join(at, ".pi/daemon.sock"), filepath.Join(at, "app.sock"),
		filepath.Join(folder, "s.sock"), filepath.Join(base, "only/s.sock"), filepath.Join(at, ".ssh/cm-x"),
	}
	t.Chdir(at) // a relative address is short
	var addresses []string
	for _, place := range places {
		listens(t, place)
		addresses = append(addresses, place)
	}
	if err := os.WriteFile(filepath.Join(base, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gateway := filepath.Join(at, "data/gateway.sock")
	listens(t, gateway)
	scoped := landlock() >= landlockScopes
	listens(t, abstract)
	for name, p := range map[string]Plan{
		"a sandbox": {Folder: folder, Home: at, Agent: "pi", Hidden: []string{filepath.Join(at, "data")}, Visible: []string{gateway}},
		"a seal":    {Folder: folder, Home: at, Agent: "pi", ReadOnly: true, SealOnly: true, Hidden: []string{filepath.Join(at, "data")}, Visible: []string{gateway}},
	} {
		if err := Available(); err != nil {
			t.Skip(err)
		}
		for _, address := range addresses {
			if out := sh(t, p, "$DIAL "+address); !strings.Contains(out, "can't be reached") {
				t.Errorf("%s: %s", name, out)
			}
		}
		if out := sh(t, p, "$DIAL '"+abstract+"'"); scoped && !strings.Contains(out, "can't be reached") {
			t.Errorf("%s: %s", name, out)
		}
		if out := sh(t, p, "$DIAL "+gateway); !strings.Contains(out, "hello") {
			t.Errorf("%s: what is meant for it can't be reached: %s", name, out)
		}
	}
	t.Run("by Landlock", func(t *testing.T) {
		withoutBubblewrap(t)
		if !scoped {
			t.Skip("the kernel can't")
		}
		if out := sh(t, Plan{Folder: folder, Home: at, ReadOnly: true, SealOnly: true}, "$DIAL '"+abstract+"'"); !strings.Contains(out, "can't be reached") {
			t.Error(out)
		}
	})
}

// TestSocketsThatAreOpenedLaterAreOutOfReach opens one again in a place of its own, and one in a known place.
func TestSocketsThatAreOpenedLaterAreOutOfReach(t *testing.T) {
	at, folder := home(t)
	base := t.TempDir()
	only, docker := filepath.Join(base, "only/s.sock"), filepath.Join(at, ".docker/run/d.sock")
	first := listens(t, only)
	if err := os.MkdirAll(filepath.Dir(docker), 0o700); err != nil {
		t.Fatal(err)
	}
	ready, opened := filepath.Join(at, "ready"), filepath.Join(at, "opened")
	go func() {
		for tick := time.Tick(5 * time.Millisecond); !exists(ready); {
			<-tick
		}
		_ = first.Close()
		listens(t, only)
		listens(t, docker)
		_ = os.WriteFile(opened, nil, 0o600)
	}()
	p := Plan{Folder: folder, Home: at, ReadOnly: true, SealOnly: true}
	out := sh(t, p, fmt.Sprintf("touch %s; until test -e %s; do sleep 0.02; done; $DIAL %s %s", ready, opened, only, docker))
	if strings.Contains(out, "hello") || strings.Count(out, "can't be reached") != 2 {
		t.Error(out)
	}
}

// A program may end between Weft's look at the open sockets and bubblewrap's mounts over them.
func TestSocketThatIsGoneLeavesNothing(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	at, folder := home(t)
	own, beside := filepath.Join(at, ".own/deep/s.sock"), filepath.Join(at, "elsewhere/s.sock")
	sockets := []net.Listener{listens(t, own), listens(t, beside)}
	c, err := Plan{Folder: folder, Home: at, ReadOnly: true, SealOnly: true}.Wrap("/bin/true", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range sockets {
		_ = l.Close()
	}
	if err := os.RemoveAll(filepath.Join(at, ".own")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), c.Path, c.Args...)
	restricted(t, c.Restriction, func() { err = cmd.Run() })
	if err != nil {
		t.Fatal(err)
	}
	c.End()
	for _, path := range []string{own, beside, filepath.Join(at, ".own")} {
		if exists(path) {
			t.Errorf("%s is left", path)
		}
	}
	if !exists(filepath.Join(at, "elsewhere/other")) {
		t.Error("a file of the user is gone")
	}
}

func TestOnlyNewEmptyFilesAreLeftovers(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	created := func(path string) time.Time {
		var st unix.Statx_t
		if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
			t.Skip("this file system doesn't know when a file was created")
		}
		return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
	}
	old := put("old/empty", "")
	began := created(old)
	tick := time.Tick(time.Millisecond)
	for n := 0; !began.After(created(old)); n++ { // its clock has coarse steps
		<-tick
		began = created(put(fmt.Sprint("probe", n), ""))
	}
	full, made, one, two := put("full", "text"), put("old/made", ""), put("new/a", ""), put("new/b", "")
	removeLeftovers([]string{old, full, made, one, filepath.Join(dir, "none")}, began)
	for path, stays := range map[string]bool{old: true, full: true, made: false, one: false, two: true, filepath.Join(dir, "old"): true} {
		if exists(path) != stays {
			t.Errorf("%s stays: %v, want %v", path, !stays, stays)
		}
	}
}

// TestSealByLandlock tries the same without bubblewrap.
func TestSealByLandlock(t *testing.T) {
	withoutBubblewrap(t)
	t.Setenv("PATH", "/usr/bin:/bin")
	at, folder := home(t)
	dir := t.TempDir() // in which no bubblewrap is found
	for _, name := range []string{"cat", "mkdir", "touch", "mv", "ln", "rm", "truncate", "mktemp", "sh", "mknod"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	seal := Plan{Folder: folder, Home: at, Agent: "pi", ReadOnly: true, SealOnly: true, Hidden: []string{filepath.Join(at, "data"), filepath.Join(at, "elsewhere/settings.json")}}
	whole := seal
	whole.Folder = at
	if err := os.Symlink(folder, filepath.Join(at, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, script string
		plan         Plan
		want         string
		file, holds  string
	}{
		{"the folder", "echo evil > main.go; touch new; rm main.go; mv main.go ../x; ln main.go ../x; truncate -s 0 main.go; mkdir d; cat main.go; ls", seal, "package main", "work/main.go", "package main"},
		{"a link beside it", "echo evil > ../link/main.go", seal, "Permission denied", "work/main.go", "package main"},
		{"the folder above", "mv " + at + " " + at + ".moved; mkdir -p " + folder + "; echo evil > main.go", seal, "Permission denied", "work/main.go", "package main"},
		{"Weft's own", "echo evil > ../data/weft.db; echo evil > ../elsewhere/settings.json; rm ../elsewhere/settings.json", seal, "Permission denied", "data/weft.db", "SECRET"},
		{"the rest of the home", "echo x > ../.netrc; echo more >> ../.pi/own; mkdir ../.pi/d && echo done", seal, "done", ".netrc", "x\n"},
		{"temporary files", "f=$(mktemp) && echo done > $f && cat $f && rm $f; echo x > /dev/null", seal, "done", "", ""},
		{"the system", "for f in /proc/sys/kernel/core_pattern /sys/power/state /dev/kmsg /dev/vda; do test -e $f && (: >> $f) && echo writable; done; mknod ../.pi/disk b 7 0; echo done", seal, "done", "", ""},
		{"the home as the folder", "echo evil > .bashrc; echo more >> .pi/own; mkdir .cache/d && echo done", whole, "done", ".bashrc", "alias"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out := sh(t, c.plan, c.script); !strings.Contains(out, c.want) || strings.Contains(out, "writable") {
				t.Errorf("it wrote %q; want %q", out, c.want)
			}
			if c.file == "" {
				return
			}
			if text, err := os.ReadFile(filepath.Join(at, c.file)); err != nil || string(text) != c.holds {
				t.Errorf("%s holds %q, %v", c.file, text, err)
			}
		})
	}
	if exists(filepath.Join(folder, "new")) || exists(filepath.Join(folder, "d")) {
		t.Error("something was made in the folder")
	}
}

// aliasVariable is set in the process of TestSealAppliesToEveryPath that has mounts of its own.
const aliasVariable = "WEFT_SANDBOX_TEST_MOUNTS"

// TestSealAppliesToEveryPath mounts the folder, one above it and one below it elsewhere, too, in a process of its own.
func TestSealAppliesToEveryPath(t *testing.T) {
	if os.Getenv(aliasVariable) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSealAppliesToEveryPath$", "-test.v")
		cmd.Env = append(os.Environ(), aliasVariable+"=1")
		id := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: id, GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil && len(out) == 0:
			t.Skip("there are no user namespaces: ", err)
		case err != nil:
			t.Errorf("%s", out)
		case strings.Contains(string(out), "--- SKIP"):
			t.Skipf("%s", out)
		}
		return
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skip(err)
	}
	at, folder := home(t)
	for _, path := range []string{"other", "above", "below", "work/deep", "elsewhere/inside", "work/inside", "twice"} {
		if err := os.MkdirAll(filepath.Join(at, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, mount := range [][2]string{{"work", "other"}, {"", "above"}, {"work/deep", "below"}, {"elsewhere/inside", "work/inside"}, {"work/inside", "twice"}} {
		to := filepath.Join(at, mount[1])
		if err := unix.Mount(filepath.Join(at, mount[0]), to, "", unix.MS_BIND, ""); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { // else the folder can't be removed
			if err := unix.Unmount(to, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	try := func(t *testing.T) {
		out := sh(t, Plan{Folder: folder, Home: at, ReadOnly: true, SealOnly: true}, `cd "`+at+`" || exit
for f in work other above/work below work/deep above/work/deep work/inside elsewhere/inside twice above/elsewhere/inside; do echo evil > $f/evil; done; echo mine > above/mine; echo mine > elsewhere/mine; echo done`)
		if !strings.Contains(out, "done") {
			t.Error(out)
		}
		for _, path := range []string{"work/evil", "work/deep/evil", "elsewhere/inside/evil"} {
			if exists(filepath.Join(at, path)) {
				t.Errorf("it has written %s", path)
				_ = os.Remove(filepath.Join(at, path))
			}
		}
		if !exists(filepath.Join(at, "elsewhere/mine")) {
			t.Error("it can't write beside the folder")
		}
	}
	t.Run("bubblewrap", try)
	t.Run("Landlock", func(t *testing.T) {
		withoutBubblewrap(t)
		try(t)
	})
}

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// home makes a home with secrets, and a folder of a space in it.
func home(t *testing.T) (home, folder string) {
	t.Helper()
	base, err := os.MkdirTemp(visible(t), "testhome")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if home, err = filepath.Abs(base); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		".ssh/id_x": "SECRET", ".config/gh/hosts.yml": "SECRET", ".netrc": "SECRET", ".claude/credentials": "SECRET", ".pi/own": "mine", ".bashrc": "alias",
		"data/weft.db": "SECRET", "data/agents/pi/run": "installed", "work/main.go": "package main", "data/spaces/s1/note": "note",
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
	if err := Available(); err != nil {
		t.Skip(err)
	}
	command, args, err := p.Wrap("/bin/sh", []string{"-c", script})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir = p.Folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%v", err)
	}
	return string(out)
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
	t.Setenv("SSH_AUTH_SOCK", "/run/agent.sock")
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
}

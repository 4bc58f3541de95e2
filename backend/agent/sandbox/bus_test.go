//go:build linux

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// asks calls a method of two services of the session bus: of the keyring, and of the one that starts programs.
func asks() {
	conn, err := dbus.Connect(os.Getenv(busVariable))
	if err != nil {
		fmt.Println("no bus:", err)
		return
	}
	for _, name := range []string{"org.freedesktop.secrets", "org.freedesktop.systemd1"} {
		var said string
		err := conn.Object(name, "/test").Call("org.example.Test.Hello", dbus.FlagNoAutoStart).Store(&said)
		fmt.Println(name, said, err)
	}
}

// hello is an object of the session bus.
type hello struct{}

func (hello) Hello() (string, *dbus.Error) { return "hello", nil }

// TestSealedAgentReachesTheKeyringOnly has both services on a bus of the test's own.
func TestSealedAgentReachesTheKeyringOnly(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	for _, program := range []string{"dbus-daemon", "xdg-dbus-proxy"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=unix:path="+filepath.Join(dir, "bus"))
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(busVariable, strings.TrimSpace(address))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	conn, err := dbus.Connect(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Export(hello{}, "/test", "org.example.Test"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"org.freedesktop.secrets", "org.freedesktop.systemd1"} {
		if _, err := conn.RequestName(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	at, folder := home(t)
	seal := Plan{Folder: folder, Home: at, ReadOnly: true, SealOnly: true}
	said := sh(t, seal, "$ASK")
	if !strings.Contains(said, "org.freedesktop.secrets hello") || strings.Contains(said, "org.freedesktop.systemd1 hello") {
		t.Error(said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "weft-bus-*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
	if said := sh(t, seal, "$DIAL "+filepath.Join(dir, "bus")); !strings.Contains(said, "can't be reached") {
		t.Error(said)
	}
	if said := sh(t, Plan{Folder: folder, Home: at}, "$ASK"); strings.Contains(said, "hello") {
		t.Errorf("in a sandbox: %s", said)
	}
	// Without the proxy there is no bus.
	bare := t.TempDir()
	for _, name := range []string{"bwrap", "sh"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bare, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bare)
	if said := sh(t, seal, "$ASK"); strings.Contains(said, "hello") {
		t.Errorf("without the proxy: %s", said)
	}
}

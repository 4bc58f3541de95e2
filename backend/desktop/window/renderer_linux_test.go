package window

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/backend/base/simtest"
)

func TestMachineNamesWebKit(t *testing.T) {
	t.Parallel()
	if name := machineID("2.50.6"); !strings.Contains(name, "webkit 2.50.6") || machineID("2.52.0") == name {
		t.Errorf("the machine is %q", name)
	}
}

// A copy of the shell acts as the WebKit process: it works, is stopped, and sleeps.
func TestWebProcessIsIdleOnlyWhileItSleeps(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip("there is no /bin/sh")
	}
	program := filepath.Join(t.TempDir(), "WebKitWebProcess")
	if err := simtest.WriteProgram(program, shell, 0o700); err != nil {
		t.Fatal(err)
	}
	var web webProcesses
	if web.Idle() {
		t.Error("idle at the first look")
	}
	if !web.Idle() {
		t.Error("not idle without a process")
	}
	cmd := exec.Command(program, "-c", `i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done; echo done; read line; echo again; read line`)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	if web.Idle() {
		t.Error("idle when a process has just begun")
	}
	lines.Scan()
	if web.Idle() {
		t.Error("idle after a second of work")
	}
	for range 1_000_000 { // until it has begun to read
		if web.Idle() {
			break
		}
	}
	if !web.Idle() {
		t.Error("not idle although it sleeps")
	}
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatal(err)
	}
	if web.Idle() {
		t.Error("idle although it is stopped")
	}
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_, _ = in.Write([]byte("\n"))
	lines.Scan()
	for range 1_000_000 {
		if web.Idle() {
			return
		}
	}
	t.Error("not idle after it continued")
}

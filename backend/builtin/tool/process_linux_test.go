package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"weft/backend/base/raced"
)

// TestProcessIsFoundWhileItBecomesAnotherProgram checks that a process is found although its environment is briefly
// unreadable during exec.
func TestProcessIsFoundWhileItBecomesAnotherProgram(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("exec sh \"$0\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", script) //nolint:noctx // it is killed
	cmd.Env = append(os.Environ(), tagVariable+"=again")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	var c tree
	c.admit(cmd.Process.Pid)
	for i := range raced.Of(500) {
		if list, all := c.tagged("again"); all && !slices.Contains(list, cmd.Process.Pid) {
			t.Fatalf("pass %d: it isn't found", i)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 1000 {
		if list, all := c.tagged("again"); all && len(list) == 0 {
			return
		}
	}
	t.Error("it is never said that nothing is left")
}

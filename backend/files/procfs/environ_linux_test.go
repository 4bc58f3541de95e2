package procfs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/raced"
)

// TestEnvironIsWholeOrEmpty: also of a process that executes one program after the other.
func TestEnvironIsWholeOrEmpty(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("exec sh \"$0\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The tags are at different places of the environment.
	for _, size := range []int{10, 3000, 40_000} {
		cmd := exec.Command("sh", script) //nolint:noctx // it is killed
		cmd.Env = append(os.Environ(), "A="+strings.Repeat("a", size), "TAG=x", "B="+strings.Repeat("b", size))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range raced.Of(2000) {
			env, err := Environ(cmd.Process.Pid)
			if err != nil || len(env) > 0 && !strings.Contains(string(env), "TAG=x\x00") {
				t.Errorf("%d: pass %d: %d bytes, %v", size, i, len(env), err)
				break
			}
			if len(env) > 0 {
				found++
			}
		}
		_, _ = cmd.Process.Kill(), cmd.Wait()
		if found == 0 {
			t.Errorf("%d: it was never found", size)
		}
		if env, err := Environ(cmd.Process.Pid); err == nil {
			t.Errorf("%d: a process that is gone has an environment of %d bytes", size, len(env))
		}
	}
}

//go:build linux

package systemtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// markVariable marks everything that one app starts.
const markVariable = "WEFT_SYSTEMTEST_MARK"

// marked returns the processes, other than but, that carry text in their environment or
// among their arguments.
func marked(text string, but int) map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == but || pid == os.Getpid() {
			continue
		}
		env, _ := os.ReadFile(dir + "/environ")
		args, _ := os.ReadFile(dir + "/cmdline")
		if bytes.Contains(env, []byte(text)) || bytes.Contains(args, []byte(text)) {
			found[pid] = strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return found
}

// noneLeft waits until no process carries text any more.
func noneLeft(t testing.TB, text string, but int) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		left := marked(text, but)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d processes are left: %v", len(left), left)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// memory returns the resident memory of a process in bytes, now and at its highest.
func memory(t testing.TB, pid int) (now, highest int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = n << 10
		case "VmHWM":
			highest = n << 10
		}
	}
	return now, highest
}

package sandbox

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"time"

	"weft/backend/fault"
)

const probeTime = 10 * time.Second

var found struct {
	sync.Mutex
	path string // of a bubblewrap that works
}

// find returns the path of bubblewrap, once it has shown that it works here. What doesn't is looked for again each time,
// because the user may install it meanwhile.
func find() (string, error) {
	found.Lock()
	defer found.Unlock()
	if found.path != "" {
		return found.path, nil
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return "", fault.New("sandbox_missing", "bubblewrap wasn't found. Install it with: apt install bubblewrap (or your system's package manager).").Because(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--die-with-parent", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "/bin/true").CombinedOutput()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", fault.New("sandbox_refused", "bubblewrap can't make a sandbox on this system ({{said}}). Allow unprivileged user namespaces.", said).Because(err)
	}
	found.path = path
	return path, nil
}

// Available returns nil where a sandbox can be made, else an *Error with what the user can do about it.
func Available() error {
	_, err := find()
	return err
}

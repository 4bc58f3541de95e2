package sandbox

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"weft/backend/base/fault"
)

const (
	probeTime = 10 * time.Second
	again     = 5 * time.Second // minimum time between probes for CanSeal
)

// Relevant versions of Landlock. Before landlockSeals, a program could still truncate files.
const (
	landlockSeals  = 3
	landlockScopes = 6
)

// probe is the result of probing bubblewrap.
var probe struct {
	sync.Mutex
	path   string // path of a working bubblewrap
	err    error
	at     time.Time // of the last probe; zero if there was none
	probes bool      // a probe for CanSeal is in progress
}

// find returns the path of bubblewrap once it has worked here. A failure isn't cached, because the user may install it
// in the meantime.
func find() (string, error) {
	probe.Lock()
	path := probe.path
	probe.Unlock()
	if path != "" {
		return path, nil
	}
	path, err := try()
	probe.Lock()
	defer probe.Unlock()
	probe.path, probe.err, probe.at = path, err, time.Now()
	return path, err
}

// try finds bubblewrap and creates a sandbox with it.
func try() (string, error) {
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
	return path, nil
}

// Available returns nil if a sandbox can be created, otherwise an *Error that says what the user can do. It may block
// while bubblewrap is probed.
func Available() error {
	_, err := find()
	return err
}

// CanSeal returns nil if a program can be kept from writing to a folder, by bubblewrap or by Landlock, otherwise an
// *Error that says what the user can do. Only the first call may block, while bubblewrap is probed; later calls return
// the result of the last probe.
func CanSeal() error {
	if landlock() >= landlockSeals {
		return nil
	}
	probe.Lock()
	if probe.at.IsZero() {
		probe.Unlock()
		return Available()
	}
	defer probe.Unlock()
	if probe.err != nil && !probe.probes && time.Since(probe.at) > again {
		probe.probes = true
		go func() {
			_ = Available()
			probe.Lock()
			defer probe.Unlock()
			probe.probes = false
		}()
	}
	return probe.err
}

// landlock returns the kernel's version of Landlock, or 0.
var landlock = sync.OnceValue(func() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
})

// scopes reports whether Landlock can keep a program in bubblewrap from using abstract sockets. It can't if bubblewrap
// is setuid, because a restricted process doesn't get those rights.
func scopes(bubblewrap string) bool {
	info, err := os.Stat(bubblewrap)
	return err == nil && info.Mode()&fs.ModeSetuid == 0 && landlock() >= landlockScopes
}

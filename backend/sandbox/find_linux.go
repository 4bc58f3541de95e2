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

	"weft/backend/fault"
)

const (
	probeTime = 10 * time.Second
	again     = 5 * time.Second // after which CanSeal has bubblewrap probed again
)

// The versions of Landlock that matter here. Before the first of them a program could still cut files off.
const (
	landlockSeals  = 3
	landlockScopes = 6
)

// probe is what is known of bubblewrap.
var probe struct {
	sync.Mutex
	path   string // of one that works
	err    error
	at     time.Time // of the last probe, zero if there was none
	probes bool      // one is in progress for CanSeal
}

// find returns the path of bubblewrap, once it has shown that it works here. What doesn't is looked for again each time,
// because the user may install it meanwhile.
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

// try looks for bubblewrap and makes a sandbox with it.
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

// Available returns nil where a sandbox can be made, else an *Error with what the user can do about it. It may block while bubblewrap is probed.
func Available() error {
	_, err := find()
	return err
}

// CanSeal returns nil where a program can be kept from writing a folder, by bubblewrap or by Landlock, else an *Error with what the user can do about it.
// Only the first call may block, while bubblewrap is probed; later ones return what the last probe has found.
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

// landlock returns the version of Landlock that the kernel has, 0 if none.
var landlock = sync.OnceValue(func() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
})

// scopes reports whether Landlock can keep a program of bubblewrap from sockets with abstract names. It can't where bubblewrap
// gets its rights from its file, which whoever is restricted doesn't get.
func scopes(bubblewrap string) bool {
	info, err := os.Stat(bubblewrap)
	return err == nil && info.Mode()&fs.ModeSetuid == 0 && landlock() >= landlockScopes
}

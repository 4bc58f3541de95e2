// Package sandbox makes command lines that run a program in a sandbox of bubblewrap: the file system read-only but for one
// folder, the user's secrets hidden, processes and, by choice, the network apart. See docs/decisions/0018-sandbox.md.
//
// It starts nothing but a short probe, and knows no other package of Weft.
package sandbox

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"weft/backend/fault"
)

// Plan says what a sandboxed program may do.
type Plan struct {
	Folder   string   // absolute; of the space
	ReadOnly bool     // the folder, too, can't be written
	Offline  bool     // no network, not even this machine's
	Agent    string   // whose own folders in the home are writable: an id of homes.json, or ""
	Home     string   // the user's home if ""
	Writable []string // more that is writable: absolute paths
	Hidden   []string // more that is hidden: absolute paths, such as Weft's data folder
	Visible  []string // below Hidden, readable all the same: where Weft installs agents, sockets
}

// Error is a failure that a user can act on.
type Error = fault.Error

// Unsupported is the code of the error where no sandbox can be had, whatever the user installs.
const Unsupported = "sandbox_unsupported"

//go:embed hidden.json
var hiddenJSON []byte

//go:embed homes.json
var homesJSON []byte

var tables = sync.OnceValue(func() (t struct {
	hidden []string
	homes  map[string][]string
},
) {
	if err := json.Unmarshal(hiddenJSON, &t.hidden); err != nil {
		panic(fmt.Sprintf("hidden.json: %v", err)) // shipped with the binary and tested
	}
	if err := json.Unmarshal(homesJSON, &t.homes); err != nil {
		panic(fmt.Sprintf("homes.json: %v", err))
	}
	return t
})

// Known returns the agent of homes.json that one of the words of a launch means ("pi-acp", "/opt/bin/claude-agent-acp"),
// "" if none does.
func Known(words ...string) string {
	for _, word := range words {
		name := strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))
		for {
			if tables().homes[name] != nil {
				return name
			}
			i := strings.LastIndexByte(name, '-')
			if i < 0 {
				break
			}
			name = name[:i]
		}
	}
	return ""
}

// Own returns the folders and files in the home that an agent, as [Known] names it, keeps for itself. It may write them in a sandbox, too.
func Own(agent, home string) (paths []string) {
	for _, name := range tables().homes[agent] {
		paths = append(paths, filepath.Join(home, name))
	}
	return paths
}

// sockets lead out of the sandbox: who controls these programs runs commands outside.
var sockets = []string{
	"/run/user", "/run/docker.sock", "/run/podman", "/run/containerd", "/run/crio", "/run/dbus", "/run/systemd/private", "/run/libvirt", "/run/incus", "/var/lib/incus/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket", "/run/snapd.socket",
}

// unset are variables that name such sockets, or keys behind them.
var unset = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DOCKER_HOST", "KUBECONFIG",
}

// Wrap returns the command line that runs a program in the sandbox. path is absolute. It creates the agent's own folders
// in the home where they aren't there. Errors: *Error, where there can be no sandbox.
func (p Plan) Wrap(path string, args []string) (command string, wrapped []string, err error) {
	command, err = find()
	if err != nil {
		if why := (*Error)(nil); errors.As(err, &why) {
			err = fault.New(why.Code, "{{reason}} Or turn the sandbox off for this agent in Settings.", why).Because(err)
		}
		return "", nil, err
	}
	p.Visible = append(slices.Clone(p.Visible), path)
	wrapped, err = p.arguments()
	if err != nil {
		return "", nil, err
	}
	wrapped = append(wrapped, "--", path)
	return command, append(wrapped, args...), nil
}

// arguments are bubblewrap's. Later mounts lie over earlier ones.
func (p Plan) arguments() ([]string, error) {
	home := p.Home
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return nil, fault.New("sandbox_refused", "Couldn't start the sandbox: the home folder is unknown.").Because(err)
		}
	}
	folder, err := filepath.EvalSymlinks(p.Folder)
	if err != nil {
		return nil, fault.New("sandbox_refused", "Couldn't start the sandbox: the folder {{folder}} can't be opened.", p.Folder).Because(err)
	}
	args := []string{
		"--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
	}
	if p.Offline {
		args = append(args, "--unshare-net")
	}
	for _, name := range unset {
		args = append(args, "--unsetenv", name)
	}
	args = append(args, "--setenv", "XDG_CACHE_HOME", "/tmp/cache", "--setenv", "TMPDIR", "/tmp")
	return append(args, p.mounts(home, folder).arguments()...), nil
}

// mounts are what lies over the read-only root.
func (p Plan) mounts(home, folder string) mounts {
	m := mounts{"/tmp": empty, "/var/tmp": empty, "/dev/shm": empty}
	for _, path := range sockets {
		m.hide(path)
	}
	for _, name := range tables().hidden {
		m.hide(filepath.Join(home, name))
	}
	for _, names := range tables().homes {
		for _, name := range names {
			m.hide(filepath.Join(home, name))
		}
	}
	for _, path := range p.Hidden {
		m.hide(path)
	}
	for _, path := range p.Visible {
		if m.covered(path) {
			m.set(path, readable)
		}
	}
	for _, path := range p.Writable {
		m.set(path, writable)
	}
	for _, path := range Own(p.Agent, home) {
		m.own(path)
	}
	if m[folder] = writable; p.ReadOnly {
		m[folder] = readable
	}
	return m
}

// mounts are kinds by path.
type mounts map[string]mount

type mount string

const (
	empty    mount = "--tmpfs" // writable, gone at the end
	hiddenIn mount = "an empty folder that can't be written"
	nothing  mount = "an empty file"
	readable mount = "--ro-bind-try"
	writable mount = "--bind-try"
)

// arguments mounts what is deeper later, so that it lies over what it is in.
func (m mounts) arguments() (args []string) {
	var sealed []string
	for _, path := range slices.Sorted(maps.Keys(m)) {
		switch how := m[path]; how {
		case empty:
			args = append(args, string(empty), path)
		case hiddenIn:
			args = append(args, string(empty), path)
			sealed = append(sealed, "--remount-ro", path)
		case nothing:
			args = append(args, "--ro-bind", "/dev/null", path)
		default:
			args = append(args, string(how), path, path)
		}
	}
	return append(args, sealed...) // when all that is in them is there
}

func (m mounts) set(path string, how mount) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		m[real] = how
	}
}

// covered reports whether path is in something that is hidden or empty: only then it has to be mounted.
func (m mounts) covered(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		if m[dir] != "" {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// hide makes a folder empty, and a file too. What isn't there needs nothing: where it is, the file system is read-only.
func (m mounts) hide(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		m.set(path, hiddenIn)
	default:
		m.set(path, nothing)
	}
}

// own makes what is the agent's own writable. Its folders are made where they aren't there yet.
func (m mounts) own(path string) {
	if _, err := os.Lstat(path); os.IsNotExist(err) && filepath.Ext(path) != ".json" {
		_ = os.MkdirAll(path, 0o700) // where that fails, the agent has nothing of its own
	}
	m.set(path, writable)
}

package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// hideSockets hides the usual locations of sockets of programs that act for any client: container runtimes, the
// desktop, terminals, editors, key agents. Only name lookups remain possible.
func (m mounts) hideSockets(home string) {
	t := tables().sockets
	for _, path := range t.Hidden {
		if path = strings.ReplaceAll(path, "$UID", strconv.Itoa(os.Getuid())); !filepath.IsAbs(path) {
			path = filepath.Join(home, path)
		}
		m.hide(path)
	}
	for _, path := range t.Needed {
		m.show(path)
	}
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && filepath.Dir(real) != "/run" {
		m.show(filepath.Dir(real)) // it is replaced there
	} else {
		m.show("/etc/resolv.conf")
	}
}

// hideOpenSockets hides the sockets that are open now, except for those that are needed or visible, and the gateways
// of this and other Wefts. Gateways require a token, and one that disappeared before the mount would keep the program
// from starting.
func (m mounts) hideOpenSockets(home string, visible []string) {
	t := tables().sockets
	for _, path := range openSockets(home, t.Watched) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || filepath.Base(real) == GatewaySocket || m.gone(real) || slices.ContainsFunc(slices.Concat(t.Needed, visible), func(kept string) bool { return within(kept, real) }) {
			continue
		}
		// Hiding the folder also hides a socket that replaces this one. The program can create its own sockets there.
		if dir := filepath.Dir(real); !within(dir, home) && onlySockets(dir) {
			if _, mounted := m[dir]; !mounted {
				m[dir] = empty
				continue
			}
		}
		m[real] = nothing
	}
}

// openSockets returns the paths of all bound sockets, and of those in the watched folders, whose paths the system
// doesn't report.
func openSockets(home string, watched []string) (paths []string) {
	text, _ := os.ReadFile("/proc/net/unix")
	for line := range strings.Lines(string(text)) {
		if i := strings.Index(line, " /"); i > 0 {
			paths = append(paths, strings.TrimSuffix(line[i+1:], "\n"))
		}
	}
	for _, dir := range watched {
		_ = filepath.WalkDir(filepath.Join(home, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type()&fs.ModeSocket != 0 {
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

// onlySockets reports whether a folder contains only sockets and the files that programs create next to them.
func onlySockets(dir string) bool {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		ext := filepath.Ext(e.Name())
		if e.Type()&fs.ModeSocket == 0 && ext != ".lock" && ext != ".pid" {
			return false
		}
	}
	return err == nil
}

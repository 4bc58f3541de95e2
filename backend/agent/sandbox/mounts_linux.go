package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// mounts are the mounts of the sandbox by path, including the root.
type mounts map[string]mount

type mount string

const (
	empty    mount = "--tmpfs" // writable, deleted at the end
	hiddenIn mount = "an empty folder that can't be written"
	nothing  mount = "an empty file"
	readable mount = "--ro-bind-try"
	writable mount = "--bind-try"
)

// arguments returns the bubblewrap arguments. Deeper paths come later, so that they cover the mounts around them.
func (m mounts) arguments() (args []string) {
	var sealed []string
	for _, path := range slices.Sorted(maps.Keys(m)) {
		if path == "/" {
			continue
		}
		switch how := m[path]; how {
		case empty:
			args = append(args, string(empty), path)
		case hiddenIn:
			args = append(args, string(empty), path)
			sealed = append(sealed, "--remount-ro", path)
		case nothing:
			args = append(args, "--ro-bind-try", "/dev/null", path)
		default:
			args = append(args, string(how), path, path)
		}
	}
	return append(args, sealed...) // after everything in them is mounted
}

// above returns the mount at a path, or at the closest folder above it.
func (m mounts) above(path string) mount {
	for dir := path; ; dir = filepath.Dir(dir) {
		if how, ok := m[dir]; ok || dir == filepath.Dir(dir) {
			return how
		}
	}
}

// gone reports whether a path is hidden.
func (m mounts) gone(path string) bool {
	how := m.above(path)
	return how != readable && how != writable
}

func (m mounts) set(path string, how mount) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		m[real] = how
	}
}

// show makes a hidden path readable.
func (m mounts) show(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil && m.gone(real) {
		m[real] = readable
	}
}

// hide replaces a folder by an empty folder, and a file by an empty file. A path that doesn't exist needn't be hidden:
// it could only be created where the file system is writable.
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

// makeOwn creates an agent's own folder if it doesn't exist.
func makeOwn(path string) {
	if _, err := os.Lstat(path); os.IsNotExist(err) && filepath.Ext(path) != ".json" {
		_ = os.MkdirAll(path, 0o700) // if it fails, the agent has no folder of its own
	}
}

// maxBeside limits the number of files next to a veiled one.
const maxBeside = 64

// veil hides a file. A mount over the file itself disappears when another file replaces it, as when settings are
// saved. So veil mounts a copy of the file's folder without the file. That isn't possible for the home folder, the
// folders above it, and folders with many files.
func (m mounts) veil(path, home string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	m[real] = nothing
	dir := filepath.Dir(real)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > maxBeside || within(dir, home) || m.gone(dir) {
		return
	}
	if _, mounted := m[dir]; mounted {
		return
	}
	before := m.above(dir)
	m[dir] = hiddenIn
	delete(m, real)
	for _, e := range list {
		beside := filepath.Join(dir, e.Name())
		if _, mounted := m[beside]; !mounted && beside != real {
			m[beside] = before
		}
	}
}

// within reports whether path is folder, or is inside of it.
func within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// systemFolders returns the folders through which root's programs change the system itself: what the kernel runs, and
// how. They need no capability for it, because root owns the files. For other users it returns none, because a mount
// in /proc would keep them from mounting proc in nested sandboxes.
func systemFolders() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return slices.DeleteFunc([]string{"/sys", "/proc/sys", "/proc/acpi", "/proc/fs", "/proc/scsi", "/proc/driver", "/proc/asound"}, func(path string) bool { return !exists(path) })
}

// mounts returns the mounts of the sandbox. home and folder must not contain symbolic links.
func (p Plan) mounts(home, folder string) mounts {
	table := readMounts()
	m := p.rest(home, table)
	m[folder] = writable
	if p.ReadOnly {
		m[folder] = readable
		m.seal(p.sealed(folder), table)
	}
	if p.SealOnly {
		for _, path := range p.kept(home) {
			if m.above(path) != writable && m[path] == "" {
				makeOwn(path)
				m.set(path, writable)
			}
		}
	}
	m.hideOpenSockets(home, p.Visible)
	return m
}

// rest returns the mounts without those for the folder and the open sockets.
func (p Plan) rest(home string, table mountTable) mounts {
	m := mounts{"/": readable, "/tmp": empty, "/var/tmp": empty, "/dev/shm": empty}
	if p.SealOnly {
		m = mounts{"/": writable}
	} else {
		for _, name := range tables().hidden {
			m.hide(filepath.Join(home, name))
		}
		for _, names := range tables().homes {
			for _, name := range names {
				m.hide(filepath.Join(home, name))
			}
		}
	}
	for _, path := range table.processes() {
		m.hide(path)
	}
	for _, path := range systemFolders() {
		m[path] = readable
	}
	m.hideSockets(home)
	for _, path := range p.Hidden {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			m.veil(path, home)
			continue
		}
		m.hide(path)
		for _, alias := range table.aliases(path) {
			m.hide(alias)
		}
	}
	for _, path := range p.Visible {
		m.show(path)
	}
	if !p.SealOnly {
		for _, path := range p.Writable {
			m.set(path, writable)
		}
		for _, path := range Own(p.Agent, home) {
			makeOwn(path)
			m.set(path, writable)
		}
	}
	return m
}

package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// mounts are what lies over the root, and the root itself, by path.
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
	return append(args, sealed...) // when all that is in them is there
}

// above returns what is mounted at a path, or at the next folder above it.
func (m mounts) above(path string) mount {
	for dir := path; ; dir = filepath.Dir(dir) {
		if how, ok := m[dir]; ok || dir == filepath.Dir(dir) {
			return how
		}
	}
}

// gone reports whether a path can't be seen.
func (m mounts) gone(path string) bool {
	how := m.above(path)
	return how != readable && how != writable
}

func (m mounts) set(path string, how mount) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		m[real] = how
	}
}

// show makes what is hidden readable.
func (m mounts) show(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil && m.gone(real) {
		m[real] = readable
	}
}

// hide makes a folder empty, and a file too. What isn't there needs nothing: only where the file system can be written could it be made.
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

// makeOwn makes a folder that is an agent's own, where it isn't there yet.
func makeOwn(path string) {
	if _, err := os.Lstat(path); os.IsNotExist(err) && filepath.Ext(path) != ".json" {
		_ = os.MkdirAll(path, 0o700) // where that fails, the agent has nothing of its own
	}
}

// maxBeside is how many files there may be beside one that is veiled.
const maxBeside = 64

// veil hides a file. A mount over the file itself is gone as soon as another file takes its place, as a settings file's next version does. So the
// folder that it is in is shown as it is now, without it. That can't be done with the home and the folders above it, and with folders of many files.
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

// within reports whether a path is a folder, or below it.
func within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// systemFolders returns where the administrator's programs change the system itself: what the kernel runs, and how. They need no right of the administrator's for
// it, because the files are theirs. For other users there are none: a mount in /proc keeps them from mounting it again in a sandbox of their own.
func systemFolders() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return slices.DeleteFunc([]string{"/sys", "/proc/sys", "/proc/acpi", "/proc/fs", "/proc/scsi", "/proc/driver", "/proc/asound"}, func(path string) bool { return !exists(path) })
}

// mounts are what the sandbox consists of. Home and folder are without links.
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

// rest are the mounts but for the folder, and the sockets that are open.
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

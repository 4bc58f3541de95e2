package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"weft/backend/git/repo"
)

// sealed returns the paths that are read-only together with the folder: the folder, and the git folders of its
// repository. folder must not contain symbolic links.
func (p Plan) sealed(folder string) []string {
	list := []string{folder}
	r, err := repo.Find(folder)
	if r == nil || err != nil {
		return list
	}
	for _, dir := range []string{r.Dir, r.Common} {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !within(folder, real) {
			list = append(list, real)
		}
	}
	return list
}

// caches are folders in the home of programs that start agents. An agent whose space is the home folder needs them.
var caches = []string{".cache", ".npm", ".bun", ".local/share/uv", ".local/state"}

// kept returns the paths that a program can write even if they are in a folder that it can't write.
func (p Plan) kept(home string) []string {
	list := Own(p.Agent, home)
	for _, name := range caches {
		if path := filepath.Join(home, name); exists(path) {
			list = append(list, path)
		}
	}
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// seal makes folders read-only at all of their paths. A folder above one of them could be renamed and replaced, so it
// becomes a separate mount, which the kernel doesn't rename.
func (m mounts) seal(paths []string, table mountTable) {
	for _, path := range paths {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if _, mounted := m[dir]; !mounted && m.above(dir) == writable {
				m[dir] = writable
			}
		}
		for _, same := range append(table.aliases(path), path) {
			if m.above(same) == writable {
				m[same] = readable
			}
		}
	}
}

// rights are the capabilities that root's programs keep: to use the files of others, to become other users, and to
// create nested sandboxes, which requires CAP_SETFCAP. None of them can undo a mount, open a file by its number in the
// file system, or create a device.
var rights = map[string]int{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER, "CAP_FSETID": unix.CAP_FSETID, "CAP_KILL": unix.CAP_KILL,
	"CAP_SETGID": unix.CAP_SETGID, "CAP_SETUID": unix.CAP_SETUID, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE, "CAP_SETFCAP": unix.CAP_SETFCAP,
}

// dropRights drops all other capabilities of root from what the calling thread starts.
func dropRights() {
	for bit := range unix.CAP_LAST_CAP + 1 {
		if !slices.Contains(slices.Collect(maps.Values(rights)), bit) {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(bit), 0, 0, 0) // Weft may not have it either
		}
	}
}

// keptRights returns the capabilities of root that a program keeps, as far as Weft has them, or none for other users.
func keptRights() (names []string) {
	if os.Geteuid() != 0 {
		return nil
	}
	var data [2]unix.CapUserData
	if unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]) != nil {
		return nil
	}
	for name, bit := range rights {
		if data[bit/32].Effective&(1<<(bit%32)) != 0 {
			names = append(names, name)
		}
	}
	return names
}

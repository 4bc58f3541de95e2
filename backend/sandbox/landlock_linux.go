package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	writesFile = ll.AccessFSWriteFile | ll.AccessFSTruncate
	writes     = writesFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock |
		ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	devices = ll.AccessFSMakeChar | ll.AccessFSMakeBlock // which nobody makes
)

// usual are the devices in /dev that programs write. Of the others, some are the disks themselves.
var usual = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// restriction is the plan where there is no bubblewrap: the program can't write the folder, and Weft's own files.
func (p Plan) restriction(home, folder string) *Restriction {
	r := &Restriction{Scoped: landlock() >= landlockScopes, Writable: append(p.kept(home), usual...), Sealed: []string{"/dev"}}
	table := readMounts()
	for _, path := range slices.Concat(p.sealed(folder), p.Hidden, systemFolders()) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			r.Sealed = append(append(r.Sealed, real), table.aliases(real)...)
		}
	}
	for _, path := range []string{home, os.TempDir()} { // that the folder above them can't be listed must not matter
		if real, err := filepath.EvalSymlinks(path); err == nil && !slices.ContainsFunc(r.Sealed, func(sealed string) bool { return within(sealed, real) }) {
			r.Writable = append(r.Writable, real)
		}
	}
	for _, path := range Own(p.Agent, home) {
		makeOwn(path)
	}
	return r
}

// elsewhere returns the variable with which a program has its temporary files in a folder of their own: it can't make any in a folder above one that is sealed.
func (r *Restriction) elsewhere(home string) []string {
	for _, sealed := range r.Sealed {
		if own := filepath.Join(home, ".cache/weft/tmp"); within(os.TempDir(), sealed) && os.MkdirAll(own, 0o700) == nil {
			return []string{"TMPDIR=" + own}
		}
	}
	return nil
}

// Take restricts the calling thread, and what it starts. It can't be undone, so the goroutine must be locked to the thread.
func (r Restriction) Take() error {
	var attr ll.RulesetAttr
	if r.Scoped {
		attr.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	}
	if len(r.Sealed) > 0 {
		attr.HandledAccessFS = writes | devices
	}
	rules, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return err
	}
	defer unix.Close(rules)
	if len(r.Sealed) > 0 {
		g := granting{rules: rules, sealed: r.Sealed, ids: map[fileID]bool{}}
		for _, path := range r.Sealed {
			var stat unix.Stat_t
			if err := unix.Stat(path, &stat); err != nil {
				return err
			}
			g.ids[fileID{stat.Dev, stat.Ino}] = true
		}
		g.grant("/")
		for _, path := range r.Writable {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				g.grant(real)
			}
		}
	}
	if len(r.Sealed) > 0 && os.Geteuid() == 0 {
		dropRights()
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return ll.LandlockRestrictSelf(rules, 0)
}

// granting grants the right to write everything but what is sealed. A right that is granted for a folder holds for all below it, so of the folders above
// what is sealed it grants what is in them, one by one.
type granting struct {
	rules  int
	sealed []string
	ids    map[fileID]bool // of what is sealed
}

type fileID struct{ dev, ino uint64 }

func (g *granting) grant(path string) {
	above := false
	for _, sealed := range g.sealed {
		if sealed == path {
			return
		}
		above = above || within(path, sealed)
	}
	if !above {
		g.add(path)
		return
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return // what can't be listed can't be written
	}
	for _, e := range list {
		g.grant(filepath.Join(path, e.Name()))
	}
}

// add grants the right for one file or folder. Where that fails it isn't granted. A link grants nothing: what it leads to has another path.
func (g *granting) add(path string) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT == unix.S_IFLNK || g.ids[fileID{stat.Dev, stat.Ino}] {
		return
	}
	rule := ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: writesFile}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		rule.AllowedAccess = writes
	}
	_ = ll.LandlockAddPathBeneathRule(g.rules, &rule, 0)
}

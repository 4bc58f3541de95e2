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
	devices = ll.AccessFSMakeChar | ll.AccessFSMakeBlock // no program creates devices
)

// usual are the devices in /dev that programs write to. Some of the others are the disks themselves.
var usual = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// restriction returns the restriction that is used without bubblewrap: the program can't write to the folder and to
// Weft's own files.
func (p Plan) restriction(home, folder string) *Restriction {
	r := &Restriction{Scoped: landlock() >= landlockScopes, Writable: append(p.kept(home), usual...), Sealed: []string{"/dev"}}
	table := readMounts()
	for _, path := range slices.Concat(p.sealed(folder), p.Hidden, systemFolders()) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			r.Sealed = append(append(r.Sealed, real), table.aliases(real)...)
		}
	}
	for _, path := range []string{home, os.TempDir()} { // independently of whether their parent folder can be listed
		if real, err := filepath.EvalSymlinks(path); err == nil && !slices.ContainsFunc(r.Sealed, func(sealed string) bool { return within(sealed, real) }) {
			r.Writable = append(r.Writable, real)
		}
	}
	for _, path := range Own(p.Agent, home) {
		makeOwn(path)
	}
	return r
}

// elsewhere returns the environment variable for a separate temporary folder, if programs can't create files in the
// usual one because it is above a sealed folder.
func (r *Restriction) elsewhere(home string) []string {
	for _, sealed := range r.Sealed {
		if own := filepath.Join(home, ".cache/weft/tmp"); within(os.TempDir(), sealed) && os.MkdirAll(own, 0o700) == nil {
			return []string{"TMPDIR=" + own}
		}
	}
	return nil
}

// Take restricts the calling thread and the processes that it starts. This can't be undone, so the goroutine must be
// locked to the thread.
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

// granting grants the right to write to everything that isn't sealed. A right for a folder includes everything below
// it, so for a folder above a sealed one, it grants the right for each of its entries.
type granting struct {
	rules  int
	sealed []string
	ids    map[fileID]bool // of the sealed files
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
		return // an unlistable folder isn't granted
	}
	for _, e := range list {
		g.grant(filepath.Join(path, e.Name()))
	}
}

// add grants the right for one file or folder. Errors are ignored; the right is then missing. Symbolic links are
// skipped, because their targets have other paths.
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

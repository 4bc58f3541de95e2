package sandbox

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// covered returns the files and folders on the user's disk that are covered by an empty one. If one is gone when
// bubblewrap starts, as a socket is whose program has ended, bubblewrap creates it, and the folders above.
func (m mounts) covered() (paths []string) {
	for path, how := range m {
		if path != "/" && how != readable && how != writable && m.above(filepath.Dir(path)) == writable {
			paths = append(paths, path)
		}
	}
	return paths
}

// removeLeftovers removes the empty files and folders that were created at paths since a time. Where the file system
// doesn't know when a file was created, nothing is removed.
func removeLeftovers(paths []string, since time.Time) {
	for _, path := range paths {
		for at := path; isLeftover(at, since) && os.Remove(at) == nil; { // a folder with something in it stays
			at = filepath.Dir(at)
		}
	}
}

// isLeftover reports whether a path is a folder or an empty file that was created since a time.
func isLeftover(path string, since time.Time) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 || time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)).Before(since) {
		return false
	}
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFDIR || kind == unix.S_IFREG && st.Size == 0
}

//go:build unix

package snapshots

import (
	"io/fs"
	"syscall"
)

var errNotDir error = syscall.ENOTDIR

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ctime, s.ino = ctime(sys), int64(sys.Ino)
	}
	return s
}

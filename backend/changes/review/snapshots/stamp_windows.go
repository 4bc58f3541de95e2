package snapshots

import (
	"io/fs"
	"syscall"
)

var errNotDir error = syscall.ERROR_PATH_NOT_FOUND

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

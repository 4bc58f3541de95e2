//go:build unix && !linux

package snapshots

import "syscall"

// Where the time of a change has another name, the size, the inode and the time of writing have to do.
func ctime(*syscall.Stat_t) int64 { return 0 }

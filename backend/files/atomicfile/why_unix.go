//go:build !windows

package atomicfile

import "syscall"

var (
	noRoom   = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	readOnly = []syscall.Errno{syscall.EROFS}
)

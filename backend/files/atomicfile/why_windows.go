package atomicfile

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Windows has its own error numbers. It never returns those in package syscall with Unix names.
var (
	noRoom   = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	readOnly = []syscall.Errno{windows.ERROR_WRITE_PROTECT}
)

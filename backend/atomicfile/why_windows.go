package atomicfile

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Windows has numbers of its own; those of package syscall with the names of Unix never come from the system.
var (
	noRoom   = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	readOnly = []syscall.Errno{windows.ERROR_WRITE_PROTECT}
)

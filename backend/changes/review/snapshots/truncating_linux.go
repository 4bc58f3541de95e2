package snapshots

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitTruncation waits until a pending truncation of the file is complete. A truncated file is short before its times
// change: ext4 and others set the size, wait for their journal, and only then set the times. Seeking a hole waits for
// the file's lock. Afterwards the file position is undefined.
func awaitTruncation(file *os.File) {
	_, _ = file.Seek(0, unix.SEEK_HOLE) // not every file system supports it, and not every file has a hole
}

package snapshots

import (
	"os"

	"golang.org/x/sys/unix"
)

// finished waits until a truncation of the file that has begun is over. A file is short before it has the time of
// that: ext4 and others set its size, wait for their journal, and only then set its times. Looking for a hole waits for
// the file to be free. The file can't be read at its position afterwards.
func finished(file *os.File) {
	_, _ = file.Seek(0, unix.SEEK_HOLE) // not every file system can, and not every file has one
}

package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/files/filelock"
	"weft/backend/store/db"
)

// lockDir makes sure that one process at a time uses dir. The operating system releases the lock when the process ends,
// however it ends. The content of the file only says who has it.
func lockDir(dir string, now time.Time) (*os.File, error) {
	path := filepath.Join(dir, "weft.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, db.Wrap(err, "use the data folder {{folder}}", dir)
	}
	if err := lockSoon(f); err != nil {
		defer f.Close()
		if !errors.Is(err, filelock.ErrHeld) {
			return nil, db.Wrap(err, "lock the data folder {{folder}}", dir)
		}
		return nil, db.Fail(db.CodeInUse, "Another Weft{{name}} is using {{folder}}. Close it, or start this one with another data folder (--data FOLDER).", holder(f), dir)
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(fmt.Sprintf("pid %d since %s\n", os.Getpid(), now.Format(time.RFC3339))), 0)
	}
	if err != nil {
		f.Close()
		return nil, db.Wrap(err, "use the data folder {{folder}}", dir)
	}
	return f, nil
}

const (
	lockTries = 20
	lockPause = 25 * time.Millisecond
)

// lockSoon tries for half a second. The lock of a process that was killed while it started another one stays until the
// other one runs its own program.
func lockSoon(f *os.File) error {
	for try := 1; ; try++ {
		err := filelock.Try(f, filelock.Exclusive)
		if !errors.Is(err, filelock.ErrHeld) || try == lockTries {
			return err
		}
		time.Sleep(lockPause)
	}
}

// holder returns " (pid 12 since …)", or "" if the process that has the lock did not write that.
func holder(f *os.File) string {
	b := make([]byte, 128)
	n, _ := f.ReadAt(b, 0)
	who, _, _ := strings.Cut(string(b[:n]), "\n")
	if !strings.HasPrefix(who, "pid ") {
		return ""
	}
	return " (" + who + ")"
}

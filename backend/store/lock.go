package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// errHeld is what tryLock answers when somebody else has the lock.
var errHeld = errors.New("lock is held")

// lockDir makes sure that one instance at a time uses dir. The operating system frees the
// lock when the process ends, however it ends; the file's content only tells who it is.
func lockDir(dir string, now time.Time) (*os.File, error) {
	path := filepath.Join(dir, "weft.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, wrap(err, "use the data folder "+dir)
	}
	if err := lockSoon(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errHeld) {
			return nil, wrap(err, "lock the data folder "+dir)
		}
		return nil, &Error{Code: CodeInUse, Message: fmt.Sprintf(
			"Another Weft%s is using %s. Close it, or start this one with another data folder (--data DIR).", holder(f), dir)}
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(fmt.Sprintf("pid %d since %s\n", os.Getpid(), now.Format(time.RFC3339))), 0)
	}
	if err != nil {
		f.Close()
		return nil, wrap(err, "use the data folder "+dir)
	}
	return f, nil
}

// lockSoon tries for a moment. A process that was killed while it started another one has its lock for as long as
// the other has not begun its own program.
func lockSoon(f *os.File) error {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockPatience / 20) {
		err := tryLock(f)
		if !errors.Is(err, errHeld) || time.Now().After(deadline) {
			return err
		}
	}
}

const lockPatience = 500 * time.Millisecond

// holder answers " (pid 12 since …)" or "" if the holder did not say.
func holder(f *os.File) string {
	b := make([]byte, 128)
	n, _ := f.ReadAt(b, 0)
	who, _, _ := strings.Cut(string(b[:n]), "\n")
	if !strings.HasPrefix(who, "pid ") {
		return ""
	}
	return " (" + who + ")"
}

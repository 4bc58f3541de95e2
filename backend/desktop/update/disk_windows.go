package update

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// How long a file is waited for that another program has opened: virus scanners look at each new program.
const (
	scanTries = 40
	scanPause = 50 * time.Millisecond
)

func newDisk() disk {
	return disk{
		rename: func(from, to string) error { return patiently(func() error { return os.Rename(from, to) }) },
		remove: func(path string) error { return patiently(func() error { return os.Remove(path) }) },
	}
}

// patiently tries again while a file is open in another program. A program that runs is another error.
func patiently(try func() error) (err error) {
	for range scanTries {
		if err = try(); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(scanPause)
	}
	return err
}

//go:build !windows

package desktop

import (
	"errors"
	"os"

	"weft/backend/files/atomicfile"
)

// read reads the entry on systems where it is a file. The other functions define its path and format.

func (a *Autostart) read() (program string, on bool, err error) {
	text, err := os.ReadFile(a.path())
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	program, on = programOf(text)
	return program, on, nil
}

func (a *Autostart) write() error {
	text, err := a.content()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(a.path(), text, 0o600)
}

func (a *Autostart) remove() error { return os.Remove(a.path()) }

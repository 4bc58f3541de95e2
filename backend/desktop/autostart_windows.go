package desktop

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

const (
	runKey   = `Software\Microsoft\Windows\CurrentVersion\Run`
	runValue = "Weft"
	// approvedKey lists the entries of the Task Manager. The first byte of a value is odd if the user disabled the
	// entry.
	approvedKey = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`
)

func entryDir() string { return "" }

func (a *Autostart) read() (program string, on bool, err error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if err != nil {
		return "", false, absent(err)
	}
	defer k.Close()
	line, _, err := k.GetStringValue(runValue)
	if err != nil {
		return "", false, absent(err)
	}
	words, err := windows.DecomposeCommandLine(line)
	if err != nil || len(words) == 0 {
		return "", false, nil //nolint:nilerr // what nobody can read starts nothing
	}
	if approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.QUERY_VALUE); err == nil {
		defer approved.Close()
		if state, _, err := approved.GetBinaryValue(runValue); err == nil && len(state) > 0 && state[0]&1 == 1 {
			return words[0], false, nil
		}
	}
	return words[0], true, nil
}

func (a *Autostart) write() error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	words := []string{`"` + a.program + `"`} // always quoted, so that Windows doesn't try the parts of a path with spaces
	for _, arg := range a.args {
		words = append(words, windows.EscapeArg(arg))
	}
	if err := k.SetStringValue(runValue, strings.Join(words, " ")); err != nil {
		return err
	}
	if approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.SET_VALUE); err == nil {
		defer approved.Close()
		return absent(approved.DeleteValue(runValue))
	}
	return nil
}

func (a *Autostart) remove() error {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return absent(err)
	}
	defer k.Close()
	return absent(k.DeleteValue(runValue))
}

func absent(err error) error {
	if errors.Is(err, registry.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

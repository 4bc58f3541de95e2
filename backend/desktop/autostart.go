package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/fault"
)

// BackgroundFlag is the option with which the system starts Weft without showing its window.
const BackgroundFlag = "--background"

// Autostart is the entry that starts a program when the user signs in. The entry itself is the only state.
type Autostart struct {
	program string
	args    []string
	dir     string // of the entry, if it is a file
}

// NewAutostart returns the entry of a program with arguments, which come after [BackgroundFlag].
func NewAutostart(program string, args ...string) *Autostart {
	return &Autostart{program: program, args: append([]string{BackgroundFlag}, args...), dir: entryDir()}
}

// On reports whether the system starts the program. An entry that another tool has disabled or removed is off.
func (a *Autostart) On() (bool, error) {
	_, on, err := a.read()
	if err != nil {
		return false, explain(err, "Couldn't read the entry that starts Weft with the system{{file}}: {{reason}}.")
	}
	return on, nil
}

// Set adds or removes the entry.
func (a *Autostart) Set(on bool) error {
	if !on {
		if err := a.remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
			return explain(err, "Couldn't remove the entry that starts Weft with the system{{file}}: {{reason}}.")
		}
		return nil
	}
	if strings.ContainsAny(strings.Join(append(slices.Clone(a.args), a.program), ""), "\x00\r\n") {
		return fault.New(fault.Invalid, "Weft can't start with the system from a folder with a line break in its name. Move it to another folder.")
	}
	if err := a.write(); err != nil {
		return explain(err, "Couldn't add the entry that starts Weft with the system{{file}}: {{reason}}.")
	}
	return nil
}

// Renew rewrites the entry if it is on and the program that it names no longer exists.
func (a *Autostart) Renew() error {
	program, on, err := a.read()
	if err != nil || !on || program == a.program {
		return err
	}
	if _, err := os.Stat(program); !errors.Is(err, os.ErrNotExist) {
		return nil // another Weft, which still exists
	}
	return a.Set(true)
}

func explain(err error, template fault.Template) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	var path *os.PathError
	where := ""
	if errors.As(err, &path) {
		where = " (" + filepath.Base(path.Path) + ")"
	}
	return fault.New("unavailable", template, where, err).Because(err)
}

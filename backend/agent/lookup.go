package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
)

// lookIn returns the first executable file with that name in the folders, or "".
func lookIn(dirs []string, name string) string {
	for _, dir := range dirs {
		// For a path with a separator, exec.LookPath checks only that file; on Windows it also tries the extensions in
		// PATHEXT.
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// Look finds the program of a command: an absolute path, a path starting with ~/, or a name in [Paths.Dirs]. It may
// block like [Paths.Login], but doesn't run the login shell for programs in PATH.
//
// Errors: *Error with CodeMissing or CodeNotExecutable.
func (p *Paths) Look(ctx context.Context, command string) (string, error) {
	if rest, ok := strings.CutPrefix(command, "~/"); ok {
		command = filepath.Join(p.home, rest)
	}
	if !strings.ContainsRune(command, filepath.Separator) && !strings.ContainsRune(command, '/') {
		if path := lookIn(filepath.SplitList(p.getenv("PATH")), command); path != "" {
			return filepath.Abs(path)
		}
		dirs := p.Dirs(ctx)
		if path := lookIn(dirs, command); path != "" {
			return path, nil
		}
		for _, dir := range dirs {
			if path := filepath.Join(dir, command); isFile(path) {
				return "", notExecutable(path, nil)
			}
		}
		return "", p.missing(ctx, command, fault.New(CodeMissing, "{{command}} wasn't found on PATH.", command).Because(exec.ErrNotFound))
	}
	if !filepath.IsAbs(command) {
		return "", fault.New(CodeMissing, "{{command}} is a relative path. Enter a name on PATH or an absolute path.", command)
	}
	path, err := exec.LookPath(command)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return "", p.missing(ctx, command, fault.New(CodeMissing, "{{command}} doesn't exist.", command).Because(err))
	}
	if info, statErr := os.Stat(command); statErr == nil && info.IsDir() {
		return "", fault.New(CodeNotExecutable, "{{command}} is a folder. Enter the program inside it.", command).Because(err)
	}
	return "", notExecutable(command, err)
}

// errArguments is the cause of the error for a command that contains its arguments.
var errArguments = errors.New("the command contains arguments")

// missing returns err, or what to enter instead if the command is a program followed by arguments.
func (p *Paths) missing(ctx context.Context, command string, err *Error) *Error {
	program, arguments, ok := strings.Cut(command, " ")
	if !ok {
		return err
	}
	if _, wrong := p.Look(ctx, program); wrong != nil {
		return err
	}
	return fault.New(CodeMissing, "{{command}} contains arguments. Enter {{program}} as the command, and {{arguments}} as its arguments.", command, program, arguments).Because(errArguments)
}

func notExecutable(path string, err error) *Error {
	return fault.New(CodeNotExecutable, "{{path}} isn't executable. Run `chmod +x {{path}}`.", path).Because(err)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

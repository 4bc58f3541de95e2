package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// File writes the file to path, completely or not at all, and returns its path. It replaces an existing file. If path
// is a folder, the file gets an unused name in it.
func (e *Export) File(ctx context.Context, path string) (string, Result, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = Place(path, e.Name)
	}
	if err != nil {
		return "", Result{}, Explain(path, err)
	}
	var result Result
	err = atomicfile.Stream(path, 0o600, func(w io.Writer) (err error) {
		result, err = e.Write(ctx, w)
		return err
	})
	return path, result, Explain(path, err)
}

// Place returns the path that a file is written to: path itself or, if that is a folder, name in it, with a number if
// that exists. Anything else, such as a device, is refused, because the file would replace it.
func Place(path, name string) (string, error) {
	info, _ := os.Stat(path) // writing the file reports the error
	switch {
	case info == nil, info.Mode().IsRegular():
		return path, nil
	case !info.IsDir():
		return path, fault.New(fault.Invalid, "{{path}} is a device or a pipe. Enter the name of a file.", path)
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; ; n++ {
		at := filepath.Join(path, name)
		if there, _ := os.Lstat(at); there == nil || n > maxSame {
			return at, nil
		}
		name = stem + " " + itoa(n) + ext
	}
}

// maxSame is the maximum number of files with the same name in a folder, except for the number.
const maxSame = 10_000

// Explain turns a file error into one with a sentence. It returns other errors unchanged.
func Explain(path string, err error) error {
	var known *fault.Error
	folder := filepath.Dir(path)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return fault.New(fault.Cancelled, "The export was canceled. No file was written.").Because(err)
	case atomicfile.Full(err):
		return fault.New("disk", "The disk is full. Free some space, or choose another folder. No file was written.").Because(err)
	case atomicfile.Denied(err):
		return fault.New("disk", "Weft isn't allowed to write to {{folder}}. Choose another folder.", folder).Because(err)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New("disk", "The folder {{folder}} doesn't exist. Choose another one.", folder).Because(err)
	}
	return fault.New("io", "Couldn't write the file: {{reason}}.", err).Because(err)
}

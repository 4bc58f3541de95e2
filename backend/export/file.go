package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"weft/backend/atomicfile"
	"weft/backend/fault"
)

// File writes the file to path: whole, or not at all. A file that is there is replaced. If path is a folder, the file gets its own name in it.
// It returns the path of the file.
func (e *Export) File(ctx context.Context, path string) (string, Result, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, e.Name)
	}
	path, err := filepath.Abs(path)
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

// Explain returns an error of a file as a sentence. Others are returned as they are.
func Explain(path string, err error) error {
	var known *fault.Error
	folder := filepath.Dir(path)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return &fault.Error{Code: fault.Cancelled, Message: "The export was canceled. No file was written.", Err: err}
	case atomicfile.Full(err):
		return &fault.Error{Code: "disk", Message: "The disk is full. Free some space, or choose another folder. No file was written.", Err: err}
	case atomicfile.Denied(err):
		return &fault.Error{Code: "disk", Message: "Weft isn't allowed to write to " + folder + ". Choose another folder.", Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Code: "disk", Message: "The folder " + folder + " doesn't exist. Choose another one.", Err: err}
	}
	return &fault.Error{Code: "io", Message: "Couldn't write the file: " + err.Error() + ".", Err: err}
}

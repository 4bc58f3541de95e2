// Package workspace reads and writes files for agents.
//
// It guarantees that nothing outside of the opened folder is read or written, not even through symbolic links or "..",
// whatever the form of the path: every access goes through one [os.Root]. Only regular files are opened, without
// waiting for the other end of a pipe. Calls return after at most 30 s even if the disk doesn't respond; for
// [Files.Write] use [Files.Within].
//
// Once another folder is at the folder's path, nothing is read or written either, because a path now means a file in
// that folder.
package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/pathname"
	"weft/backend/files/regular"
)

// MaxRead is the size limit, in bytes, of a file that an agent can read as a whole.
const MaxRead = 32 << 20

// Error reports that a file access was refused. It is a separate type so that callers can recognize it.
type Error struct{ base }

type base = fault.Error

// Unwrap returns the fault, which wraps the cause.
func (e *Error) Unwrap() error { return &e.base }

func refusal(code string, cause error, template fault.Template, values ...any) *Error {
	return &Error{*fault.New(code, template, values...).Because(cause)}
}

// Files is the folder of a space.
type Files struct {
	root   *os.Root
	info   fs.FileInfo
	dirs   []string // paths of the folder: as given, and with symbolic links resolved
	steady bool     // see [regular.OpenCurrent]

	deadline   time.Duration
	operations chan struct{} // semaphore with one slot per operation
}

// Open returns file access that is confined to dir, which must exist. The caller must close it.
func Open(dir string) (*Files, error) {
	f := &Files{deadline: deadline, operations: make(chan struct{}, maxOperations)}
	opened, err := withDeadline(f, dir, func() (*Files, error) { return open(dir) })
	if err != nil {
		return nil, err
	}
	f.root, f.dirs, f.info, f.steady = opened.root, opened.dirs, opened.info, opened.steady
	return f, nil
}

func open(dir string) (*Files, error) {
	root, steady, err := regular.OpenCurrent(dir)
	if err != nil {
		return nil, missing(dir, err)
	}
	f := &Files{root: root, dirs: []string{filepath.Clean(dir)}, steady: steady}
	if f.info, err = root.Stat("."); err != nil {
		_ = root.Close() // read-only
		return nil, missing(dir, err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != f.dirs[0] {
		f.dirs = append(f.dirs, real)
	}
	return f, nil
}

// Info describes the folder as it was when it was opened.
func (f *Files) Info() fs.FileInfo { return f.info }

// Close closes the folder.
func (f *Files) Close() error { return f.root.Close() }

// Check returns an [*Error] if a path is a file:// URL. Other programs would access the file that the URL names, so
// Weft doesn't access a file with that name.
func Check(path string) error {
	if strings.HasPrefix(path, "file://") {
		return refusal("outside", nil, "{{path}} is an address, so it wasn't touched. Send an absolute path.", path)
	}
	return nil
}

// relative returns path relative to the root, and checks on disk that the folder is still at its path.
func (f *Files) relative(path string) (string, error) {
	if err := Check(path); err != nil {
		return "", err
	}
	full, ok := pathname.From(f.dirs[0], path)
	if !ok {
		return "", refusal("outside", nil, "{{path}} isn't the path of a file, so it wasn't touched. Send an absolute path.", path)
	}
	path = filepath.Clean(full)
	for _, dir := range f.dirs {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel, current(f, path)
		}
	}
	return "", refusal("outside", nil, "{{path}} is outside the space's folder {{folder}}, so it wasn't touched.", path, f.dirs[0])
}

// ReadText returns limit lines of a file from line on (1-based; 0 is the first), or all of them if limit is 0 (ACP:
// fs/read_text_file). The file is UTF-8, or UTF-16 with a byte order mark. The mark isn't returned; line endings are
// returned as they are.
func (f *Files) ReadText(path string, line, limit int) (string, error) {
	t, err := withDeadline(f, path, func() (Text, error) {
		return f.read(path, line, limit, func(rel string) (*os.File, fs.FileInfo, error) { return regular.Open(f.root, rel) })
	})
	return t.Content, err
}

// Read is like [Files.ReadText], and also returns the form of the text. at is the location, relative to the folder, to
// which path led when the access was allowed. If path leads elsewhere now, Read returns an error.
func (f *Files) Read(path, at string, line, limit int) (Text, error) {
	return withDeadline(f, path, func() (Text, error) {
		return f.read(path, line, limit, func(string) (*os.File, fs.FileInfo, error) {
			if at == "" {
				return nil, nil, regular.ErrOutside
			}
			return regular.OpenAt(f.root, filepath.FromSlash(at))
		})
	})
}

func (f *Files) read(path string, line, limit int, open func(rel string) (*os.File, fs.FileInfo, error)) (Text, error) {
	rel, err := f.relative(path)
	if err != nil {
		return Text{}, err
	}
	file, _, err := open(rel)
	if err != nil {
		return Text{}, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 64<<10)
	head, _ := r.Peek(3)
	wide := bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
	part := line > 1 || limit > 0
	if part && !wide {
		t, err := readLines(r, path, max(line, 1), limit)
		t.Form.BOM = string(head) == mark // even if its line wasn't requested
		return t, err
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxRead+1))
	if err != nil {
		return Text{}, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
	}
	if len(data) > MaxRead {
		return Text{}, refusal("too_large", nil, "{{path}} is larger than {{max}} MB. Read it in parts, with line and limit.", path, MaxRead>>20)
	}
	t, err := textOf(data, path)
	if err != nil || !part {
		return t, err
	}
	lines, err := readLines(bufio.NewReader(strings.NewReader(t.Content)), path, max(line, 1), limit)
	t.Content = lines.Content
	return t, err
}

// openRegular opens a regular file for reading. It never waits for the other end of a pipe.
func (f *Files) openRegular(rel, path string) (*os.File, fs.FileInfo, error) {
	file, info, err := regular.Open(f.root, rel)
	if err != nil {
		return nil, nil, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
	}
	return file, info, nil
}

func readLines(r *bufio.Reader, path string, line, limit int) (Text, error) {
	var b strings.Builder
	for n := 1; limit == 0 || n < line+limit; {
		s, err := r.ReadSlice('\n')
		if n >= line {
			b.Write(s)
		}
		switch {
		case b.Len() > MaxRead:
			return Text{}, refusal("too_large", nil, "The requested lines of {{path}} are larger than {{max}} MB.", path, MaxRead>>20)
		case errors.Is(err, bufio.ErrBufferFull): // a long line, in pieces
		case err == io.EOF:
			return textOf([]byte(b.String()), path)
		case err != nil:
			return Text{}, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
		default:
			n++
		}
	}
	return textOf([]byte(b.String()), path)
}

func textOf(data []byte, path string) (Text, error) {
	t, ok := decode(data)
	if !ok {
		return Text{}, refusal("not_text", nil, "{{path}} is neither UTF-8 nor UTF-16 text.", path)
	}
	return t, nil
}

// Write creates or replaces a file, and creates missing folders (ACP: fs/write_text_file). If path is a symbolic link,
// the file that it leads to is replaced. at is the location, relative to the folder, to which path led when the access
// was allowed; if it leads elsewhere now, Write returns an error. The file is either the old or the new one at any
// time. An existing file keeps its mode; a new one gets a mode according to the umask. Write blocks as long as the
// disk does.
func (f *Files) Write(path, at string, w *Written) error {
	if _, err := f.relative(path); err != nil {
		return err
	}
	err := regular.ErrOutside
	if at != "" {
		err = regular.ReplaceAt(f.root, filepath.FromSlash(at), w.data)
	}
	if err != nil {
		return wrap(path, "Couldn't write {{path}}: {{why}}.", err)
	}
	if same, err := leads(f); err != nil || !same {
		return refusal("replaced", err, "The folder {{folder}} was moved, deleted or replaced while {{path}} was being written. What was written is in the folder that was there before.", f.dirs[0], path)
	}
	return nil
}

// wrap explains a disk error. The template takes the path and the reason.
func wrap(path string, template fault.Template, err error) error {
	code, why := "failed", fault.Say("the disk said: {{reason}}", err)
	switch {
	case errors.Is(err, regular.ErrFolder):
		return refusal("is_directory", nil, "{{path}} is a folder, not a file.", path)
	case errors.Is(err, regular.ErrNotRegular):
		return refusal("not_text", nil, "{{path}} isn't a regular file.", path)
	case errors.Is(err, regular.ErrMoved):
		return refusal("moved", nil, "{{path}} no longer leads to the location that was allowed, so Weft didn't access it. Try again.", path)
	case errors.Is(err, regular.ErrTooLarge):
		return refusal("too_large", nil, "{{path}} is too large.", path)
	case errors.Is(err, fs.ErrNotExist):
		code, why = "not_found", fault.Say("the file doesn't exist")
	case errors.Is(err, fs.ErrPermission):
		why = fault.Say("permission was denied")
	case errors.Is(err, regular.ErrOutside), strings.Contains(err.Error(), "escapes"):
		code, why = "outside", fault.Say("it is outside the space's folder")
	}
	return refusal(code, err, template, path, why)
}

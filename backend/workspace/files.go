// Package workspace reads and writes files on an agent's behalf.
//
// It promises that nothing outside the folder it was opened on is read or written, also
// not through symbolic links or "..", however the agent spells the path: every access goes
// through one [os.Root]. Only regular files are opened, and never waited for. Calls return after 30 s at the latest, also
// where the disk doesn't respond; [Files.Write] does so within [Files.Within].
//
// Nothing is read or written either once the path of the folder leads to another folder: whoever names a file by its path
// means the one that is there now.
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

	"weft/backend/fault"
	"weft/backend/pathname"
	"weft/backend/regular"
)

// MaxRead is the largest file, in bytes, that is handed to an agent as a whole.
const MaxRead = 32 << 20

// Error is a refusal. It is a type of its own so that callers can tell that a file was refused.
type Error struct{ base }

type base = fault.Error

// Unwrap returns the fault, which has the cause.
func (e *Error) Unwrap() error { return &e.base }

func refusal(code string, cause error, template fault.Template, values ...any) *Error {
	return &Error{*fault.New(code, template, values...).Because(cause)}
}

// Files is the folder of a space.
type Files struct {
	root   *os.Root
	info   fs.FileInfo
	dirs   []string // the spellings of the folder: as given, and with links resolved
	steady bool     // see [regular.OpenCurrent]

	deadline   time.Duration
	operations chan struct{} // holds one for each operation that has not ended
}

// Open confines file access to dir, which must exist. Close it when the session ends.
func Open(dir string) (*Files, error) {
	f := &Files{deadline: deadline, operations: make(chan struct{}, maxOperations)}
	opened, err := quickly(f, dir, func() (*Files, error) { return open(dir) })
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
		_ = root.Close() // opened for reading only
		return nil, missing(dir, err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != f.dirs[0] {
		f.dirs = append(f.dirs, real)
	}
	return f, nil
}

// Info describes the folder itself, as it was opened.
func (f *Files) Info() fs.FileInfo { return f.info }

// Close releases the folder.
func (f *Files) Close() error { return f.root.Close() }

// Check reports, as an [*Error], that a path is a file:// address. Others read that as the file that it names, and so nothing is done with a file
// that has this name.
func Check(path string) error {
	if strings.HasPrefix(path, "file://") {
		return refusal("outside", nil, "{{path}} is an address, so it wasn't touched. Send an absolute path.", path)
	}
	return nil
}

// relative returns path as seen from the root, which is still the folder at its path. It looks at the disk for that.
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

// ReadText returns the text of a file: limit lines from line (1-based; 0 means the
// first) on, or all of them if limit is 0 (ACP: fs/read_text_file). It is UTF-8 or UTF-16 on disk, the latter with a byte order mark; without
// that mark, and otherwise as the file has it.
func (f *Files) ReadText(path string, line, limit int) (string, error) {
	t, err := quickly(f, path, func() (Text, error) {
		return f.read(path, line, limit, func(rel string) (*os.File, fs.FileInfo, error) { return regular.Open(f.root, rel) })
	})
	return t.Content, err
}

// Read is [Files.ReadText] with the form of what was read, for a path of which was said where it led when it was allowed: at is that place, below the
// folder. Nothing is read where the path leads elsewhere by now.
func (f *Files) Read(path, at string, line, limit int) (Text, error) {
	return quickly(f, path, func() (Text, error) {
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
		t.Form.BOM = string(head) == mark // also where its line was not asked for
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

// Write replaces (or makes) a file, making the folders it needs (ACP:
// fs/write_text_file). A link stays a link; the file that it leads to is replaced. at is where the path led when it was allowed, below the folder:
// nothing is written where it leads elsewhere by now. The file is either the old or the new
// one, never half of it; its mode bits stay. What is made gets the mode that the umask leaves. It blocks for as long as
// the disk does.
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

// wrap explains an error of the disk. The template has the path, and why.
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

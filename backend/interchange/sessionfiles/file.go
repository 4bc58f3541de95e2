package sessionfiles

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
	"weft/backend/files/regular"
)

// Line is a line of a file that isn't empty.
type Line struct {
	Offset int64  // in the file
	Size   int64  // with its end
	Text   []byte // without its end; valid until the next line, nil for one above [MaxEntry]
	Torn   bool   // it has no end, so it may still be written
}

// Open opens a file to be read. It never waits for a pipe. The error is a [FileError].
func Open(path string) (*os.File, error) {
	f, _, err := regular.OpenPath(path)
	if err != nil {
		return nil, Unreadable(err)
	}
	return f, nil
}

// ReadSmall reads a file of up to limit bytes, without a byte order mark. The error is a [FileError].
func ReadSmall(path string, limit int64) ([]byte, error) {
	text, err := regular.ReadPath(path, limit)
	if err != nil {
		return nil, Unreadable(err)
	}
	return Unmarked(text)
}

// mark is the byte order mark that some editors write before UTF-8.
var mark = []byte("\xef\xbb\xbf")

// Unmarked returns a text without its byte order mark. The error is a [FileError], for a text in UTF-16.
func Unmarked(text []byte) ([]byte, error) {
	if len(text) > 1 {
		switch [2]byte(text) {
		case [2]byte{0xff, 0xfe}, [2]byte{0xfe, 0xff}, [2]byte{'{', 0}, [2]byte{0, '{'}, [2]byte{'[', 0}, [2]byte{0, '['}:
			return nil, &FileError{Message: fault.Text("The file is in UTF-16. Convert it to UTF-8.")}
		}
	}
	return bytes.TrimPrefix(text, mark), nil
}

// Unreadable explains why a file can't be read.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{Message: fault.Text("The file no longer exists."), Err: err}
	case errors.Is(err, regular.ErrNotRegular), errors.Is(err, regular.ErrFolder):
		return &FileError{Message: fault.Text("This isn't a regular file."), Err: err}
	case errors.Is(err, regular.ErrTooLarge):
		return &FileError{Message: fault.Text("The file is too large."), Err: err}
	case atomicfile.Denied(err):
		return &FileError{Message: fault.Text("Weft isn't allowed to read the file."), Err: err}
	}
	return &FileError{Message: fault.Text("Couldn't read the file: {{reason}}.", err), Err: err}
}

// Lines calls yield with each line of a stream, until it returns an error, which Lines returns. A byte order mark is
// left out.
func Lines(r io.Reader, yield func(l *Line) error) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	at := int64(0)
	head, _ := in.Peek(len(mark))
	if text, err := Unmarked(head); err != nil {
		return err
	} else if len(text) < len(head) {
		n, _ := in.Discard(len(mark))
		at += int64(n)
	}
	for {
		l := Line{Offset: at}
		long = long[:0]
		for {
			piece, err := in.ReadSlice('\n')
			l.Size += int64(len(piece))
			switch {
			case l.Size > MaxEntry:
				long, l.Text = long[:0], nil
			case err == nil && l.Size == int64(len(piece)):
				l.Text = piece
			default:
				long = append(long, piece...)
				l.Text = long
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return Unreadable(err)
			}
			l.Torn = err != nil
			break
		}
		if cap(long) > MaxEntry/4 {
			long = nil // after this line
		}
		at += l.Size
		l.Text = bytes.TrimSpace(l.Text)
		if len(l.Text) > 0 || l.Size > MaxEntry {
			if err := yield(&l); err != nil {
				return err
			}
		}
		if l.Torn {
			return nil
		}
	}
}

// Inside returns the path of a folder so that opening it fails at once where it is a pipe, and follows it where it is a
// link.
func Inside(path string) string { return path + string(filepath.Separator) + "." }

// Folder lists a folder. One that isn't there is empty. The error is a [FileError].
func Folder(path string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(Inside(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return list, &FileError{Message: "Couldn't read the folder: " + err.Error() + ".", Err: err}
	}
	return list, nil
}

// Projects yields the files in the folder called inner ("": itself) of each folder below root, until yield returns
// false. Folders may be links.
func Projects(ctx context.Context, program, root, inner string, yield func(Source, error) bool) {
	projects, err := Folder(root)
	if err != nil {
		yield(Source{Program: program, Path: root}, err)
		return
	}
	for _, project := range projects {
		if ctx.Err() != nil {
			return
		}
		if !isFolder(root, project) {
			continue
		}
		dir := filepath.Join(root, project.Name(), inner)
		files, err := Folder(dir)
		if err != nil && !yield(Source{Program: program, Path: dir}, err) {
			return
		}
		for _, file := range files {
			if isFolder(dir, file) {
				continue
			}
			src := Source{Program: program, Path: filepath.Join(dir, file.Name())}
			info, err := os.Stat(src.Path)
			if err != nil {
				if !yield(src, Unreadable(err)) {
					return
				}
				continue
			}
			src.Size, src.Changed = info.Size(), info.ModTime().UnixMilli()
			if !yield(src, nil) {
				return
			}
		}
	}
}

// isFolder reports whether an entry of a folder is a folder, or a link to one.
func isFolder(dir string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, d.Name()))
	return err == nil && info.IsDir()
}

// Pattern returns a path as a pattern of [filepath.Glob] that only matches it.
func Pattern(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

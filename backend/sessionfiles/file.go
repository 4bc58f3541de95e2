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

	"weft/backend/atomicfile"
)

// Line is a line of a file that isn't empty.
type Line struct {
	Offset int64  // in the file
	Size   int64  // with its end
	Text   []byte // without its end; valid until the next line, nil for one above [MaxEntry]
	Torn   bool   // it has no end, so it may still be written
}

// Open opens a file to be read. The error is a [FileError].
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &FileError{Message: "This isn't a regular file.", Err: err}
	}
	return f, nil
}

// Unreadable explains why a file can't be read.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{Message: "The file no longer exists.", Err: err}
	case atomicfile.Denied(err):
		return &FileError{Message: "Weft isn't allowed to read the file.", Err: err}
	}
	return &FileError{Message: "Couldn't read the file: " + err.Error() + ".", Err: err}
}

// Lines calls yield with each line of a stream, until it returns an error, which Lines returns.
func Lines(r io.Reader, yield func(l *Line) error) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	at := int64(0)
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

// Folder lists a folder. One that isn't there is empty. The error is a [FileError].
func Folder(path string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return list, &FileError{Message: "Couldn't read the folder: " + err.Error() + ".", Err: err}
	}
	return list, nil
}

// Projects yields the files in the folder called inner ("": itself) of each folder below root, until yield returns false.
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
		if !project.IsDir() {
			continue
		}
		dir := filepath.Join(root, project.Name(), inner)
		files, err := Folder(dir)
		if err != nil && !yield(Source{Program: program, Path: dir}, err) {
			return
		}
		for _, file := range files {
			if file.IsDir() {
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

// Pattern returns a path as a pattern of [filepath.Glob] that only matches it.
func Pattern(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

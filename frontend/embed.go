// Package frontend carries the built frontend.
package frontend

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Files is the built frontend, index.html at its root. It is empty where the frontend was
// not built (npm run build).
func Files() *FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of this package
	}
	return &FS{files: files}
}

// Look is what the page is drawn with from its first picture.
type Look struct {
	Language string // what the user chose: system, en, de …
	System   string // the languages of the system if the browser can't be asked for them: "de-AT,en"
	Theme    string // what the user chose: system, light, dark
}

// In returns the same files with a look in the page. look is called whenever the page is read.
func (f *FS) In(look func() Look) *FS { return &FS{f.files, look} }

// FS are files of which some are compressed with gzip, under their names with ".gz" behind them. They are read under
// both names: uncompressed under their own. Each Open uncompresses again; nothing is kept.
type FS struct {
	files fs.FS
	look  func() Look // nil without one
}

const (
	suffix = ".gz"
	page   = "index.html"
	// root is where the page has its look; see language.ts and begin.js.
	root = `<html lang="en"`
)

// Open opens a file or folder.
func (f *FS) Open(name string) (fs.File, error) {
	if name == page && f.look != nil {
		return f.openPage()
	}
	file, err := f.files.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err //nolint:wrapcheck // is a PathError, as every fs.FS has it
	}
	packed, packedErr := f.files.Open(name + suffix)
	if packedErr != nil {
		return nil, err //nolint:wrapcheck // is a PathError
	}
	defer packed.Close()
	content, info, err := unpack(packed)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &unpacked{Reader: bytes.NewReader(content), info: unpackedInfo{info, int64(len(content))}}, nil
}

// Stat returns what is known of a file or folder, without uncompressing it.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if name == page && f.look != nil {
		file, err := f.openPage()
		if err != nil {
			return nil, err
		}
		return file.Stat() //nolint:wrapcheck // is never an error
	}
	info, err := fs.Stat(f.files, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return info, err //nolint:wrapcheck // is a PathError
	}
	packed, packedErr := fs.Stat(f.files, name+suffix)
	content, ok := f.Compressed(name)
	if packedErr != nil || !ok || len(content) < 4 {
		return nil, err //nolint:wrapcheck // is a PathError
	}
	return unpackedInfo{packed, int64(binary.LittleEndian.Uint32(content[len(content)-4:]))}, nil // where gzip has the size
}

// Compressed returns a file as it is stored, if it is compressed with gzip.
func (f *FS) Compressed(name string) ([]byte, bool) {
	content, err := fs.ReadFile(f.files, name+suffix)
	return content, err == nil
}

// openPage opens the page with its look in it.
func (f *FS) openPage() (fs.File, error) {
	file, err := f.files.Open(page)
	if err != nil {
		return nil, err //nolint:wrapcheck // is a PathError
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: page, Err: err}
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: page, Err: err}
	}
	look := f.look()
	attributes := fmt.Sprintf(`%s data-language="%s" data-system="%s" data-theme="%s"`, root, html.EscapeString(look.Language), html.EscapeString(look.System), html.EscapeString(look.Theme))
	content = bytes.Replace(content, []byte(root), []byte(attributes), 1)
	return &unpacked{Reader: bytes.NewReader(content), info: unpackedInfo{info, int64(len(content))}}, nil
}

func unpack(packed fs.File) ([]byte, fs.FileInfo, error) {
	info, err := packed.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("stat: %w", err)
	}
	r, err := gzip.NewReader(packed)
	if err != nil {
		return nil, nil, fmt.Errorf("uncompress: %w", err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("uncompress: %w", err)
	}
	return content, info, nil
}

// unpacked is an uncompressed file. Like the files of package embed it can seek.
type unpacked struct {
	*bytes.Reader
	info unpackedInfo
}

func (u *unpacked) Stat() (fs.FileInfo, error) { return u.info, nil }
func (u *unpacked) Close() error               { return nil }

type unpackedInfo struct {
	fs.FileInfo
	size int64
}

func (i unpackedInfo) Name() string { return strings.TrimSuffix(i.FileInfo.Name(), suffix) }
func (i unpackedInfo) Size() int64  { return i.size }

// Package frontend carries the built frontend.
package frontend

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	return &FS{files}
}

// FS are files of which some are compressed with gzip, under their names with ".gz" behind them. They are read under
// both names: uncompressed under their own. Each Open uncompresses again; nothing is kept.
type FS struct{ files fs.FS }

const suffix = ".gz"

// Open opens a file or folder.
func (f *FS) Open(name string) (fs.File, error) {
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

func (i unpackedInfo) Name() string { return i.FileInfo.Name()[:len(i.FileInfo.Name())-len(suffix)] }
func (i unpackedInfo) Size() int64  { return i.size }

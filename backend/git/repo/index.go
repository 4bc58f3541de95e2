package repo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

const maxIndex = 64 << 20 // bytes of an index

// gitlinks returns the paths of the submodules in the index. Git enters each of them that contains a repository,
// whatever .gitmodules says.
func (r *Repository) gitlinks() ([]string, error) {
	text, err := readFile(filepath.Join(r.Dir, "index"), maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ErrUnclear
	}
	entries, err := r.Config()
	if err != nil {
		return nil, err
	}
	id := 20
	for _, e := range entries {
		if e.Key == "extensions.objectformat" && !strings.EqualFold(e.Value, "sha1") {
			id = 32
		}
	}
	return linksOf(text, id)
}

// Format of an index entry.
const (
	modeAt    = 24 // offset of the mode
	statSize  = 40
	linkMode  = 0o160000
	typeMask  = 0o170000
	extended  = 0x4000 // two more bytes of flags follow
	entryUnit = 8      // entries are padded to a multiple of it
)

// linksOf reads the entries of an index with ids of the given length in bytes, and returns the paths of the
// submodules.
func linksOf(text []byte, id int) (links []string, err error) {
	if len(text) < 12+id || string(text[:4]) != "DIRC" {
		return nil, ErrUnclear
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return nil, ErrUnclear
	}
	rest := text[12 : len(text)-id]
	path := ""
	for range count {
		head := statSize + id + 2
		if len(rest) < head {
			return nil, ErrUnclear
		}
		mode := binary.BigEndian.Uint32(rest[modeAt:])
		if binary.BigEndian.Uint16(rest[head-2:])&extended != 0 {
			head += 2
		}
		at, keep := head, 0
		if version == 4 {
			var strip, n int
			if strip, n = varint(rest[min(at, len(rest)):]); n == 0 || strip > len(path) {
				return nil, ErrUnclear
			}
			at, keep = at+n, len(path)-strip
		}
		end := -1
		if at <= len(rest) {
			end = bytes.IndexByte(rest[at:], 0)
		}
		if end < 0 {
			return nil, ErrUnclear
		}
		if mode&typeMask == linkMode || version == 4 {
			path = path[:keep] + string(rest[at:at+end])
		}
		if mode&typeMask == linkMode {
			links = append(links, path)
		}
		next := at + end + 1
		if version != 4 {
			path = ""
			next = (at + end + entryUnit) / entryUnit * entryUnit
		}
		if next > len(rest) {
			return nil, ErrUnclear
		}
		rest = rest[next:]
	}
	for len(rest) >= 8 {
		if string(rest[:4]) == "link" { // a split index
			return nil, ErrUnclear
		}
		size := int64(binary.BigEndian.Uint32(rest[4:]))
		if size > int64(len(rest)-8) {
			return nil, ErrUnclear
		}
		rest = rest[8+size:]
	}
	return links, nil
}

// varint reads a number in git's variable-length encoding. n is 0 if there is none.
func varint(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		value |= int(c & 127)
		if c < 128 {
			return value, n
		}
		value = (value + 1) << 7
	}
	return 0, 0
}

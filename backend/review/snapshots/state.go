package snapshots

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Kind is the type of what a path names.
type Kind string

// The kinds. Unknown is what a file held at a time when nobody had looked at it.
const (
	Absent Kind = "absent"
	File   Kind = "file"
	Link   Kind = "link"
	Other  Kind = "other" // a folder, a pipe, a device
	// Directory is a folder, where the path of one is looked at: such a path ends with a slash.
	Directory Kind = "folder"
	Unknown   Kind = "unknown"
)

// State is what is at a path: for a file its bytes and mode bits, for a link its target.
type State struct {
	Kind Kind   `json:"kind"`
	Hash string `json:"hash,omitzero"` // of the bytes or the target, hex SHA-256; see [State.Kept]
	Size int64  `json:"size,omitzero"`
	Mode uint32 `json:"mode,omitzero"` // the bits of [fs.FileMode] in ModeBits
	Text bool   `json:"text,omitzero"` // its bytes can be shown as lines
}

// FolderPath reports whether a path is that of a folder itself.
func FolderPath(p string) bool { return strings.HasSuffix(p, "/") }

// LookFolder returns what is at the path of a folder: [Directory], [Absent], or [Other].
func LookFolder(root *os.Root, p string) (State, error) {
	info, err := root.Lstat(filepath.FromSlash(strings.TrimSuffix(p, "/")))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotDir):
		return State{Kind: Absent}, nil
	case err != nil:
		return State{Kind: Unknown}, err
	case info.IsDir():
		return State{Kind: Directory}, nil
	}
	return State{Kind: Other}, nil
}

// ModeBits are the bits of a file's mode that are kept and put back.
const ModeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Same reports whether two states are the same to the last byte and bit.
func (s State) Same(o State) bool {
	return s.Kind == o.Kind && s.Hash == o.Hash && s.Mode == o.Mode && s.Kind != Unknown
}

// FileMode is the mode for [os.File.Chmod].
func (s State) FileMode() fs.FileMode { return fs.FileMode(s.Mode) & ModeBits }

// Change is a difference between what was known of a path and what is there.
type Change struct {
	Path   string // from the folder, with slashes; that of a folder ends with one
	Before State
	After  State
	// Made is the outermost folder above Path that was not there before, "" if all were.
	Made string
	// When is the time of the last change of the file, as the file system has it; 0 if it is gone. Unix ns.
	When int64
	// Pass is the scan in which Before was last seen to be true.
	Pass int64
}

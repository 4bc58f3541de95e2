package snapshots

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Kind is the type of a path.
type Kind string

// Kinds. Unknown is the state of a file at a time when it hadn't been read.
const (
	Absent Kind = "absent"
	File   Kind = "file"
	Link   Kind = "link"
	Other  Kind = "other" // a folder, a pipe, a device
	// Directory is a folder at the path of a folder, which ends with a slash.
	Directory Kind = "folder"
	Unknown   Kind = "unknown"
)

// State is the state of a path: the content and mode of a file, or the target of a link.
type State struct {
	Kind Kind   `json:"kind"`
	Hash string `json:"hash,omitzero"` // hex SHA-256 of the content or the target; see [Store.Kept]
	Size int64  `json:"size,omitzero"`
	Mode uint32 `json:"mode,omitzero"` // the bits of [fs.FileMode] in ModeBits
	Text bool   `json:"text,omitzero"` // the content can be shown as lines
}

// FolderPath reports whether a path is that of a folder.
func FolderPath(p string) bool { return strings.HasSuffix(p, "/") }

// LookFolder returns the present state of the path of a folder: [Directory], [Absent] or [Other].
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

// ModeBits are the mode bits that are stored and restored.
const ModeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Same reports whether two states are equal in content and mode. Unknown equals nothing.
func (s State) Same(o State) bool {
	return s.Kind == o.Kind && s.Hash == o.Hash && s.Mode == o.Mode && s.Kind != Unknown
}

// FileMode returns the mode for [os.File.Chmod].
func (s State) FileMode() fs.FileMode { return fs.FileMode(s.Mode) & ModeBits }

// Change is a difference between the recorded and the present state of a path.
type Change struct {
	Path   string // relative to the folder, with slashes; a folder's path ends with one
	Before State
	After  State
	// Made is the outermost folder above Path that didn't exist before, or "".
	Made string
	// When is the file's last change according to the file system, in unix ns; 0 if the file is gone.
	When int64
	// Later is set if the file was changed once more afterwards: After isn't what this change has left.
	Later bool
	// Pass is the last scan that confirmed Before.
	Pass int64
}

package snapshots

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"weft/backend/files/regular"
)

var emptyHash = Hash(nil)

// Hash returns the name under which bytes are stored.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stamp identifies an unchanged file without reading it.
type stamp struct{ size, mtime, ctime, ino int64 }

// settled is how long ago the last change of a file must be for its times to reveal the next one, because file system
// clocks are coarse.
const settled = 50 * time.Millisecond

// looked is the present state of a path.
type looked struct {
	State
	stamp stamp // zero if the file must be read again
	when  int64 // of the last change, unix ns
	data  []byte
	skim  bool // the content isn't read
}

// skimmed is the hash prefix of a file that is identified only by its size and times.
const skimmed = "large:"

// IsText reports whether bytes can be shown as lines.
func IsText(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8<<10)], 0) < 0 }

// lstat returns the present state of a file without its content.
func lstat(dir *os.Root, name string) (looked, error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return looked{State: State{Kind: Absent}}, nil
	}
	if err != nil {
		return looked{}, err
	}
	return lookedAt(info), nil
}

func lookedAt(info fs.FileInfo) looked {
	l := looked{State: State{Kind: Other}}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		l.Kind, l.Size, l.Mode = File, info.Size(), uint32(mode&ModeBits)
	case mode&fs.ModeSymlink != 0:
		l.Kind = Link
	default:
		return l
	}
	l.stamp = stampOf(info)
	l.when = max(l.stamp.mtime, l.stamp.ctime)
	return l
}

// read adds the content to the result of lstat. Files that are too large to store are identified by their size and
// time.
func read(dir *os.Root, name string, l looked, now time.Time) (looked, error) {
	switch l.Kind {
	case Link:
		target, err := dir.Readlink(name)
		if err != nil {
			return l, err
		}
		l.data = []byte(target)
		l.Hash, l.Size = Hash(l.data), int64(len(target))
	case File:
		if l.Size > maxKept || l.skim {
			l.Hash = fmt.Sprintf("%s%d:%d:%d", skimmed, l.Size, l.stamp.mtime, l.stamp.ino)
			return l, nil
		}
		file, _, err := regular.Open(dir, name)
		if err != nil {
			return l, err
		}
		defer file.Close()
		data, err := io.ReadAll(io.LimitReader(file, maxKept+1))
		if err != nil {
			return l, err
		}
		if len(data) > maxKept {
			return l, fmt.Errorf("%s grows while it is read", name)
		}
		awaitTruncation(file)
		after, err := file.Stat()
		if err != nil {
			return l, err
		}
		l = lookedAt(after)
		l.data, l.Hash, l.Size, l.Text = data, Hash(data), int64(len(data)), len(data) <= MaxShown && IsText(data)
	default:
		return l, nil
	}
	if now.UnixNano()-l.when < int64(settled) {
		l.stamp = stamp{}
	}
	return l, nil
}

// maxRules is the size limit of a .gitignore file, in bytes.
const maxRules = 1 << 20

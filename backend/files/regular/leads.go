package regular

import (
	"errors"
	"io/fs"
	"os"
)

// opens is how often a folder is opened that is another one than that at its path.
const opens = 8

// OpenCurrent is [OpenRoot] for a folder that [Leads] is asked about later. Steady is false where the folder and its
// path differ from the start, as on some network mounts: then nothing follows from it if they do.
func OpenCurrent(dir string) (root *os.Root, steady bool, err error) {
	for n := 1; ; n++ {
		root, err = OpenRoot(dir)
		if err != nil {
			return nil, false, err
		}
		same, err := Leads(root, dir)
		if same || err == nil && n == opens {
			return root, same, nil
		}
		_ = root.Close() // it was replaced meanwhile
		if err != nil {
			return nil, false, err
		}
	}
}

// Leads reports whether the path of a folder still leads to the one that was opened as root. It doesn't where someone
// has moved that away, or removed it, and has put another folder or a link in its place. Error: that of the disk where
// there is no folder at dir.
//
// It compares what the system says of both at this moment. As root is open, no other folder can have its number.
func Leads(root *os.Root, dir string) (bool, error) {
	there, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	if !there.IsDir() {
		return false, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	opened, err := root.Stat(".")
	if errors.Is(err, os.ErrClosed) {
		return false, err
	}
	return err == nil && os.SameFile(opened, there), nil
}

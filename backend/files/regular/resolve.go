package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links are followed in one path.
const maxLinks = 40

// Resolve follows every link of name, which is local to root, and returns the path that it leads to, as seen from root.
// What the path ends with does not have to exist. Errors: [ErrOutside] for a link that is absolute or leaves root.
//
// Someone may change a folder of the path afterwards. What is then done through root still stays inside of it.
func Resolve(root *os.Root, name string) (string, error) {
	rest := strings.Split(filepath.Clean(name), string(filepath.Separator))
	done := "."
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if done == "." {
				return "", ErrOutside
			}
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "follow", Path: name, Err: errors.New("too many links")}
		}
		target, err := root.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) || filepath.VolumeName(target) != "" {
			return "", ErrOutside
		}
		rest = append(strings.Split(filepath.FromSlash(target), string(filepath.Separator)), rest...)
	}
	return done, nil
}

package finder

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/git"
	"weft/backend/ignore"
	"weft/backend/regular"
)

// The bounds of a listing.
const (
	maxPath    = 1024 // bytes; a longer one is left out
	maxDepth   = 64
	maxIgnore  = 1 << 20          // bytes of a .gitignore
	gitPatient = 60 * time.Second // for git to list a repository
)

// list hands the paths of the files of dir to add, which says whether it takes more: what git
// lists where dir is in a repository, else what a walk finds. A path with a slash at its end is a folder.
func list(ctx context.Context, dir string, add func(path string) bool) error {
	n := 0
	err := gitList(ctx, dir, func(path string) bool { n++; return add(path) })
	if err == nil && n > 0 {
		return nil
	}
	if n > 0 || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	// No repository, no git, or a folder that its repository ignores as a whole.
	return walk(ctx, dir, add)
}

// gitList asks git for the files that it tracks or would track.
func gitList(ctx context.Context, dir string, add func(path string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, gitPatient)
	defer cancel()
	return git.Stream(ctx, dir, func(out io.Reader) error {
		paths := bufio.NewScanner(out)
		paths.Buffer(make([]byte, 64<<10), 1<<20)
		paths.Split(splitNUL)
		for paths.Scan() {
			if p := paths.Text(); usable(p) && !add(p) {
				break // enough
			}
		}
		return paths.Err()
	}, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
}

func splitNUL(data []byte, end bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func usable(p string) bool {
	return p != "" && len(p) <= maxPath && filepath.IsLocal(filepath.FromSlash(p))
}

// walk lists the tree below dir, honoring .gitignore files. Links are listed and not followed;
// folders that cannot be read are passed over.
func walk(ctx context.Context, dir string, add func(path string) bool) error {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	rules := map[string]ignore.Rules{} // of the folders above the one that is looked at
	return fs.WalkDir(walked{root.FS(), root}, ".", func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && p == "." {
			return err
		}
		above := rules[path.Dir(p)]
		if p != "." && (d == nil || !usable(p) || above.Ignored(p, d.IsDir())) || err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if strings.Count(p, "/") >= maxDepth {
				return fs.SkipDir
			}
			rules[p] = above.With(strings.TrimPrefix(p, "."), ignoreFile(root, p))
			if p != "." && !add(p+"/") {
				return fs.SkipAll
			}
			return nil
		}
		if !add(p) {
			return fs.SkipAll
		}
		return nil
	})
}

// ignoreFile is the text of a folder's .gitignore, empty where there is none worth reading.
func ignoreFile(root *os.Root, dir string) []byte {
	text, err := regular.Read(root, filepath.FromSlash(path.Join(dir, ".gitignore")), maxIgnore)
	if err != nil {
		return nil
	}
	return text
}

// walked is a folder to walk, in which nothing that is opened is waited for.
type walked struct {
	fs.FS
	root *os.Root
}

// ReadDir returns the entries of a folder in the order of their names.
func (t walked) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := regular.ReadFolder(t.root, filepath.FromSlash(name), -1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

// Stat tells what the walk begins at.
func (t walked) Stat(name string) (fs.FileInfo, error) { return t.root.Stat(filepath.FromSlash(name)) }

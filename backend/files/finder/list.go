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

	"weft/backend/files/ignore"
	"weft/backend/files/regular"
	"weft/backend/git"
)

// Limits of a listing.
const (
	maxPath    = 1024 // bytes; longer ones are left out
	maxDepth   = 64
	maxIgnore  = 1 << 20          // bytes of a .gitignore
	gitPatient = 60 * time.Second // for git to list a repository
)

// list calls add with the paths of dir's files until add returns false. It uses git if dir is in a
// repository, and otherwise walks the tree. Paths of folders end with a slash.
func list(ctx context.Context, dir string, add func(path string) bool) error {
	n := 0
	err := gitList(ctx, dir, func(path string) bool { n++; return add(path) })
	if err == nil && n > 0 {
		return nil
	}
	if n > 0 || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	// No repository, no git, or the repository ignores the folder.
	return walk(ctx, dir, add)
}

// gitList lists the files that git tracks or would track.
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

// walk lists the tree below dir, except files that .gitignore excludes. It lists links but doesn't
// follow them, and skips unreadable folders.
func walk(ctx context.Context, dir string, add func(path string) bool) error {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	rules := map[string]ignore.Rules{} // of the visited folders
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

// ignoreFile returns the text of a folder's .gitignore, or nil if it is missing, unreadable or too large.
func ignoreFile(root *os.Root, dir string) []byte {
	text, err := regular.Read(root, filepath.FromSlash(path.Join(dir, ".gitignore")), maxIgnore)
	if err != nil {
		return nil
	}
	return text
}

// walked is a folder to walk. Opening its entries never blocks.
type walked struct {
	fs.FS
	root *os.Root
}

// ReadDir returns the entries of a folder, sorted by name.
func (t walked) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := regular.ReadFolder(t.root, filepath.FromSlash(name), -1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

// Stat implements [fs.StatFS] for the root of the walk.
func (t walked) Stat(name string) (fs.FileInfo, error) { return t.root.Stat(filepath.FromSlash(name)) }

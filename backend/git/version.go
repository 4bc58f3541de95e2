package git

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"weft/backend/base/lazyregexp"
)

// Older versions don't support the variables that override settings.
const oldestMajor, oldestMinor = 2, 34

var (
	versions sync.Map // maps the path of a git program to whether it is recent enough
	numbers  = lazyregexp.New(`^git version (\d+)\.(\d+)`)
)

// program returns the path of git.
func program(ctx context.Context) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", ErrMissing
	}
	if known, ok := versions.Load(path); ok {
		if known != true {
			return "", ErrMissing
		}
		return path, nil
	}
	out := &limited{max: maxStderr}
	cmd := command(ctx, path, os.TempDir(), inherited(), []string{"version"})
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return "", ended(ctx, err, out)
	}
	recent := false
	if m := numbers.FindStringSubmatch(out.buf.String()); m != nil {
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		recent = major > oldestMajor || major == oldestMajor && minor >= oldestMinor
	}
	versions.Store(path, recent)
	if !recent {
		return "", ErrMissing
	}
	return path, nil
}

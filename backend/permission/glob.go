package permission

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern for files, made ready to be compared.
type glob struct {
	pattern, lower string
	// What every file that matches begins and ends with, in lower case: most files are told apart by these.
	begins, ends string
}

func newGlob(pattern string) glob {
	g := glob{pattern: pattern, lower: strings.ToLower(pattern)}
	if strings.ContainsRune(pattern, '\\') {
		return g
	}
	const special = "*?[]{}"
	if i := strings.IndexAny(g.lower, special); i < 0 {
		g.begins, g.ends = g.lower, g.lower
	} else {
		g.begins = strings.TrimSuffix(g.lower[:i], "/") // src/** is src, too
		g.ends = strings.TrimPrefix(g.lower[strings.LastIndexAny(g.lower, special)+1:], "/")
	}
	return g
}

// match reports whether the pattern matches a file.
func (g glob) match(name string) bool { return doublestar.MatchUnvalidated(g.pattern, name) }

// near reports whether the pattern matches a file by either of its names, whatever the case: some
// disks do not tell them apart.
func (g glob) near(f File) bool { return g.either(f.Named) || f.Real != f.Named && g.either(f.Real) }

func (g glob) either(name string) bool {
	if name == "" {
		return false
	}
	name = path.Clean(name)
	lower := strings.ToLower(name)
	if !strings.HasPrefix(lower, g.begins) || !strings.HasSuffix(lower, g.ends) {
		return false
	}
	return g.match(name) || doublestar.MatchUnvalidated(g.lower, lower)
}

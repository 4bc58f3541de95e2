package permission

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"weft/backend/permission/files"
)

// glob is a compiled file pattern.
type glob struct {
	pattern, folded string
	// Case-folded prefix and suffix of every file that matches. They rule out most files cheaply.
	begins, ends string
}

func newGlob(pattern string) glob {
	g := glob{pattern: pattern, folded: files.Fold(pattern)}
	if strings.ContainsRune(pattern, '\\') {
		return g
	}
	const special = "*?[]{}"
	if i := strings.IndexAny(g.folded, special); i < 0 {
		g.begins, g.ends = g.folded, g.folded
	} else {
		g.begins = strings.TrimSuffix(g.folded[:i], "/") // src/** also matches src
		g.ends = strings.TrimPrefix(g.folded[strings.LastIndexAny(g.folded, special)+1:], "/")
	}
	return g
}

// match reports whether the pattern matches a file.
func (g *glob) match(name string) bool { return doublestar.MatchUnvalidated(g.pattern, name) }

// matchesFile reports whether the pattern matches either name of a file, or a name that some file systems treat as the
// same.
func (g *glob) matchesFile(f target) bool {
	return g.either(f.named, f.foldedNamed) || f.real != f.named && g.either(f.real, f.foldedReal)
}

// mayMatch reports whether the pattern may match a file. The name must be case-folded.
func (g *glob) mayMatch(folded string) bool {
	return strings.HasPrefix(folded, g.begins) && strings.HasSuffix(folded, g.ends)
}

// mayBeIn reports whether the pattern may match a file in a folder. The folder's name is case-folded, and ends with a
// slash unless it is empty.
func (g *glob) mayBeIn(dir string) bool {
	return strings.HasPrefix(dir, g.begins) || strings.HasPrefix(g.begins, dir)
}

func (g *glob) either(name, folded string) bool {
	return name != "" && g.mayMatch(folded) && (g.match(name) || doublestar.MatchUnvalidated(g.folded, folded))
}

// target is a file in the form that is compared with patterns.
type target struct{ named, real, foldedNamed, foldedReal string }

func targets(list []files.File) []target {
	if len(list) == 0 {
		return nil
	}
	out := make([]target, len(list))
	for i, f := range list {
		named := clean(f.Named)
		out[i] = target{named: named, real: named, foldedNamed: files.Fold(named)}
		if real := clean(f.Real); real != named {
			out[i].real, out[i].foldedReal = real, files.Fold(real)
		}
	}
	return out
}

func clean(name string) string {
	if name == "" {
		return ""
	}
	return path.Clean(name)
}

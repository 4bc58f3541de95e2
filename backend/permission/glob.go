package permission

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"weft/backend/permission/files"
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
func (g *glob) match(name string) bool { return doublestar.MatchUnvalidated(g.pattern, name) }

// near reports whether the pattern matches a file by either of its names, whatever the case: some
// disks do not tell them apart.
func (g *glob) near(f target) bool {
	return g.either(f.named, f.lowerNamed) || f.real != f.named && g.either(f.real, f.lowerReal)
}

// may reports whether the pattern may match a file with that name, which is in lower case.
func (g *glob) may(lower string) bool {
	return strings.HasPrefix(lower, g.begins) && strings.HasSuffix(lower, g.ends)
}

// mayBeIn reports whether the pattern may match a file in a folder, whose name is in lower case and ends with a slash, or is empty.
func (g *glob) mayBeIn(dir string) bool {
	return strings.HasPrefix(dir, g.begins) || strings.HasPrefix(g.begins, dir)
}

func (g *glob) either(name, lower string) bool {
	return name != "" && g.may(lower) && (g.match(name) || doublestar.MatchUnvalidated(g.lower, lower))
}

// target is a file, made ready to be compared with many patterns.
type target struct{ named, real, lowerNamed, lowerReal string }

func targets(files []files.File) []target {
	if len(files) == 0 {
		return nil
	}
	out := make([]target, len(files))
	for i, f := range files {
		named := clean(f.Named)
		out[i] = target{named: named, real: named, lowerNamed: strings.ToLower(named)}
		if real := clean(f.Real); real != named {
			out[i].real, out[i].lowerReal = real, strings.ToLower(real)
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

package patch

import (
	"path"
	"path/filepath"
	"strings"
)

// gitPrefixes are the prefixes of the two sides of a git diff: the default, those of diff.mnemonicPrefix, and
// reversed ones.
var gitPrefixes = [][2]string{{"a/", "b/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"o/", "w/"}, {"1/", "2/"}, {"b/", "a/"}, {"w/", "i/"}}

// name sets the names of a file from its headers. It returns false if there is none.
func (f *File) name(git, from, to string, renamed [2]string) bool {
	if renamed[0] != "" && renamed[1] != "" {
		f.Path, f.To = renamed[0], renamed[1] // git writes these without a prefix
		return true
	}
	old, now := gitNames(git)
	if from == "" && to == "" {
		from, to = old, now
	}
	oldNull, newNull := isNothing(from), isNothing(to)
	switch {
	case oldNull && newNull, from == "" || to == "":
		return false
	case oldNull:
		f.Op = Add
		f.Path, f.Prefixed = withoutPrefix(to, old, now, true)
	case newNull:
		f.Op = Delete
		f.Path, f.Prefixed = withoutPrefix(from, old, now, false)
	default:
		f.Path, f.To = from, to
		for _, p := range gitPrefixes {
			a, first := strings.CutPrefix(from, p[0])
			b, second := strings.CutPrefix(to, p[1])
			if first && second {
				f.Path, f.To, f.Prefixed = a, b, true
				break
			}
		}
		if f.Path == f.To {
			f.To = ""
		} else if f.To != "" && !f.Prefixed && (f.Path == f.To+".orig" || f.Path == f.To+".old") {
			f.Path, f.To = f.To, "" // a backup that another tool compared with
		}
	}
	return f.Path != ""
}

// isNothing reports whether a side is /dev/null. Copilot adds a prefix even to that.
func isNothing(name string) bool {
	return name == nothing || len(name) == len("a")+len(nothing) && name[1:] == nothing
}

// withoutPrefix returns the name of an added or deleted file. It removes a prefix only if git's header line has it on
// both sides.
func withoutPrefix(name, old, now string, isNew bool) (plain string, cut bool) {
	for _, p := range gitPrefixes {
		a, first := strings.CutPrefix(old, p[0])
		b, second := strings.CutPrefix(now, p[1])
		mine := p[0]
		if isNew {
			mine = p[1]
		}
		if rest, has := strings.CutPrefix(name, mine); has && first && second && a == b && rest == b {
			return rest, true
		}
	}
	return name, false
}

// gitNames returns the two names in a line "diff --git a/x b/x", where names may contain spaces.
func gitNames(s string) (old, now string) {
	if strings.HasPrefix(s, `"`) {
		if end := strings.Index(s, `" `); end > 0 {
			return unquoted(s[:end+1]), unquoted(strings.TrimSpace(s[end+2:]))
		}
		return "", ""
	}
	for i := 1; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		a, b := s[:i], unquoted(s[i+1:])
		for _, p := range gitPrefixes {
			x, first := strings.CutPrefix(a, p[0])
			y, second := strings.CutPrefix(b, p[1])
			if first && second && x == y {
				return a, b
			}
		}
		if a == b {
			return a, b
		}
	}
	return "", ""
}

// Disk has what is needed to find out which files a patch means.
type Disk struct {
	Folder string // absolute; names are relative to it
	// Named has the absolute paths of files that the agent named besides the patch.
	Named []string
	// Exists reports whether a file or folder exists at an absolute path.
	Exists func(path string) bool
}

// Locate returns the file that a name in a patch means, relative to the folder or absolute. A prefix counts as git's
// only if both sides have it ([File.Prefixed]), or if the file exists without it and not with it.
func (d *Disk) Locate(name string, prefixed bool) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) || strings.HasPrefix(name, "~") || name == "" {
		return name
	}
	if prefixed {
		plain := d.plain(name)
		if other := d.Doubted(name); other != "" && !d.there(plain) && !d.named(plain) {
			return other
		}
		return plain
	}
	if rest, cut := anyPrefix(name); cut && !d.there(name) {
		if plain := d.plain(rest); d.there(plain) || d.named(plain) {
			return plain
		}
	}
	return name
}

// Doubted returns the other file that a name without its prefix may mean, in a folder that is named like the prefix. It
// returns "" if there is none.
func (d *Disk) Doubted(name string) string {
	for _, p := range []string{"a/", "b/"} {
		if d.there(p + name) {
			return p + name
		}
	}
	return ""
}

// plain returns the file for a name whose prefix was removed. "work/x" may mean "/work/x", because a prefix replaces
// the slash of an absolute path.
func (d *Disk) plain(name string) string {
	abs := "/" + name
	switch {
	case d.named(name), d.there(name):
		return name
	case d.named(abs), abs == d.Folder, strings.HasPrefix(abs, strings.TrimSuffix(d.Folder, "/")+"/"), d.Exists(abs):
		return abs
	case d.depth(abs) > d.depth(path.Join(d.Folder, name))-d.depth(path.Join(d.Folder, "x")):
		return abs
	}
	return name
}

// depth returns how many of a path's parent folders exist.
func (d *Disk) depth(abs string) int {
	n := 0
	for at := path.Dir(abs); at != "/" && at != "."; at = path.Dir(at) {
		if n == 0 && !d.Exists(at) {
			continue
		}
		n++
	}
	return n
}

func (d *Disk) there(name string) bool {
	if !path.IsAbs(name) {
		name = path.Join(d.Folder, name)
	}
	return d.Exists(name)
}

func (d *Disk) named(name string) bool {
	if !path.IsAbs(name) {
		name = path.Join(d.Folder, name)
	}
	for _, n := range d.Named {
		if path.Clean(n) == name {
			return true
		}
	}
	return false
}

func anyPrefix(name string) (rest string, cut bool) {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciow12", name[0]) >= 0 {
		return name[2:], true
	}
	return name, false
}

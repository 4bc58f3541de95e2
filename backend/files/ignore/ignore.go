// Package ignore decides which files of a folder to skip: those that .gitignore files exclude,
// version control, and installed packages.
package ignore

import (
	"bufio"
	"bytes"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// alwaysSkipped are directories of version control and of installed packages.
var alwaysSkipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true,
	"node_modules": true, "__pycache__": true, ".venv": true,
}

// rule is one line of a .gitignore file (https://git-scm.com/docs/gitignore).
type rule struct {
	name    string // one of these three is set: an exact name,
	suffix  string // the end of a name,
	pattern string // or a doublestar pattern relative to base
	base    string // directory of the .gitignore file, "" for the folder itself
	negate  bool
	dirOnly bool
}

// Rules are the rules of a directory and all directories above it, outermost first.
type Rules []rule

// With returns the rules extended with the text of a .gitignore file in dir. It doesn't change r.
func (r Rules) With(dir string, text []byte) Rules {
	rules := r[:len(r):len(r)]
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rule, ok := parse(dir, lines.Text()); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

func parse(dir, line string) (rule, bool) {
	line = strings.TrimSuffix(line, "\r")
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t")
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	out := rule{base: dir}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		out.negate, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		out.dirOnly, line = true, rest
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	if !anchored {
		// Most rules are a name or a suffix and need no pattern.
		if rest, ok := strings.CutPrefix(line, "*"); ok && !strings.ContainsAny(rest, meta) {
			out.suffix = rest
			return out, rest != ""
		}
		if !strings.ContainsAny(line, meta) {
			out.name = line
			return out, true
		}
	}
	// Braces are literal in a .gitignore file, but alternatives in doublestar.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if !anchored {
		line = "**/" + line
	}
	out.pattern = line
	return out, doublestar.ValidatePattern(line)
}

// meta are the special characters of patterns.
const meta = `*?[]{}\`

func (r *rule) matches(rel string) bool {
	name := rel
	if r.base != "" {
		rest, below := strings.CutPrefix(rel, r.base+"/")
		if !below {
			return false
		}
		name = rest
	}
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	switch {
	case r.name != "":
		return base == r.name
	case r.suffix != "":
		return strings.HasSuffix(base, r.suffix)
	}
	return doublestar.MatchUnvalidated(r.pattern, name)
}

// Ignored reports whether the entry at rel is excluded. The last matching rule decides, as in git.
func (r Rules) Ignored(rel string, isDir bool) bool {
	if isDir && alwaysSkipped[path.Base(rel)] {
		return true
	}
	for i := len(r) - 1; i >= 0; i-- {
		rule := &r[i]
		if rule.dirOnly && !isDir {
			continue
		}
		if rule.matches(rel) {
			return !rule.negate
		}
	}
	return false
}

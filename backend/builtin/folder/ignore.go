package folder

import (
	"bufio"
	"bytes"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// alwaysSkipped are directories that hold no work of the project: version control and installed packages.
var alwaysSkipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true,
	"node_modules": true, "__pycache__": true, ".venv": true,
}

// ignoreRule is one line of a .gitignore file (https://git-scm.com/docs/gitignore).
type ignoreRule struct {
	pattern string // in doublestar's notation, relative to base
	base    string // directory of the .gitignore file, "" for the folder itself
	negate  bool
	dirOnly bool
}

// IgnoreRules are the rules of a directory and all directories above it, outermost first.
type IgnoreRules []ignoreRule

// With returns the rules extended by the text of a .gitignore file that lies in dir. The receiver is not changed.
func (r IgnoreRules) With(dir string, text []byte) IgnoreRules {
	rules := r[:len(r):len(r)]
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rule, ok := parseIgnoreRule(dir, lines.Text()); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

func parseIgnoreRule(dir, line string) (ignoreRule, bool) {
	line = strings.TrimSuffix(line, "\r")
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t")
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	rule := ignoreRule{base: dir}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		rule.negate, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		rule.dirOnly, line = true, rest
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	// Braces are plain characters in a .gitignore file and alternatives for doublestar.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if !anchored {
		line = "**/" + line
	}
	rule.pattern = line
	return rule, line != "" && doublestar.ValidatePattern(line)
}

// Ignored reports whether the entry at rel is excluded. The last rule that matches decides, as in git.
func (r IgnoreRules) Ignored(rel string, isDir bool) bool {
	if isDir && alwaysSkipped[path.Base(rel)] {
		return true
	}
	for i := len(r) - 1; i >= 0; i-- {
		rule := r[i]
		if rule.dirOnly && !isDir {
			continue
		}
		name := rel
		if rule.base != "" {
			name = strings.TrimPrefix(rel, rule.base+"/")
		}
		if doublestar.MatchUnvalidated(rule.pattern, name) {
			return !rule.negate
		}
	}
	return false
}

package permission

import (
	"slices"
	"strings"
)

// pathIndex indexes rules about files by a path element that every matching file has, so that most rules needn't be
// checked.
type pathIndex struct {
	all  []compiled
	by   map[string][]int // by that path element, case-folded
	rest []int            // rules without such an element
}

func newPathIndex(rules []compiled) pathIndex {
	x := pathIndex{all: rules, by: map[string][]int{}}
	for i := range rules {
		if name := nameIn(rules[i].glob.folded); name != "" {
			x.by[name] = append(x.by[name], i)
		} else {
			x.rest = append(x.rest, i)
		}
	}
	return x
}

// nameIn returns the longest path element that every file matching the glob has, or "" if there is none.
func nameIn(glob string) (name string) {
	if strings.ContainsRune(glob, '\\') {
		return ""
	}
	// Alternatives and classes may contain slashes, so only the text before the first and after the last of them
	// counts.
	parts := []string{glob}
	if first := strings.IndexAny(glob, "{["); first >= 0 {
		parts = []string{glob[:first] + "*", "*" + glob[max(strings.LastIndexAny(glob, "}]"), first)+1:]}
	}
	for _, part := range parts {
		for segment := range strings.SplitSeq(part, "/") {
			if len(segment) > len(name) && !strings.ContainsAny(segment, "*?{}[]") {
				name = segment
			}
		}
	}
	return name
}

// eachNamed calls look with each rule that may match a file, until look returns true. It reports whether look did. path
// is the file's path, case-folded.
func (x *pathIndex) eachNamed(path string, look func(*compiled) bool) bool {
	var looked [8]string
	for n := 0; len(path) > 0 && len(x.by) > 0; {
		name, rest, _ := strings.Cut(path, "/")
		path = rest
		list := x.by[name]
		if len(list) == 0 || slices.Contains(looked[:n], name) {
			continue
		}
		for _, i := range list {
			if look(&x.all[i]) {
				return true
			}
		}
		if n < len(looked) {
			looked[n] = name
			n++
		}
	}
	return false
}

// eachOther is like eachNamed, for the rules that may match any file.
func (x *pathIndex) eachOther(look func(*compiled) bool) bool {
	for _, i := range x.rest {
		if look(&x.all[i]) {
			return true
		}
	}
	return false
}

// eachFor is like eachNamed and eachOther, for several files with either of their names.
func (x *pathIndex) eachFor(look func(*compiled) bool, lists ...[]target) bool {
	any := false
	for _, list := range lists {
		for i := range list {
			any = true
			if x.eachNamed(list[i].foldedNamed, look) || x.eachNamed(list[i].foldedReal, look) {
				return true
			}
		}
	}
	return any && x.eachOther(look)
}

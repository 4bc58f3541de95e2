package permission

import (
	"slices"
	"strings"
)

// pathIndex holds rules about files by a name that every file they match has in its path, so that most rules are not looked at.
type pathIndex struct {
	all  []compiled
	by   map[string][]int // by that name, folded
	rest []int            // rules that have none
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

// nameIn returns the longest part of a glob that is a whole name in the path of every file that matches, "" if there is none.
func nameIn(glob string) (name string) {
	if strings.ContainsRune(glob, '\\') {
		return ""
	}
	// Alternatives and classes may hold slashes: only what is before the first and behind the last of them counts.
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

// about calls look with each rule that may match a file; path is its path, folded. It stops where look returns true, and reports whether
// it did.
func (x *pathIndex) about(path string, look func(*compiled) bool) bool {
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

// others calls look with each rule that may match any file, in the same way.
func (x *pathIndex) others(look func(*compiled) bool) bool {
	for _, i := range x.rest {
		if look(&x.all[i]) {
			return true
		}
	}
	return false
}

// near calls look with each rule that may match one of the files by either of its names.
func (x *pathIndex) near(look func(*compiled) bool, lists ...[]target) bool {
	any := false
	for _, list := range lists {
		for i := range list {
			any = true
			if x.about(list[i].foldedNamed, look) || x.about(list[i].foldedReal, look) {
				return true
			}
		}
	}
	return any && x.others(look)
}

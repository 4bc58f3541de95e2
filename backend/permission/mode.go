package permission

import (
	"slices"

	"weft/backend/permission/files"
)

// strictness orders the modes; the empty mode limits nothing.
var strictness = map[Mode]int{FollowRules: 1, AskAlways: 2, ReadOnly: 3}

// Stricter returns the one of two modes under which less happens unasked. "" is no limit.
func Stricter(a, b Mode) Mode {
	if strictness[b] > strictness[a] {
		return b
	}
	return a
}

// Sensitive reports whether a subject reaches for what only an answer of the user, and no mode of an agent, allows: the
// inside of a git folder, or a file outside of the space's folder.
func (s *Subject) Sensitive() bool {
	for i := range s.Files {
		if f := &s.Files[i]; f.Real == "" && s.Line == "" || f.Git {
			return true
		}
	}
	for i := range s.Writes {
		if s.Writes[i].Git {
			return true
		}
	}
	return false
}

// OnlyReads reports whether a request runs commands that are certain to do nothing but read, inside of the space's folder.
func (s *Subject) OnlyReads() bool {
	if s.Unclear != "" || s.Git || len(s.Writes) > 0 || len(s.Commands) == 0 {
		return false
	}
	for i := range s.Commands {
		if c := &s.Commands[i]; !c.Wrapped && (c.Use == nil || c.Use.Acts()) {
			return false
		}
	}
	return true
}

// RejectsFile reports whether a rule rejects what a tool of a kind, such as search, would do with each of the files.
// Unlike [Set.Decide] it takes any number of them. It follows links on the disk.
func (s *Set) RejectsFile(at Place, kind string, paths []string) []bool {
	out := make([]bool, len(paths))
	if s == nil || !s.rejectsFiles() {
		return out
	}
	f := files.Open(at.Folder)
	sub := &Subject{Place: at, Kind: kind, Said: kind, real: f.Real}
	for i, path := range paths {
		sub.Files = []files.File{f.File(path, "")}
		rule, _ := s.rejects(sub)
		out[i] = rule != nil
	}
	return out
}

// rejectsFiles reports whether there is a rule that could reject a file.
func (s *Set) rejectsFiles() bool {
	return len(s.rejected.all) > 0 || slices.ContainsFunc(s.kinds, func(c compiled) bool { return c.Effect == Reject })
}

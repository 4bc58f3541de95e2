package permission

import (
	"slices"

	"weft/backend/permission/files"
)

// strictness orders the modes. The empty mode has no limits.
var strictness = map[Mode]int{FollowRules: 1, AskAlways: 2, ReadOnly: 3}

// Stricter returns the mode that allows less without asking. "" has no limits.
func Stricter(a, b Mode) Mode {
	if strictness[b] > strictness[a] {
		return b
	}
	return a
}

// Sensitive reports whether a subject touches the inside of a git folder, or a file outside of the space's folder.
// Only the user may allow that, never a mode of an agent.
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

// OnlyReads reports whether a request runs commands that certainly only read, inside of the space's folder.
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

// RejectsFile reports for each file whether a rule rejects a tool of that kind, such as search. Unlike [Set.Decide] it
// accepts any number of files. It follows symbolic links on the disk.
func (s *Set) RejectsFile(at Place, kind string, paths []string) []bool {
	out := make([]bool, len(paths))
	if s == nil || !s.rejectsFiles() {
		return out
	}
	f := files.Open(at.Folder, at.Disk)
	sub := &Subject{Place: at, Kind: kind, Said: kind, real: f.Real}
	for i, path := range paths {
		sub.Files = []files.File{f.File(path, "")}
		rule, _ := s.rejects(sub)
		out[i] = rule != nil
	}
	return out
}

// rejectsFiles reports whether any rule could reject a file.
func (s *Set) rejectsFiles() bool {
	return len(s.rejected.all) > 0 || slices.ContainsFunc(s.kinds, func(c compiled) bool { return c.Effect == Reject })
}

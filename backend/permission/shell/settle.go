package shell

import (
	"path"
	"slices"

	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// change is what a command may change, as far as a later one depends on it.
type change byte

const (
	filesChanged  change = 1 << iota // of the folder
	foldersFilled                    // so that a folder may be a repository or a package, and a file a link
	indexFilled                      // so that a repository in the folder may be a submodule
	anyChange                        // nobody knows: the configuration of git, too
)

// Settle marks the commands that were read as Unsettled where another one may change what they do: a line is judged by what is on the disk before
// any of it runs. It also notes if a repository would make git run something. dir is the folder in which the line begins, as seen from that of the
// script.
func (s *Script) Settle(dir string) {
	own := make([]change, len(s.Commands))
	for i := range s.Commands {
		own[i] = changes(s.folder, &s.Commands[i])
	}
	before := make([]change, len(own))
	for i := range before {
		for k := range own {
			if k != i && (k < i || s.Commands[k].loose || s.Commands[i].loose) {
				before[i] |= own[k]
			}
		}
		if len(s.Writes) > 0 {
			before[i] |= filesChanged
		}
		c := &s.Commands[i]
		c.Unsettled = c.Use != nil && before[i]&(anyChange|foldersFilled) != 0 && c.Use.depends(c.Dir) || makesPackage(c, s.Writes)
	}
	for i, change := range own {
		s.UnsettledWrites = s.UnsettledWrites || change&(anyChange|foldersFilled) != 0 && s.Commands[i].written < len(s.Writes)
	}
	if repositoriesRun(s, dir, before) {
		s.Doubt(unclear.Repository)
	}
}

// changes returns what a command changes. What runs the code of a package counts as changing nothing, because that code may do anything anyway.
func changes(in files.Folder, c *Command) change {
	switch {
	case c.Wrapped:
		return 0
	case c.Use == nil:
		return anyChange
	case !c.Use.Acts() || len(c.Use.Name) < 2 || c.Use.Name[0] != "git":
		return 0
	}
	switch u := c.Use; u.Name[1] {
	case "pull":
		return filesChanged | foldersFilled | indexFilled
	case "add", "commit":
		named := len(u.operands) > 0 || u.Name[1] == "commit"
		if !named || u.has("-a", "-A", "-u", "--all", "--update") || slices.ContainsFunc(u.operands, func(o word) bool { return o.pattern || !in.IsFile(o.text, c.Dir) }) {
			return indexFilled
		}
	}
	return 0
}

// depends reports whether a command in a folder depends on where paths lead, or on the package of the folder.
func (u *Use) depends(dir string) bool {
	if u.Acts() {
		return len(u.packages) > 0 && dir != ""
	}
	return len(u.files) > 0 || len(u.writes) > 0 || u.deep || u.Name[0] == "cd"
}

// makesPackage reports whether a command runs the code of a package below the folder of the script, and the line writes a file that makes one.
func makesPackage(c *Command, written []files.File) bool {
	return c.Use != nil && len(c.Use.packages) > 0 && c.Dir != "" && slices.ContainsFunc(written, func(f files.File) bool {
		return slices.Contains(c.Use.packages, path.Base(f.Real))
	})
}

// settled reports whether what git would run in dir is still the same after a change.
func (g *gitCall) settled(dir string, known repositories, after change) bool {
	if g.subcommand == "" || after == 0 {
		return true
	}
	dir = g.in(dir)
	found, err := known.find(dir)
	if err != nil || after&anyChange != 0 || found == nil && after&foldersFilled != 0 {
		return false
	}
	if found == nil {
		return true
	}
	moves, unknown := found.Movable()
	if after&filesChanged != 0 && (moves || unknown != nil) || after&foldersFilled != 0 && dir != found.Top {
		return false
	}
	if after&indexFilled == 0 {
		return true
	}
	nested, err := found.Nested(after&filesChanged != 0)
	return err == nil && !nested
}

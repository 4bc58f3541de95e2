package shell

import (
	"path"
	"slices"

	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// change is what a command may change that a later command depends on.
type change byte

const (
	filesChanged  change = 1 << iota // files of the folder
	foldersFilled                    // a folder may become a repository or a package, and a file a link
	indexFilled                      // a repository in the folder may become a submodule
	anyChange                        // anything, including the configuration of git
)

// Settle marks commands as Unsettled if another command of the line may change what they do, because a line is judged
// by the state of the disk before it runs. It also records whether a repository would make git run something. dir is
// the folder in which the line begins, relative to the folder of the script.
func (s *Script) Settle(dir string) {
	own := make([]change, len(s.Commands))
	for i := range s.Commands {
		own[i] = changes(s.folder, &s.Commands[i])
	}
	before := make([]change, len(own))
	for i := range before {
		for k := range own {
			if k != i && (k < i || s.Commands[k].conditional || s.Commands[i].conditional) {
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
		s.MarkUnclear(unclear.Repository)
	}
}

// changes returns what a command changes. A command that runs the code of a package counts as no change, because that
// code may do anything anyway.
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

// depends reports whether a command in dir depends on where paths lead, or on the package of the folder.
func (u *Use) depends(dir string) bool {
	if u.Acts() {
		return len(u.packages) > 0 && dir != ""
	}
	return len(u.files) > 0 || len(u.writes) > 0 || u.deep || u.Name[0] == "cd"
}

// makesPackage reports whether a command runs the code of a package below the script's folder, and the line writes a
// file that marks a package.
func makesPackage(c *Command, written []files.File) bool {
	return c.Use != nil && len(c.Use.packages) > 0 && c.Dir != "" && slices.ContainsFunc(written, func(f files.File) bool {
		return slices.Contains(c.Use.packages, path.Base(f.Real))
	})
}

// settled reports whether git would still run the same in dir after a change.
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

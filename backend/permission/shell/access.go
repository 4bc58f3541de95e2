package shell

import (
	"slices"
	"strings"

	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// Access tracks which files commands read and write, and the working directory of the next command. Its methods return
// why a command can't be judged, or "".
type Access struct {
	Dir    string       // of the next command, relative to the folder
	Writes []files.File // written by redirections and commands of known programs
	Reads  []files.File // read by commands of known programs
	Maybe  []files.File // existing files that the value of an option may name
	Deep   bool         // a command reads the contents of whole folders

	// UnsettledWrites reports that an earlier command may change where a file in Writes leads.
	UnsettledWrites bool

	folder files.Folder // in which the line runs; zero if only the words matter
}

// uses records what a command of a known program reads and writes, and a change of the working directory. certain
// reports that the command is certain to run.
func (a *Access) uses(u *Use, certain bool) (why string) {
	if u.Name[0] == "cd" {
		return a.cd(u, certain)
	}
	for _, f := range u.files {
		why = unclear.Graver(why, a.readsFile(f, u.form.operands == contents))
	}
	for option, list := range u.given {
		for _, value := range list {
			if value != "/" || !u.form.filter && !slices.Contains(u.form.first, option) { // usually a separator or a search term
				why = unclear.Graver(why, a.mayRead(u, value))
			}
		}
	}
	for _, f := range u.writes {
		why = unclear.Graver(why, a.writesFile(f.text))
	}
	if a.folder.InAnotherPackage(a.Dir, u.packages) {
		why = unclear.Graver(why, unclear.Package)
	}
	a.Deep = a.Deep || u.deep
	return why
}

// cd changes the working directory if the change is certain.
func (a *Access) cd(u *Use, certain bool) (why string) {
	if len(u.operands) != 1 || !u.operands[0].fixed || u.operands[0].text == "-" || strings.HasPrefix(u.operands[0].text, "+") || !certain {
		return unclear.Dynamic
	}
	to := a.folder.Operand(u.operands[0].text, a.Dir)
	if a.folder.Real == "" {
		return ""
	}
	if to.Real == "" {
		return unclear.Outside
	}
	if !a.folder.IsDir(to.Real) {
		why = unclear.Dynamic // cd may fail, and then the next command runs elsewhere
	}
	a.Dir = to.Real
	return why
}

// writesFile records a written file.
func (a *Access) writesFile(name string) (why string) {
	switch {
	case name == "/dev/null" || name == "/dev/stdout" || name == "/dev/stderr":
	case len(a.Writes) >= files.Max:
		return unclear.Long
	default:
		a.Writes = append(a.Writes, a.folder.Operand(name, a.Dir))
	}
	return ""
}

// mayRead records the file that the value of an option names, if it exists: another version of the program may treat
// the value as an operand.
func (a *Access) mayRead(u *Use, value string) (why string) {
	switch u.form.operands {
	case noOperands, data, output:
		return ""
	case paths, contents, pattern, revisions:
	}
	if a.folder.Real == "" || value == "" || digits(value) || !a.folder.Exists(value, a.Dir) {
		return ""
	}
	if len(a.Maybe) >= files.Max {
		return unclear.Long
	}
	f := a.folder.Operand(value, a.Dir)
	if f.Real == "" {
		return unclear.Outside
	}
	a.Maybe = append(a.Maybe, f)
	return ""
}

// readsFile records a read file. If flat is true, a folder makes the command unclear.
func (a *Access) readsFile(w word, flat bool) (why string) {
	if a.folder.Real == "" || w.text == "/dev/null" || w.text == "/dev/stdin" {
		return ""
	}
	if len(a.Reads) >= files.Max {
		return unclear.Long
	}
	found := []files.File{}
	if w.pattern {
		var ok bool
		if found, ok = a.folder.Glob(w.text, a.Dir); !ok {
			why = unclear.Dynamic
		}
	} else {
		found = append(found, a.folder.Operand(w.text, a.Dir))
	}
	for _, f := range found {
		if len(a.Reads) >= files.Max {
			return unclear.Graver(why, unclear.Long)
		}
		if f.Real == "" {
			why = unclear.Graver(why, unclear.Outside)
		}
		if w.pattern && strings.Contains(f.Named, ":") || flat && f.Real != "" && a.folder.IsDir(f.Real) {
			why = unclear.Graver(why, unclear.Dynamic) // for git, a version of a file; otherwise, links in the folder
		}
		a.Reads = append(a.Reads, f)
	}
	return why
}

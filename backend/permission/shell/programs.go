package shell

import (
	"maps"
	"slices"
)

// programs are the known programs, by name. A table contains an option only if the GNU, BSD and BusyBox versions
// neither write a file, run a program, open a connection nor read a list of files because of it. A form that only
// reads must also be safe in a hostile folder, because files there can choose the compiler, plugin or language version
// that a program runs. Most entries were written from memory and tested against the installed programs, so an entry
// can be wrong: remove it if in doubt.
var programs = merged(textPrograms, systemPrograms, gitPrograms, buildPrograms, runtimePrograms, remotePrograms)

func merged(tables ...map[string]*program) map[string]*program {
	out := map[string]*program{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}

// only returns a program without subcommands.
func only(f *form) *program { return &program{forms: map[string]*form{"": f}} }

// inPackage returns a program without subcommands that runs the code of a package; see [program].
func inPackage(packages []string, f *form) *program {
	return &program{packages: packages, forms: map[string]*form{"": f}}
}

// reads returns a form whose operands are files.
func reads(opts string) *form { return &form{opts: optionsOf(opts), operands: paths} }

// filters returns a form that reads files, or only its input.
func filters(opts string) *form { return &form{opts: optionsOf(opts), operands: paths, filter: true} }

// prints returns a form without files.
func prints(opts string, o operands) *form { return &form{opts: optionsOf(opts), operands: o} }

// oneOf returns a check that every value of an option is an allowed one.
func oneOf(option string, allowed ...string) func(*Use) bool {
	return values(func(value string) bool { return slices.Contains(allowed, value) }, option)
}

// values returns a check that fine accepts every value of the options.
func values(fine func(value string) bool, options ...string) func(*Use) bool {
	return func(u *Use) bool {
		for _, o := range options {
			for _, value := range u.given[o] {
				if !fine(value) {
					return false
				}
			}
		}
		return true
	}
}

// all returns a check that all of the checks pass.
func all(checks ...func(*Use) bool) func(*Use) bool {
	return func(u *Use) bool {
		for _, c := range checks {
			if !c(u) {
				return false
			}
		}
		return true
	}
}

package shell

import (
	"maps"
	"slices"
)

// programs are the programs that Weft knows, by name. An option is in a table only if it neither writes a file, nor runs a program, nor
// connects, nor reads a list of files, in the GNU, BSD and BusyBox versions. A form that only reads has to be safe in a hostile folder, too: files
// there can name the compiler, the plugin or the version of a language that a program runs. The tables were mostly written from memory, and tested
// against the programs where these are installed, so an entry can be wrong: remove it where in doubt.
var programs = merged(textPrograms, systemPrograms, gitPrograms, buildPrograms, runtimePrograms, remotePrograms)

func merged(tables ...map[string]*program) map[string]*program {
	out := map[string]*program{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}

// only is a program without subcommands.
func only(f *form) *program { return &program{forms: map[string]*form{"": f}} }

// within is a program without subcommands that runs the code of a package; see [program].
func within(packages []string, f *form) *program {
	return &program{packages: packages, forms: map[string]*form{"": f}}
}

// reads is a form whose operands are files.
func reads(opts string) *form { return &form{opts: optionsOf(opts), operands: paths} }

// filters is a form that reads files, or its input and nothing else.
func filters(opts string) *form { return &form{opts: optionsOf(opts), operands: paths, filter: true} }

// tells is a form without files.
func tells(opts string, o operands) *form { return &form{opts: optionsOf(opts), operands: o} }

// oneOf returns a check that an option has one of some values wherever it is given.
func oneOf(option string, allowed ...string) func(*Use) bool {
	return values(func(value string) bool { return slices.Contains(allowed, value) }, option)
}

// values returns a check that each value of some options is one that is fine.
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

// all returns a check that all of these hold.
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

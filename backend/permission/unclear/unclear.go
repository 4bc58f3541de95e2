// Package unclear lists the reasons why Weft can't tell for certain what a request would do, so that rules can't allow
// it.
package unclear

// Reasons, as codes that the frontend turns into sentences.
const (
	Syntax  = "syntax"  // a command line doesn't parse
	Long    = "long"    // the request is too long
	Dynamic = "dynamic" // what runs is known only at run time
	Form    = "form"    // the agent sent a form that Weft doesn't read
	Setting = "setting" // it sets variables that change what commands do
	Outside = "outside" // it reaches outside of the folder

	Package    = "package"    // it would run the code of a package other than that of the space's folder
	Repository = "repository" // the repository's own configuration would make git run something
	Raises     = "raises"     // an argument escalates rights
	Moves      = "moves"      // one command may change where the output of another one goes
	Arguments  = "arguments"  // an argument has an unknown meaning for a tool that isn't known to run commands
)

// Grave reports whether no rule at all may allow a request that is unclear for this reason.
func Grave(why string) bool {
	switch why {
	case Syntax, Long, Outside, Raises, Arguments:
		return true
	}
	return false
}

// Graver returns the graver of two reasons, or the first one if both are equally grave. "" is no reason.
func Graver(was, why string) string {
	if was == "" || Grave(why) && !Grave(was) {
		return why
	}
	return was
}

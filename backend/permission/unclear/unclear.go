// Package unclear names the reasons why Weft can't tell for certain what a request would do, so that rules can't allow it.
package unclear

// The reasons, as codes that the frontend turns into sentences.
const (
	Syntax  = "syntax"  // a command line does not parse
	Long    = "long"    // it is too long
	Dynamic = "dynamic" // what runs is known only when it runs
	Form    = "form"    // the agent sent it in a form that Weft does not read
	Setting = "setting" // it sets variables that change what commands do
	Outside = "outside" // it works outside of the folder

	Package    = "package"    // it would run the code of another package than that of the space's folder
	Repository = "repository" // the repository's own configuration would make git run something
	Raises     = "raises"     // an argument raises rights
	Moves      = "moves"      // one command may decide where another one's output is written
	Arguments  = "arguments"  // nobody knows what a tool that isn't said to run commands does with an argument
)

// Grave reports whether no rule at all may allow a request that is unclear for that reason.
func Grave(why string) bool {
	switch why {
	case Syntax, Long, Outside, Raises, Arguments:
		return true
	}
	return false
}

// Graver returns the graver of two reasons, and the first of two that are alike. "" is no reason.
func Graver(was, why string) string {
	if was == "" || Grave(why) && !Grave(was) {
		return why
	}
	return was
}

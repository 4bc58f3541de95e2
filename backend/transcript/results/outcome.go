package results

import (
	"cmp"
	"strings"

	"weft/backend/lazyregexp"

	"weft/backend/clip"
	"weft/backend/fault"
)

// errorLine is a text that is an error and nothing else: no tool that succeeded answers so.
var errorLine = lazyregexp.New(`^(?:<tool_use_error>|(?:❌|✗|✖) ?\S|MCP error -?\d+|(?:Error|ERROR|error|Tool error|Execution error|Exception)(?: (?:executing|calling|invoking|running|in) [^:\n]{1,80})?: ?\S|Traceback \(most recent call last\)|The arguments provided to the tool are invalid)`)

// Verdict reports whether the result of a call says that it failed, and with which words.
func (f *Facts) Verdict(kind string) (why string, failed bool) {
	command := f.command(kind)
	exit := f.exitCode(command)
	switch {
	case exit != nil && *exit != 0:
		return f.exitText(*exit, command), true
	case f.crashed != "":
		return fault.Text("Ended by {{signal}}", f.crashed), true
	case f.raw.failed:
		return f.ErrorText(kind), true
	case f.raw.fine, f.looksAtText(kind):
		return "", false
	case f.shown.failed:
		return f.ErrorText(kind), true
	}
	for _, t := range []*textFacts{&f.shown.text, &f.raw.text} {
		if t.lines > 0 && t.lines <= 12 && errorLine.MatchString(t.first) {
			return t.brief, true
		}
	}
	return "", false
}

// stoppedWords are those of tools that were stopped.
var stoppedWords = lazyregexp.New(`(?i)\b(?:abort|aborted|cancell?ed|interrupted|killed|stopped|terminated)\b`)

// Done reports whether a call that was reported as completed when the user had stopped its turn has come to its end: a command by its exit code, anything
// else unless its result says that it was stopped.
func (f *Facts) Done(kind string) bool {
	if f.command(kind) {
		exit := f.exitCode(true)
		return exit != nil && *exit == 0 && !f.shown.ran.stopped && !f.raw.ran.stopped
	}
	switch kind {
	case "read", "edit", "delete", "move":
		return true
	}
	return !stoppedWords.MatchString(f.ErrorText(kind))
}

// looksAtText reports whether the text of a result is something that the call was to bring, so that it may report
// errors that are not its own: a file, a page, the output of a command.
func (f *Facts) looksAtText(kind string) bool {
	switch {
	case f.asked.command:
		return true
	case kind == "read" || kind == "search":
		return f.asked.path != "" || f.place != ""
	case kind == "fetch":
		return f.asked.url != ""
	}
	return false
}

// command reports whether the call runs a command.
func (f *Facts) command(kind string) bool {
	return f.asked.command || kind == "execute" && !f.asked.tool
}

// exitCode is the exit code of the command: as data tell it, and else as a line does that an agent puts around the output.
func (f *Facts) exitCode(command bool) *int {
	told := cmp.Or(f.raw.exit, f.exit)
	if told == nil || *told != 0 { // some say of every failure that it is 1, and write the code behind the output
		told = cmp.Or(f.written, told)
	}
	if command {
		return cmp.Or(told, f.shown.ran.exit, f.raw.ran.exit, f.shown.exit)
	}
	return told
}

// Ran reports whether the result of a call that failed has an exit code in it, so that a command has run. What the agent says of the end of a terminal doesn't
// count: some say that also of a command that never began.
func (f *Facts) Ran() bool {
	return cmp.Or(f.written, f.shown.exit, f.shown.ran.exit, f.raw.exit, f.raw.ran.exit) != nil
}

// exitText is the error of a command that failed, with how its output begins.
func (f *Facts) exitText(code int, command bool) string {
	body := f.body(command)
	words := body.brief
	if told := exitIn(body.first); told != nil && *told == code { // the output begins with it
		words = strings.TrimSpace(strings.TrimPrefix(words, body.first))
	}
	if words != "" && !noOutput.MatchString(words) {
		return clip.JSON(fault.Text("Exit code {{n}}: {{words}}", code, words), 300)
	}
	return fault.Text("Exit code {{n}}", code)
}

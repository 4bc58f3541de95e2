package results

import (
	"cmp"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// errorLine matches a text that is only an error. No tool returns such a text after a success.
var errorLine = lazyregexp.New(`^(?:<tool_use_error>|(?:❌|✗|✖) ?\S|MCP error -?\d+|(?:Error|ERROR|error|Tool error|Execution error|Exception)(?: (?:executing|calling|invoking|running|in) [^:\n]{1,80})?: ?\S|Traceback \(most recent call last\)|The arguments provided to the tool are invalid)`)

// Verdict reports whether the result of a call says that it failed, and returns the error.
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
	case f.raw.fine, f.returnsContent(kind):
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

// stoppedWords match the results of tools that were stopped.
var stoppedWords = lazyregexp.New(`(?i)\b(?:abort|aborted|cancell?ed|interrupted|killed|stopped|terminated)\b`)

// Done reports whether a call completed, if it was reported as completed after the user stopped its turn: a command
// needs an exit code, and other results must not say that the call was stopped.
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

// returnsContent reports whether the text of a result is requested content (a file, a page, a command's output), which
// may contain errors that are not the call's.
func (f *Facts) returnsContent(kind string) bool {
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

// exitCode returns the exit code of the command: from data, or else from a line that an agent adds to the output.
func (f *Facts) exitCode(command bool) *int {
	told := cmp.Or(f.raw.exit, f.exit)
	if told == nil || *told != 0 { // some agents report 1 for every failure, and add the real code to the output
		told = cmp.Or(f.written, told)
	}
	if command {
		return cmp.Or(told, f.shown.ran.exit, f.raw.ran.exit, f.shown.exit)
	}
	return told
}

// Ran reports whether the result of a failed call has an exit code, which shows that a command ran. The end of a
// terminal doesn't count: some agents report one even for a command that never started.
func (f *Facts) Ran() bool {
	return cmp.Or(f.written, f.shown.exit, f.shown.ran.exit, f.raw.exit, f.raw.ran.exit) != nil
}

// exitText returns the error of a failed command, with the beginning of its output.
func (f *Facts) exitText(code int, command bool) string {
	body := f.body(command)
	words := body.brief
	if told := exitIn(body.first); told != nil && *told == code { // the output begins with the exit code
		words = strings.TrimSpace(strings.TrimPrefix(words, body.first))
	}
	if words != "" && !noOutput.MatchString(words) {
		return clip.JSON(fault.Text("Exit code {{n}}: {{words}}", code, words), 300)
	}
	return fault.Text("Exit code {{n}}", code)
}

package results

import (
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/fault"
)

// told takes what an object says of how the call ended. Of the own words of an agent or a protocol more is believed
// than of a tool's data, which may be about something else that failed.
func (s *said) told(list []member, own bool) {
	s.exitOf(list)
	is := func(value string, names ...string) bool {
		for _, f := range list {
			for _, name := range names {
				if f.name == name && string(f.value) == value {
					return true
				}
			}
		}
		return false
	}
	word := func(name string) string {
		var text string
		_ = json.Unmarshal(named(list, name), &text, lenient)
		return strings.ToLower(text)
	}
	fine := is("true", "success", "ok", "succeeded") || is("false", "isError", "is_error") || s.exit != nil && *s.exit == 0
	failed := is("true", "isError", "is_error", "timedOut", "timed_out") || is("false", "success", "ok", "succeeded") || s.exit != nil && *s.exit != 0
	failed = failed || named(list, "Err") != nil
	message, says := errorOf(named(list, "error", "Err"))
	if message == "" {
		if errs := membersOf(named(list, "errors")); len(errs) > 0 && len(list) <= 3 && (named(list, "data") == nil || own) {
			message, says = errorOf(errs[0].value)
		}
	}
	failed = failed || says && !fine
	switch {
	case word("status") == "error", strings.HasPrefix(word("type"), "error"):
		failed = failed || !fine
	case own && (word("outcome") == "failed" || word("outcome") == "error" || word("status") == "failed" && named(list, "output", "stdout", "content") != nil):
		failed = failed || !fine
	}
	for _, name := range []string{"message", "stderr", "reason", "detail"} {
		var text string
		if message == "" && json.Unmarshal(named(list, name), &text, lenient) == nil {
			message = brief(text)
		}
	}
	if message != "" && (s.why == "" || failed && !s.failed) {
		s.why = strings.Clone(message)
	}
	s.failed, s.fine = s.failed || failed, s.fine || fine && !failed
}

// errorOf reads an error as tools write it: a text, or an object with a message. says reports whether there is one.
func errorOf(v jsontext.Value) (message string, says bool) {
	if len(v) == 0 {
		return "", false
	}
	var text string
	switch v[0] {
	case '"':
		_ = json.Unmarshal(v, &text, lenient)
		text = brief(text)
		return text, text != "" && text != "(none)"
	case '{':
		list, n := fieldsOf(v)
		for _, name := range []string{"message", "msg", "detail", "reason", "error", "description"} {
			if json.Unmarshal(named(list, name), &text, lenient) == nil && text != "" {
				return brief(text), true
			}
		}
		if blocksIn(named(list, "content")) {
			var inner said
			inner.blocks(membersOf(named(list, "content")), 1)
			return inner.text.brief, true
		}
		return "", n > 0
	case 't':
		return "", true
	}
	return "", false
}

// exitOf takes the exit code of a command.
func (s *said) exitOf(list []member) {
	for _, name := range exitNames {
		if code, err := strconv.Atoi(string(named(list, name))); err == nil {
			s.exit = &code
			return
		}
	}
	var meta jsontext.Value
	if meta = named(list, "metadata"); len(meta) > 0 && meta[0] == '{' {
		s.exitOf(membersOf(meta))
	}
}

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
	case exit != nil && f.raw.failed && f.raw.exit == nil && f.raw.why == "":
		return "", false
	}
	if f.raw.failed {
		return f.ErrorText(kind), true
	}
	if f.raw.fine || f.looksAtText(kind) {
		return "", false
	}
	if f.shown.failed {
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
		return exit != nil && *exit == 0 && !f.stopped()
	}
	switch kind {
	case "read", "edit", "delete", "move":
		return true
	}
	return !stoppedWords.MatchString(f.ErrorText(kind))
}

// stopped reports whether an agent says beside the output of a command that it has stopped that.
func (f *Facts) stopped() bool {
	return f.shown.ran != nil && f.shown.ran.stopped || f.raw.ran != nil && f.raw.ran.stopped
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

// exitCode is the exit code of the command, as what says most exactly tells it.
func (f *Facts) exitCode(command bool) *int {
	switch {
	case command && f.shown.ran != nil && f.shown.ran.exit != nil:
		return f.shown.ran.exit
	case command && f.raw.ran != nil && f.raw.ran.exit != nil:
		return f.raw.ran.exit
	case f.written != nil:
		return f.written
	case f.exit != nil:
		return f.exit
	case f.raw.exit != nil:
		return f.raw.exit
	case command:
		return f.shown.exit
	}
	return nil
}

// Ran reports whether the result of a call that failed has an exit code in it, so that a command has run. What the agent says of the end of a terminal doesn't
// count: some say that also of a command that never began.
func (f *Facts) Ran() bool {
	ran := func(s *said) bool { return s.exit != nil || s.ran != nil && s.ran.exit != nil }
	return f.written != nil || ran(&f.shown) || ran(&f.raw)
}

// exitText is the error of a command that failed, with how its output begins.
func (f *Facts) exitText(code int, command bool) string {
	body := f.body(command)
	if body.brief != "" && !noOutput.MatchString(body.first) {
		return clip.JSON(fault.Text("Exit code {{n}}: {{words}}", code, body.brief), 300)
	}
	return fault.Text("Exit code {{n}}", code)
}

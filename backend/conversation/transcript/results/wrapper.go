package results

import (
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"
)

// Text that some agents add to a result for the model. All other text is shown unchanged.
var (
	// reminders are added after a result.
	reminders = lazyregexp.New(`(?s)\s*<system-reminder>.*?</system-reminder>\s*`)
	// enclosed is a text in tags that name its file or task.
	enclosed = lazyregexp.New(`(?s)^(?:<path>[^\n]*</path>\n(?:<type>[^\n]*</type>\n)?|<task [^\n]*>\n)<(?:content|entries|task_result)>\n(.*?)(?:\n+\([^\n]*\))?\n</(?:content|entries|task_result)>\s*(?:</task>\s*)?$`)
	// attached is a line that announces an image.
	attached = lazyregexp.New(`(?m)^\[(?:Image: source: .*|Tool '[^'\n]*' provided the following .*|image/[a-z+.-]+)\]\n?`)
	// extras is a block with further data from an MCP server, added by an agent for its model.
	extras = lazyregexp.New(`(?s)\n*<mcp-result-extras>\n.*?\n</mcp-result-extras>\s*$`)
	// metadata is a block about the command, after its output.
	metadata = lazyregexp.New(`(?s)\n*<(?:bash|shell|command|exec|tool)_metadata>\n?(.*?)\n?</(?:bash|shell|command|exec|tool)_metadata>\s*$`)
	// ended is a line before or after the output of a command that says how it ended.
	ended = lazyregexp.New(`(?i)^[<(\[]?(?:shellId: \S+ )?(?:(?:the |shell )?(?:command|process|script|program)(?: with id:? \S+| \S+)? )?(?:has )?(?:exited|exit|failed|finished|terminated|completed)(?: unexpectedly)?(?: with)?(?: an?)?(?: exit)?(?: code| status):? ?(-?\d{1,10})[>)\]]?\.?$`)
	// labeled is a line that agents add after that one.
	labeled = lazyregexp.New(`^[A-Z][A-Za-z ]{0,30}: `)
	// streamMark is a line that names the stream of the next lines.
	streamMark = lazyregexp.New(`(?m)^\n?\[(?:stdout|stderr)\]\r?\n`)
	// noOutput matches the words for a command without output.
	noOutput = lazyregexp.New(`(?i)^\(?(?:no output|\w+ completed with no output|command (?:produced|returned) no output)\)?\.?$`)
)

// unwrapped returns a text without the wrapper that some agents add.
func unwrapped(s string) string {
	if strings.Contains(s, "<system-reminder>") {
		s = reminders.ReplaceAllString(s, "\n")
	}
	s = unfenced(strings.TrimRight(s, "\n"))
	if strings.HasPrefix(s, "<path>") || strings.HasPrefix(s, "<task ") {
		if m := enclosed.FindStringSubmatch(s); m != nil {
			return m[1]
		}
	}
	if strings.Contains(s, "[Image: source: ") || strings.Contains(s, " provided the following ") {
		s = attached.ReplaceAllString(s, "")
	}
	if strings.HasSuffix(s, "</mcp-result-extras>") {
		s = extras.ReplaceAllString(s, "")
	}
	return strings.TrimSuffix(s, "\n")
}

// unfenced returns a text without the code fence around all of it.
func unfenced(s string) string {
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") {
		return s
	}
	_, body, ok := strings.Cut(s, "\n")
	if !ok {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(body, "`"), "\n")
}

// ran is a command's result read from a text, without the lines that agents add.
type ran struct {
	text    textFacts
	exit    *int
	stopped bool // by the user
	wrapped bool // there are added lines
}

func ranIn(text string) (r ran) {
	out := text
	if strings.HasSuffix(out, "_metadata>") {
		if m := metadata.FindStringSubmatchIndex(out); m != nil {
			r.stopped = stoppedWords.MatchString(out[m[2]:m[3]])
			out = out[:m[0]]
		}
	}
	if line, rest, more := strings.Cut(out, "\n"); more && strings.HasPrefix(line, "$ ") { // the command, as in a terminal
		out = rest
	}
	if first, rest, _ := strings.Cut(out, "\n"); exitIn(first) != nil {
		r.exit, out = exitIn(first), rest
	}
	for last, before := lastLine(out); r.exit == nil && last != ""; last, before = lastLine(before) {
		if r.exit = exitIn(last); r.exit != nil {
			out = before
		} else if !labeled.MatchString(last) {
			break
		}
	}
	if strings.Contains(out, "\n[stderr]\n") {
		out = streamMark.ReplaceAllString(out, "")
	}
	if r.wrapped = len(out) < len(text); !r.wrapped {
		return r
	}
	if out = strings.TrimRight(out, "\r\n"); !noOutput.MatchString(out) {
		r.text.add(out)
	}
	return r
}

// exitIn returns the exit code that a line states, or nil.
func exitIn(line string) *int {
	if len(line) > 200 {
		return nil
	}
	m := ended.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return nil
	}
	return number(m[1])
}

func lastLine(s string) (line, rest string) {
	s = strings.TrimRight(s, " \t\r\n")
	i := strings.LastIndexByte(s, '\n')
	if i < 0 {
		return s, ""
	}
	return s[i+1:], strings.TrimRight(s[:i], "\r")
}

func number(s string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return nil
	}
	return &n
}

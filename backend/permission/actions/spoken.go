package actions

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/base/lazyregexp"
	"weft/backend/permission"
)

// introduced matches a command after the words with which agents announce it: "Running: ls -l", "Requesting approval
// to Running: ls -l", "Run `ls -l`".
var introduced = lazyregexp.New("(?is)^(?:(?:requesting|asking for|asks for|needs?) (?:approval|permission) to )?" +
	"(?:run|running|execute|executing|starting background|shell|bash|terminal)(?: (?:the |a |this )?(?:shell |terminal )?command)?(?:\\s*:|\\s+`)(.+)$")

// quotedLine matches a line that consists of a marked command.
var quotedLine = lazyregexp.New("(?s)^(?:\\$ (.+)|`([^`]+)`)$")

// announced returns the command that an agent's words announce, or "". runs reports that the call is known to run a
// command. whole is false if the command is truncated.
func announced(words string, runs bool) (line string, whole bool) {
	words = strings.TrimSpace(words)
	if m := quotedLine.FindStringSubmatch(words); m != nil && runs {
		line = m[1] + m[2]
	} else if m := introduced.FindStringSubmatch(words); m != nil {
		line = unquoted(strings.TrimSpace(m[1]), strings.HasSuffix(words[:len(words)-len(m[1])], "`"))
	}
	line = strings.TrimSpace(line)
	if cut, isCut := trimEllipsis(line); isCut {
		return cut, false
	}
	return line, line != "" && !strings.Contains(line, "\n\n")
}

// trimEllipsis removes the dots at the end of a truncated text. The dots of "./..." aren't removed.
func trimEllipsis(text string) (beginning string, isCut bool) {
	if !strings.HasSuffix(text, "…") && (!strings.HasSuffix(text, "...") || strings.HasSuffix(text, "/...")) {
		return text, false
	}
	return strings.TrimRight(text, "… ."), true
}

// unquoted removes the quotes around a line. open reports that the opening quote comes before the line. If there is
// text after the closing quote, it returns "".
func unquoted(line string, open bool) string {
	if body, fenced := strings.CutPrefix(line, "```"); fenced {
		_, body, _ = strings.Cut(body, "\n")
		body, rest, _ := strings.Cut(body, "```")
		if strings.TrimSpace(rest) != "" {
			return ""
		}
		return body
	}
	if !open {
		if !strings.HasPrefix(line, "`") {
			return line
		}
		line = line[1:]
	}
	line, closed := strings.CutSuffix(line, "`")
	if !closed || strings.Contains(line, "`") {
		return ""
	}
	return line
}

// CommandFromWords adds the command to the arguments of a call that mentions it only in its title or in words, other
// texts of the agent. A truncated command isn't added.
func CommandFromWords(c permission.Call, words ...string) permission.Call {
	if !Bare(&c) || c.Kind != Execute && c.Kind != Other && c.Kind != "" || len(c.Diffs) > 0 {
		return c
	}
	for _, said := range append(words, c.Title) {
		if line, whole := announced(said, c.Kind == Execute); whole {
			return withCommand(c, line)
		}
	}
	return c
}

// CommandFromTitle is like [CommandFromWords] for a call that has ended. A title without an announcement, such as pi's,
// counts too.
func CommandFromTitle(c permission.Call) permission.Call {
	if announced := CommandFromWords(c); len(announced.Input) > 0 || c.Kind != Execute || !Bare(&c) || c.Title == "" {
		return announced
	}
	return withCommand(c, strings.Trim(c.Title, "`"))
}

func withCommand(c permission.Call, line string) permission.Call {
	if input, err := json.Marshal(map[string]string{"command": line}); err == nil {
		c.Input, c.Kind = input, Execute
	}
	return c
}

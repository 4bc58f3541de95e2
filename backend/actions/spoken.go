package actions

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/lazyregexp"
	"weft/backend/permission"
)

// introduced is a command behind the words with which agents say that they run one: "Running: ls -l", "Requesting approval to Running: ls -l",
// "Run `ls -l`".
var introduced = lazyregexp.New("(?is)^(?:(?:requesting|asking for|asks for|needs?) (?:approval|permission) to )?" +
	"(?:run|running|execute|executing|starting background|shell|bash|terminal)(?: (?:the |a |this )?(?:shell |terminal )?command)?(?:\\s*:|\\s+`)(.+)$")

// quotedLine is a line that is marked as a command and nothing else.
var quotedLine = lazyregexp.New("(?s)^(?:\\$ (.+)|`([^`]+)`)$")

// spoken returns the command that an agent's words say that it runs, "" where they don't. Runs says that the call is known to run one. Whole is false where
// only the beginning of the command is there.
func spoken(words string, runs bool) (line string, whole bool) {
	words = strings.TrimSpace(words)
	if m := quotedLine.FindStringSubmatch(words); m != nil && runs {
		line = m[1] + m[2]
	} else if m := introduced.FindStringSubmatch(words); m != nil {
		line = unquoted(strings.TrimSpace(m[1]), strings.HasSuffix(words[:len(words)-len(m[1])], "`"))
	}
	line = strings.TrimSpace(line)
	if cut, isCut := cutShort(line); isCut {
		return cut, false
	}
	return line, line != "" && !strings.Contains(line, "\n\n")
}

// cutShort returns what there is of a text that ends with dots, as only its beginning is there. The dots of "./..." belong to it.
func cutShort(text string) (beginning string, isCut bool) {
	if !strings.HasSuffix(text, "…") && (!strings.HasSuffix(text, "...") || strings.HasSuffix(text, "/...")) {
		return text, false
	}
	return strings.TrimRight(text, "… ."), true
}

// unquoted returns a line without the quotes around it; open says that they have begun before it. Of a line with more behind the quotes it returns "".
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

// Spoken returns a call that runs a command with that among its arguments, where the agent has it in its words only. Words are what it says besides the
// title. A command of which only the beginning is there stays in the words.
func Spoken(c permission.Call, words ...string) permission.Call {
	if !Bare(&c) || c.Kind != Execute && c.Kind != Other && c.Kind != "" || len(c.Diffs) > 0 {
		return c
	}
	for _, said := range append(words, c.Title) {
		if line, whole := spoken(said, c.Kind == Execute); whole {
			return withCommand(c, line)
		}
	}
	return c
}

// Spelled is [Spoken] for a call that has ended: a title that isn't introduced counts as well, as pi's.
func Spelled(c permission.Call) permission.Call {
	if spoken := Spoken(c); len(spoken.Input) > 0 || c.Kind != Execute || !Bare(&c) || c.Title == "" {
		return spoken
	}
	return withCommand(c, strings.Trim(c.Title, "`"))
}

func withCommand(c permission.Call, line string) permission.Call {
	if input, err := json.Marshal(map[string]string{"command": line}); err == nil {
		c.Input, c.Kind = input, Execute
	}
	return c
}

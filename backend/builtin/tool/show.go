package tool

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/quantity"
	"weft/backend/llm"
)

// Limits of a call's result.
const (
	maxModelText    = 48 << 10 // bytes of text for the model
	maxShownText    = 48 << 10 // bytes of text for the user
	maxShownEntries = 300
)

func textContent(s string) acp.ToolCallContent { return acp.ToolContent(acp.TextBlock(s)) }

// shownText returns text for the user as a code block that the text can't close. It truncates long text.
func shownText(info, s string) []acp.ToolCallContent {
	if len(s) > maxShownText {
		s = head(s, maxShownText) + "\n… cut for display"
	}
	return []acp.ToolCallContent{textContent(fenced(info, s))}
}

// fenced returns text as a Markdown code block that the text can't close.
func fenced(info, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + info + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence
}

// head returns at most the first n bytes of a text, without splitting a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns at most the last n bytes of a text, without splitting a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// oneLine returns the first n characters of a text on one line, for a title.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(head(s, 4*n), "\uFFFD")), " ")
	if utf8.RuneCountInString(s) > n {
		s = string([]rune(s)[:n-1]) + "…"
	}
	return s
}

// shortName returns a path for a title.
func shortName(env *Env, name string) string {
	if env.Folder != nil {
		if rel, err := env.Folder.Rel(name); err == nil {
			name = rel
			if rel == "." {
				return env.Folder.Name()
			}
		}
	}
	if len(name) > 60 {
		return "…/" + oneLine(path.Base(name), 60)
	}
	return oneLine(name, 60)
}

// locations returns the location of a path, if it is inside the folder.
func locations(env *Env, name string, line int) []acp.ToolCallLocation {
	if env.Folder == nil {
		return nil
	}
	rel, err := env.Folder.Rel(name)
	if err != nil {
		return nil
	}
	at := acp.ToolCallLocation{Path: env.Folder.Abs(rel)}
	if line > 0 {
		at.Line = acp.Ptr(line)
	}
	return []acp.ToolCallLocation{at}
}

// failure converts an error to an *[Error].
func failure(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return &Error{Message: sentence(err.Error()), Err: err}
}

func failf(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// sentence returns s with a capital letter at the beginning and a period at the end.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if first := strings.SplitN(s, " ", 2)[0]; s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsAny(first, "./_") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:`\n") {
		s += "."
	}
	return s
}

// modelText returns text for the model. Text that is too long is kept under name: the model gets the beginning, or with
// bothEnds the beginning and the end, and a note where the whole text is.
func modelText(env *Env, name, s string, bothEnds bool) []llm.Part {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxModelText {
		return []llm.Part{llm.Text{Text: s}}
	}
	note := fmt.Sprintf("… %%s left out of %s; narrow the call to see it", quantity.Bytes(int64(len(s))))
	if env.Keep != nil {
		if at, err := env.Keep(name, []byte(s)); err == nil {
			note = fmt.Sprintf("… %%s left out; all %s (%s) can be read with the read tool at %s", quantity.Count(lines(s), "line", "lines"), quantity.Bytes(int64(len(s))), at)
		}
	}
	const room = maxModelText - 600
	first, last := wholeLines(head(s, room)), ""
	if bothEnds {
		first = wholeLines(head(s, room/2))
		last = tail(s, room/2)
		if i := strings.IndexByte(last, '\n'); i >= 0 && i < len(last)/2 {
			last = last[i+1:]
		}
	}
	left := quantity.Bytes(int64(len(s) - len(first) - len(last)))
	out := strings.TrimSuffix(first, "\n") + "\n" + fmt.Sprintf(note, left)
	if last != "" {
		out += " …\n" + last
	}
	return []llm.Part{llm.Text{Text: out}}
}

// ModelText returns text for the model. Text longer than 48 KB is truncated and kept under name ([Env.Keep]), with a
// note where it is.
func ModelText(env *Env, name, s string) []llm.Part { return modelText(env, name, s, false) }

// ShownText returns text for the user as a code block that the text can't close. It truncates long text.
func ShownText(s string) []acp.ToolCallContent { return shownText("", s) }

// wholeLines truncates a text after its last line feed, unless that would drop more than half of it.
func wholeLines(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		return s[:i+1]
	}
	return s
}

// lines counts the lines of a text.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// needFolder returns an error if the session has no folder, or if the folder was replaced.
func needFolder(env *Env) error {
	if env.Folder == nil {
		if env.Problem != nil {
			return failf("The folder of this session can't be opened: %v.", env.Problem)
		}
		return failf("The folder of this session can't be opened, so there are no files to work with.")
	}
	if err := env.Folder.Current(); err != nil {
		return failure(err)
	}
	return nil
}

// relOf returns the path relative to the folder for a path from the model.
func relOf(env *Env, name string) (string, error) {
	if err := needFolder(env); err != nil {
		return "", err
	}
	if name == "" {
		return ".", nil
	}
	if strings.ContainsRune(name, 0) {
		return "", failf("The path contains a NUL character.")
	}
	rel, err := env.Folder.Rel(name)
	if err != nil {
		return "", &Error{Message: fmt.Sprintf("%s is outside this session's folder %s. Only files inside it can be read and written.", name, env.Folder.Path()), Err: err}
	}
	return rel, nil
}

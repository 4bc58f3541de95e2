package results

import (
	"cmp"
	"iter"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
)

// Facts collects the facts for a summary from a call's payloads as they arrive.
type Facts struct {
	shown    said   // from the content
	raw      said   // from the raw output
	streamed int    // of a terminal, in bytes
	newlines int    // in the stream
	partial  bool   // the last line has no newline yet
	begun    string // the start of the stream
	diffs    changed
	exit     *int   // of a terminal
	written  *int   // the exit code at the end of streamed output
	crashed  string // the signal of a command that crashed
	asked    inputFacts
	place    string // the file of the first location
	some     bool   // the call has content
	told     bool   // the agent reported something else about the result
}

type textFacts struct {
	lines int
	bytes int
	first string // the first line with content
	brief string // the beginning, on one line
	n     *int   // the number of results in the first line
	json  bool   // a part of it is a JSON document
}

// changed counts the changes of a call.
type changed struct {
	files, added, removed int
	path                  string // of the last file
}

func (c *changed) file(path string, added, removed int) {
	*c = changed{c.files + 1, c.added + added, c.removed + removed, path}
}

const (
	maxScan      = 4 << 20 // bytes of a payload that are looked at for counts
	maxDiffInput = 1 << 20 // bytes of both sides of a diff that are compared
)

// At sets the path of the file that the call is about.
func (f *Facts) At(path string) { f.place = path }

// Part is a piece of a call's content: a text, a diff, or another type.
type Part struct {
	Type, Text             string
	Path, OldText, NewText string // of a diff
}

// Content sets the content of the call, replacing earlier content.
func (f *Facts) Content(parts iter.Seq[Part]) {
	// A planned change counts as made even if the call ends with text only.
	var diffs changed
	f.shown, f.some = said{}, false
	for c := range parts {
		f.some = true
		switch c.Type {
		case "text":
			f.shown.readText(c.Text)
		case "diff":
			added, removed := DiffStat(c.OldText, c.NewText)
			diffs.file(c.Path, added, removed)
		case "image", "audio", "resource", "resource_link":
			f.shown.media++
		}
	}
	if diffs.files > 0 {
		f.diffs = diffs
	}
}

// Asked drops text that came with a permission request or before it, because it is not part of the result.
func (f *Facts) Asked() { f.shown, f.some = said{}, false }

// Output reads text, data, exit codes and errors from the raw output, in the formats that agents use.
func (f *Facts) Output(v jsontext.Value) {
	f.raw, f.told = said{}, true
	if len(v) <= maxScan {
		f.raw.readEnvelope(v, 0)
	}
}

// Exited sets the end of a terminal.
func (f *Facts) Exited(code *int, signal string) {
	if code != nil {
		f.exit = code
	}
	switch signal {
	case "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS", "SIGTRAP":
		f.crashed = signal
	}
}

// Streamed adds output of a display-only terminal.
func (f *Facts) Streamed(s string) {
	f.streamed += len(s)
	if line, rest := lastLine(s); exitIn(line) != nil { // pi appends it to the output
		f.written = exitIn(line)
		if s = strings.TrimRight(rest, "\r\n"); noOutput.MatchString(s) {
			s = ""
		} else if s != "" {
			s += "\n"
		}
	}
	if s == "" {
		return
	}
	if room := maxLine - len(f.begun); room > 0 {
		f.begun += strings.Clone(clip.Start(s, room))
	}
	f.newlines, f.partial = f.newlines+strings.Count(s, "\n"), !strings.HasSuffix(s, "\n")
}

func (t *textFacts) add(s string) {
	t.bytes += len(s)
	if len(s) > maxScan {
		s = s[:maxScan]
	}
	if s = strings.TrimSuffix(s, "\n"); s == "" {
		return
	}
	if t.brief == "" {
		t.brief = brief(s)
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		t.lines++
		if t.first == "" {
			t.begin(line)
		}
	}
}

// begin sets the first line with content.
func (t *textFacts) begin(line string) {
	line = clip.Visible(clip.Start(line, 4<<10))
	line = plainLine(line[strings.LastIndexByte(line, '\n')+1:]) // of text overwritten with carriage returns, take the last
	t.n = amountIn(line)
	t.first = strings.Clone(clip.JSON(strings.TrimRight(line, ": "), 160))
}

// document adds a text that is a JSON document with some words around it.
func (t *textFacts) document(text, rest string) {
	alone := t.lines == 0
	t.add(text)
	t.json = true
	if line, _, _ := strings.Cut(rest, "\n"); alone && line != "" {
		t.begin(line)
	} else if alone {
		t.n = nil
	}
}

// join adds the text of another result.
func (t *textFacts) join(other textFacts) {
	if t.lines == 0 {
		*t = other
		return
	}
	t.lines, t.bytes = t.lines+other.lines, t.bytes+other.bytes
	t.n = nil
}

// body returns the most informative text of the result. For a command that is its output.
func (f *Facts) body(command bool) textFacts {
	shown := f.shown.text.lines > 0 && (f.asked.about == "" || f.shown.text.brief != f.asked.about)
	from := &f.shown
	if !shown || command && f.raw.exit != nil && f.raw.text.lines > 0 { // data say more than words
		from = &f.raw
	}
	switch {
	case command && from.text.lines > 0:
		return from.output(f.exitCode(true))
	case from.text.lines > 0:
		return from.text
	}
	var begun textFacts
	begun.add(f.begun)
	begun.lines, begun.bytes = f.newlines, f.streamed
	if f.partial {
		begun.lines++
	}
	return begun
}

// data returns the structured data of the result, or nil.
func (f *Facts) data() *dataset {
	if f.raw.structured {
		return f.raw.data
	}
	return cmp.Or(f.shown.data, f.raw.data)
}

// ErrorText returns the error of a failed call, in one line.
func (f *Facts) ErrorText(kind string) string {
	command := f.command(kind)
	if exit := f.exitCode(command); command && exit != nil && *exit != 0 {
		return f.exitText(*exit, command)
	}
	return cmp.Or(f.raw.failure(), f.shown.failure(), f.raw.why, f.shown.text.brief, f.raw.text.brief)
}

// brief returns the beginning of a text on one line, without the code fences that some agents add.
func brief(s string) string {
	var b strings.Builder
	for line := range strings.Lines(clip.Visible(clip.Start(s, 16<<10))) {
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(clip.JSON(line, maxLine))
		if b.Len() > 300 {
			break
		}
	}
	return clip.JSON(b.String(), 300)
}

func count(n int) *int { return &n }

// DiffStat counts the lines that differ. If the texts are too large to compare, all their lines count.
func DiffStat(before, after string) (added, removed int) {
	if before == after {
		return 0, 0
	}
	if len(before)+len(after) > maxDiffInput {
		return lines(after), lines(before)
	}
	for _, e := range udiff.Lines(before, after) {
		added, removed = added+lines(e.New), removed+lines(before[e.Start:e.End])
	}
	return added, removed
}

func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

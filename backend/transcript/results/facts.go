package results

import (
	"cmp"
	"iter"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
)

// Facts are the few things that a summary needs, taken from a call's payloads as they pass.
type Facts struct {
	shown    said   // by the content
	raw      said   // by the raw output
	streamed int    // bytes of a terminal
	newlines int    // of them
	partial  bool   // no newline has ended its last line yet
	begun    string // how it begins
	diffs    changed
	exit     *int   // of a terminal
	written  *int   // the exit code that the end of a streamed output names
	crashed  string // the signal of a command that crashed
	asked    inputFacts
	place    string // the file of the first location
	some     bool   // there is content
	told     bool   // the agent said something else about the result
}

type textFacts struct {
	lines int
	bytes int
	first string // line that says something
	brief string // the beginning, on one line
	n     *int   // how much that line says there is
	json  bool   // some of it is a JSON document
}

// changed is what a call has changed.
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

// At takes the path of the file that the call is about.
func (f *Facts) At(path string) { f.place = path }

// Part is a piece of the content of a call: a text, a diff, or something with a type of its own.
type Part struct {
	Type, Text             string
	Path, OldText, NewText string // of a diff
}

// Content takes the content of the call, in place of what was its content before.
func (f *Facts) Content(parts iter.Seq[Part]) {
	// What a call was going to change is what it has changed, also where it ends with words only.
	var diffs changed
	f.shown, f.some = said{}, false
	for c := range parts {
		f.some = true
		switch c.Type {
		case "text":
			f.shown.words(c.Text)
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

// Asked forgets the words that have come with a request for permission, or before it: they are of what is asked, not of a result.
func (f *Facts) Asked() { f.shown, f.some = said{}, false }

// Output looks into the raw output for what agents use for text, data, exit codes and errors.
func (f *Facts) Output(v jsontext.Value) {
	f.raw, f.told = said{}, true
	if len(v) <= maxScan {
		f.raw.envelope(v, 0)
	}
}

// Exited takes what a terminal reports about its end.
func (f *Facts) Exited(code *int, signal string) {
	if code != nil {
		f.exit = code
	}
	switch signal {
	case "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS", "SIGTRAP":
		f.crashed = signal
	}
}

// Streamed takes a piece of the output of a terminal that is only shown.
func (f *Facts) Streamed(s string) {
	f.streamed += len(s)
	if line, rest := lastLine(s); exitIn(line) != nil { // pi writes it behind the output
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

// begin takes the first line that says something.
func (t *textFacts) begin(line string) {
	line = clip.Visible(clip.Start(line, 4<<10))
	line = plainLine(line[strings.LastIndexByte(line, '\n')+1:]) // of what was written over each other the last
	t.n = amountIn(line)
	t.first = strings.Clone(clip.JSON(strings.TrimRight(line, ": "), 160))
}

// document adds a text that is a JSON document but for some words.
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

// body is the text that says most about the result: of a command its output.
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

// data is what the tool returned as data, nil if that is nothing.
func (f *Facts) data() *dataset {
	if f.raw.structured {
		return f.raw.data
	}
	return cmp.Or(f.shown.data, f.raw.data)
}

// ErrorText is why a call failed, in one line.
func (f *Facts) ErrorText(kind string) string {
	command := f.command(kind)
	if exit := f.exitCode(command); command && exit != nil && *exit != 0 {
		return f.exitText(*exit, command)
	}
	return cmp.Or(f.raw.failure(), f.shown.failure(), f.raw.why, f.shown.text.brief, f.raw.text.brief)
}

// brief is the beginning of a text on one line, without the fences that some agents put around it.
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

// DiffStat counts the lines that differ. Texts too large to compare count as a whole.
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

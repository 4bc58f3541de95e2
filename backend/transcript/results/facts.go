package results

import (
	"iter"
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
)

// Facts are the few things that a summary needs, taken from a call's payloads as they pass.
type Facts struct {
	shown     said      // by the content
	raw       said      // by the raw output
	streaming textFacts // of a terminal
	partial   bool      // no newline has ended its last line yet
	begun     string    // how it begins
	diffs     []diffFact
	moreDiffs int    // beyond those kept
	exit      *int   // of a terminal
	written   *int   // the exit code that the end of a streamed output names
	crashed   string // the signal of a command that crashed
	asked     inputFacts
	place     string // the file of the first location
	some      bool   // there is content
	told      bool   // the agent said something else about the result
}

type textFacts struct {
	lines   int
	bytes   int
	matches int    // lines of the form path:line:…
	files   int    // paths named by those
	first   string // line that says something
	brief   string // the beginning, on one line
	n       *int   // how much that line says there is
	json    bool   // some of it is a JSON document
	rest    string // what is beside that, its first line
}

type diffFact struct {
	path           string
	added, removed int
}

const (
	maxDiffs     = 32
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
	before, more := f.diffs, f.moreDiffs
	f.shown, f.diffs, f.moreDiffs = said{}, nil, 0
	f.some = false
	defer func() {
		if len(f.diffs) == 0 {
			f.diffs, f.moreDiffs = before, more
		}
	}()
	for c := range parts {
		f.some = true
		switch c.Type {
		case "text":
			f.shown.words(c.Text)
		case "diff":
			if len(f.diffs) == maxDiffs {
				f.moreDiffs++
				continue
			}
			added, removed := DiffStat(c.OldText, c.NewText)
			f.diffs = append(f.diffs, diffFact{c.Path, added, removed})
		case "image", "audio", "resource", "resource_link":
			f.shown.media++
		}
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
	f.streaming.bytes += len(s)
	if line, rest := lastLine(s); len(line) < 200 {
		if m := ended.FindStringSubmatch(strings.TrimSpace(line)); m != nil { // pi writes it behind the output
			f.written = number(m[1])
			if s = strings.TrimRight(rest, "\r\n"); strings.EqualFold(strings.Trim(s, "() "), "no output") {
				s = ""
			} else if s != "" {
				s += "\n"
			}
		}
	}
	if s == "" {
		return
	}
	if room := maxLine - len(f.begun); room > 0 {
		f.begun += strings.Clone(clip.Start(s, room))
	}
	if f.partial { // s continues that line
		f.streaming.lines--
	}
	f.partial = !strings.HasSuffix(s, "\n")
	f.streaming.lines += strings.Count(s, "\n")
	if f.partial {
		f.streaming.lines++
	}
}

// matchLine is a match as searches write it, with the file and the line.
var matchLine = lazyregexp.New(`^(?:\./)?([^\s:\d][^\s:]*):\d+[:-]`)

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
	seen := map[string]bool{}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		t.lines++
		if t.first == "" && !isTag(line) {
			t.begin(line)
		}
		if t.matches < t.lines-1 {
			continue // one that is none was before it
		}
		if m := matchLine.FindStringSubmatch(clip.Start(line, 1<<10)); m != nil {
			t.matches++
			seen[m[1]] = true
		}
	}
	t.files += len(seen)
}

// begin takes the first line that says something.
func (t *textFacts) begin(line string) {
	line = clip.Visible(clip.Start(line, 4<<10))
	line = plainLine(line[strings.LastIndexByte(line, '\n')+1:]) // of what was written over each other the last
	t.n = amountIn(line)
	t.first = strings.Clone(clip.JSON(strings.TrimRight(line, ": "), 160))
}

// isTag reports whether a line is one of tagLine.
func isTag(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, "\t\n\f\r "), "<") && tagLine.MatchString(clip.JSON(line, 256))
}

// reminders are what some agents put behind a result for the model.
var reminders = lazyregexp.New(`(?s)\s*<system-reminder>.*?</system-reminder>\s*`)

// enclosed is a text between the tags of an agent, that tell which file or task it is of.
var enclosed = lazyregexp.New(`(?s)^(?:<path>[^\n]*</path>\n(?:<type>[^\n]*</type>\n)?|<task [^\n]*>\n)<(?:content|entries|task_result)>\n(.*?)(?:\n+\([^\n]*\))?\n</(?:content|entries|task_result)>\s*(?:</task>\s*)?$`)

// bare is a text without what some agents put around all of it.
func bare(s string) string {
	if strings.Contains(s, "<system-reminder>") {
		s = reminders.ReplaceAllString(s, "\n")
	}
	s = unfenced(strings.TrimRight(s, "\n"))
	if strings.HasPrefix(s, "<path>") || strings.HasPrefix(s, "<task ") {
		if m := enclosed.FindStringSubmatch(s); m != nil {
			return m[1]
		}
	}
	return strings.TrimSuffix(s, "\n")
}

// unfenced is a text without the code fence around all of it.
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

// tagLine is a line that only opens or closes what some agents wrap results in: "<task_result>".
var tagLine = lazyregexp.New(`^\s*</?[a-z_]+(?: [^<>]*)?>\s*$`)

// document adds a text that is a JSON document but for some words.
func (t *textFacts) document(text, rest string) {
	alone := t.lines == 0
	t.add(text)
	t.json = true
	if alone {
		line, _, _ := strings.Cut(rest, "\n")
		line = plainLine(line)
		t.n, t.rest = amountIn(line), strings.Clone(clip.JSON(strings.TrimRight(line, ": "), 160))
	}
}

// join adds the text of another result.
func (t *textFacts) join(other textFacts) {
	if t.lines == 0 {
		*t = other
		return
	}
	t.lines, t.bytes, t.matches, t.files = t.lines+other.lines, t.bytes+other.bytes, t.matches+other.matches, t.files+other.files
	t.n = nil
}

// body is the text that says most about the result: of a command its output.
func (f *Facts) body(command bool) textFacts {
	shown := f.shown.text.lines > 0 && (f.asked.about == "" || f.shown.text.brief != f.asked.about)
	switch {
	case command && shown && f.shown.ran != nil:
		return f.shown.ran.text
	case shown:
		return f.shown.text
	case command && f.raw.ran != nil:
		return f.raw.ran.text
	case f.raw.text.lines > 0:
		return f.raw.text
	}
	begun := f.streaming
	begun.add(f.begun)
	begun.lines, begun.bytes = f.streaming.lines, f.streaming.bytes
	return begun
}

// data is what the tool returned as data, nil if that is nothing.
func (f *Facts) data() *dataset {
	switch {
	case f.raw.data != nil && (f.shown.data == nil || f.raw.structured):
		return f.raw.data
	case f.shown.data != nil:
		return f.shown.data
	}
	return nil
}

// ErrorText is why a call failed, in one line.
func (f *Facts) ErrorText(kind string) string {
	command := f.command(kind)
	exit := f.exitCode(command)
	switch {
	case command && exit != nil && *exit != 0:
		return f.exitText(*exit, command)
	case f.raw.failed && f.raw.why != "":
		return f.raw.why
	case f.shown.failed && f.shown.why != "":
		return f.shown.why
	case f.shown.text.json && f.raw.text.lines > 0 && !f.raw.text.json: // what is no JSON reads better
		return f.raw.text.brief
	case f.raw.why != "":
		return f.raw.why
	case f.shown.text.brief != "":
		return f.shown.text.brief
	case exit != nil && *exit != 0:
		return f.exitText(*exit, command)
	}
	return f.raw.text.brief
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

func kilobytes(n int) string {
	if n < 1<<10 {
		return strconv.Itoa(n) + " B"
	}
	return strconv.Itoa((n+512)>>10) + " KB"
}

// DiffStat counts the lines that differ. Texts too large to compare count as a whole.
func DiffStat(before, after string) (added, removed int) {
	if before == after {
		return 0, 0
	}
	if len(before)+len(after) > maxDiffInput {
		return lines(after), lines(before)
	}
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 0)
	if err != nil {
		return lines(after), lines(before)
	}
	for _, h := range u.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			case udiff.Equal:
			}
		}
	}
	return added, removed
}

func lines(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

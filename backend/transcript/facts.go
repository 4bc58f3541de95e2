package transcript

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json"
)

// facts are the few things a summary needs, taken from a call's payloads as they pass.
type facts struct {
	text      textFacts // of the content
	result    textFacts // of the raw output
	streaming textFacts // of a display-only terminal
	diffs     []diffFact
	moreDiffs int // beyond those kept
	exit      *int
	asked     inputFacts
	place     string // the file of the first location
	shown     bool   // the content says something
	told      bool   // the agent said something else about the result
	message   string
}

type textFacts struct {
	lines   int
	bytes   int
	matches int    // lines that look like path:line:…
	files   int    // paths named by those
	first   string // line that says something
	brief   string // the beginning, on one line
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

func (f *facts) locations(list []Location) {
	if len(list) > 0 {
		f.place = list[0].Path
	}
}

func (f *facts) content(list []Content) {
	// What a call was going to change is what it has changed, also where it ends with words only.
	before, more := f.diffs, f.moreDiffs
	f.text, f.diffs, f.moreDiffs = textFacts{}, nil, 0
	f.shown = len(list) > 0
	defer func() {
		if len(f.diffs) == 0 {
			f.diffs, f.moreDiffs = before, more
		}
	}()
	for _, c := range list {
		switch c.Type {
		case "text":
			f.text.add(c.Text)
		case "diff":
			if len(f.diffs) == maxDiffs {
				f.moreDiffs++
				continue
			}
			added, removed := diffStat(c.OldText, c.NewText)
			f.diffs = append(f.diffs, diffFact{c.Path, added, removed})
		}
	}
}

// output looks into the raw output for the fields that agents use for text, exit codes
// and errors.
func (f *facts) output(v jsonValue) {
	f.result, f.told = textFacts{}, true
	if len(v) > maxScan {
		return
	}
	var text string
	if json.Unmarshal(v, &text, wire) == nil {
		f.result.add(text)
		return
	}
	var fields map[string]jsonValue
	if json.Unmarshal(v, &fields, wire) != nil {
		f.pieces(v)
		return
	}
	for _, key := range []string{"output", "stdout", "content", "text", "result"} {
		if json.Unmarshal(fields[key], &text, wire) == nil && text != "" {
			f.result.add(text)
			break
		}
	}
	for _, key := range []string{"error", "message", "stderr"} {
		if json.Unmarshal(fields[key], &text, wire) == nil && text != "" {
			f.message = brief(text)
			break
		}
	}
	f.exitCode(fields)
	var meta map[string]jsonValue
	if json.Unmarshal(fields["metadata"], &meta, wire) == nil {
		f.exitCode(meta)
	}
}

// pieces reads a raw output that is a list of content blocks.
func (f *facts) pieces(v jsonValue) {
	var list []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(v, &list, wire) != nil {
		return
	}
	for _, piece := range list {
		f.result.add(piece.Text)
	}
}

func (f *facts) exitCode(fields map[string]jsonValue) {
	for _, key := range []string{"exit", "exitCode", "exit_code", "returnCode"} {
		var code int
		if json.Unmarshal(fields[key], &code, wire) == nil && len(fields[key]) > 0 && fields[key][0] != 'n' {
			f.exit = &code
			return
		}
	}
}

// exited takes what a terminal tells of its end.
func (f *facts) exited(e *TerminalExit) {
	if e.Code != nil {
		f.exit = e.Code
	}
}

func (f *facts) streamed(s string) {
	f.streaming.bytes += len(s)
	f.streaming.lines += strings.Count(s, "\n")
}

var matchLine = regexp.MustCompile(`^(?:\./)?([^\s:][^:]*):\d+[:\s-]`)

func (t *textFacts) add(s string) {
	t.bytes += len(s)
	if len(s) > maxScan {
		s = s[:maxScan]
	}
	s = strings.TrimSuffix(s, "\n")
	if s == "" {
		return
	}
	if t.brief == "" {
		t.brief = brief(s)
	}
	seen := map[string]bool{}
	s = unfenced(s)
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		t.lines++
		if t.first == "" && !tagLine.MatchString(cut(line, 256)) {
			t.first = cut(strings.TrimSpace(line), 160)
		}
		if m := matchLine.FindStringSubmatch(cut(line, 1<<10)); m != nil {
			t.matches++
			if !seen[m[1]] && len(seen) < 10000 {
				seen[m[1]] = true
				t.files++
			}
		}
	}
}

// unfenced is a text without the code fence that some agents put around all of it.
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
var tagLine = regexp.MustCompile(`^\s*</?[a-z_]+(?: [^<>]*)?>\s*$`)

// body is the text that says most about the result.
func (f *facts) body() textFacts {
	switch {
	case f.text.lines > 0:
		return f.text
	case f.result.lines > 0:
		return f.result
	}
	return f.streaming
}

var countLine = regexp.MustCompile(`(?i)^\W{0,4}(?:found )?(\d{1,9}) (?:match(?:es)?|matching|results?|files?|occurrences?|hits?|lines?|entries)\b`)

// counted reads how many results a line such as "Found 3 matches in 2 files" tells of, -1 if none.
func counted(line string) int {
	m := countLine.FindStringSubmatch(line)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

func (f *facts) errorText() string {
	switch {
	case f.message != "":
		return f.message
	case f.text.brief != "":
		return f.text.brief
	case f.exit != nil && *f.exit != 0:
		return "exit code " + strconv.Itoa(*f.exit)
	}
	return f.result.brief
}

// brief is the beginning of a text on one line, without the fences that some agents put around it.
func brief(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cut(line, maxNote))
		if b.Len() > 300 {
			break
		}
	}
	return cut(b.String(), 300)
}

func count(n int) *int { return &n }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func matches(n int) string {
	if n == 1 {
		return "1 match"
	}
	return strconv.Itoa(n) + " matches"
}

func kilobytes(n int) string {
	if n < 1<<10 {
		return strconv.Itoa(n) + " B"
	}
	return strconv.Itoa((n+512)>>10) + " KB"
}

// diffStat counts the lines that differ. Texts too large to compare count as a whole.
func diffStat(before, after string) (added, removed int) {
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

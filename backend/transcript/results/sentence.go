package results

import (
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"weft/backend/clip"
)

const (
	numeral = `(\d{1,3}(?:,\d{3})+|\d{1,9})`
	amount  = `(?:a total of |about |around |approximately |exactly |all |the |top |first |last |only |up to |~)?` + numeral + `\+?`
	outOf   = `(?:\s?[-–]\s?` + numeral + `)?(?: ?(?:of|out of|/) ?(?:about |approximately |a total of |~)?` + numeral + `\+?)?`
)

// What tools say of how much they found.
var (
	// tells: "Found 12 tracks", "Showing 8 of 120 results", "Search returned 3 rows", "There are 3 open issues".
	tells = lazyregexp.New(`(?i)^(?:[\p{L}'"]+ ){0,3}?(?:found|showing|shown|returned|returning|retrieved|listed|listing|matched|fetched|displaying|displayed|got|loaded|received|read|created|updated|deleted|added|removed|processed|indexed|imported|exported|scanned|analy[sz]ed|modified|inserted|selected|here (?:is|are)|there (?:is|are|was|were)|contains?|has|have):? ` + amount + outOf + `(?:[.!:]?$|,? [\p{L}("*_` + "`" + `'].*$)`)
	// begins: "12 tracks found", "3 results for x".
	begins = lazyregexp.New(`(?i)^` + amount + outOf + ` (?:[\p{L}-]+ ){0,3}?(?:found|match(?:es|ed|ing)?|results?|files?|occurrences?|hits?|lines?|entry|entries|items?|records?|rows?|documents?|issues?|tracks?|messages?|users?|returned|total|available)\b`)
	// alone: "12 tracks".
	alone = lazyregexp.New(`(?i)^` + numeral + ` (?:[\p{L}-]+ )?[\p{L}-]+s[.:]?$`)
	// labels: "Total results: 12", "Tracks found: 12".
	labels = lazyregexp.New(`(?i)^(?:total|count|number of|results?|matches|found)(?: [\p{L}]+){0,3} ?[:=] ?` + numeral + `(?: [\p{L}]+)?\.?$|^[\p{L} ]{1,40}(?:found|count|total): ?` + numeral + `\.?$`)
	// headed: "Results (12):", "## Tracks (12 found)".
	headed = lazyregexp.New(`(?i)^.{1,80}? \(` + numeral + `( [\p{L}]+)?\)$`)
	// none: "No tracks found", "Nothing matched", "There are no issues".
	none = lazyregexp.New(`(?i)^(?:sorry, )?(?:no|zero|0) (?:[\p{L}\d"'-]+ ){0,6}?(?:found|match(?:es|ed|ing)?|results?|available|exists?|returned|files?|entries|items?|records?|rows?|issues?|messages?)\b|^nothing (?:was )?(?:found|match(?:es|ed))|^no (?:[\p{L}-]+ ){0,3}[\p{L}-]+s\.?$|^there (?:are|were|is|was) no |^(?:found|returned|showing|got) (?:no|zero|nothing)\b|^(?:could ?n[o']t|could not|did not|didn't) find any\b|^(?:no results?|none found)\b|\b(?:0|no) (?:results|matches)(?: found)?\.?$|^(?:the )?(?:list|result|directory|folder|table|graph|collection|set)(?: \S+)? is empty\b`)
	// reports: "Successfully wrote to x", "File was saved".
	reports = lazyregexp.New(`(?i)^(?:[✅✓✔🎉] ?)?(?:successfully|done|ok|completed|success|created|updated|deleted|wrote|written|saved|moved|renamed|added|removed|started|stopped|sent|committed|pushed|installed|applied|switched|set|connected|opened|closed|navigated|clicked|typed|uploaded|downloaded|copied|merged|cloned|edited|replaced|inserted|registered|scheduled|booked|assigned|enabled|disabled)\b|\b(?:successfully|has been|have been)\b`)

	unitWords = lazyregexp.New(`(?i)^(?:ms|s|sec|seconds?|minutes?|hours?|days?|bytes?|b|kb|mb|gb|kib|mib|characters?|chars?|tokens?|percent|px|pages?|times?)\b`)
	denied    = lazyregexp.New(`(?i)^no (?:such|longer|access|permissions?|credentials)\b`)
	passed    = lazyregexp.New(`(?i)^page \d`)
)

// ownSentence is the sentence of a tool that a line is, and how many results it reports, if it tells that.
func ownSentence(raw string) (sentence string, n *int, ok bool) {
	line := plainLine(raw)
	if line == "" || len(line) > 300 || passed.MatchString(line) {
		return "", nil, false
	}
	if mayDeny(line) && none.MatchString(line) && !denied.MatchString(line) {
		return line, count(0), true
	}
	if !strings.ContainsAny(line, digits) {
		return "", nil, false
	}
	for _, form := range []*lazyregexp.Regexp{tells, begins, alone, labels} {
		if n = counts(line, form.FindStringSubmatch(line)); n != nil {
			return line, n, true
		}
	}
	if m := headed.FindStringSubmatch(line); m != nil && (m[2] != "" && !strings.HasPrefix(m[2], " line") || strings.HasPrefix(raw, "#") || strings.HasPrefix(raw, "**") || strings.HasSuffix(strings.TrimSpace(raw), ":")) {
		if n = counts(line, m[:2]); n != nil {
			return line, n, true
		}
	}
	return "", nil, false
}

// counts is the last number that a form found: of "8 of 10" the whole, and of amounts of something else nothing.
func counts(line string, m []string) *int {
	for i := len(m) - 1; i > 0; i-- {
		if m[i] == "" {
			continue
		}
		v, err := strconv.Atoi(strings.ReplaceAll(m[i], ",", ""))
		_, behind, _ := strings.Cut(line, m[i])
		if err != nil || unitWords.MatchString(strings.TrimLeft(behind, " +")) {
			return nil
		}
		return &v
	}
	return nil
}

var lineMarks = lazyregexp.New(`^(?:#{1,6} |> |[-*•] |\*\*|__|` + "`" + `)+|(?:\*\*|__|` + "`" + `)$`)

// What follows saves looking for forms in lines that can't have them: most lines of outputs are code.

const digits = "0123456789"

// mayDeny reports whether a line has one of the words that each form of none has.
func mayDeny(line string) bool { return hasWord(line, "no", "zero", "0", "empty", "find any") }

// mayLabel reports whether a line has one of the words that each form of labels has, and a number.
func mayLabel(line string) bool {
	return strings.ContainsAny(line, digits) && hasWord(line, "total", "count", "number of", "result", "match", "found")
}

// hasWord reports whether one of the words, in small letters, is in a line in any case.
func hasWord(line string, words ...string) bool {
	line = strings.ToLower(line)
	for _, w := range words {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// marked reports whether a line may have one of lineMarks.
func marked(line string) bool {
	if line == "" {
		return false
	}
	switch line[0] {
	case '#', '>', '-', '*', '_', '`', "•"[0]:
		return true
	}
	return strings.HasSuffix(line, "**") || strings.HasSuffix(line, "__") || strings.HasSuffix(line, "`")
}

// bareOf is a line without the marks of Markdown around it.
func bareOf(line string) string {
	if !marked(line) {
		return line
	}
	return strings.TrimSpace(lineMarks.ReplaceAllString(line, ""))
}

// plainLine is a line without the marks of Markdown around it, and without the colon at its end.
func plainLine(line string) string {
	return bareOf(strings.TrimRight(bareOf(strings.TrimSpace(line)), ": "))
}

// sentenceIn finds the tool's own sentence among the first lines of a text, or in its last one.
func sentenceIn(text string) (sentence string, n *int) {
	seen := 0
	for line := range strings.Lines(clip.JSON(text, 4<<10)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '<' && tagLine.MatchString(clip.JSON(line, 256)) || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if s, n, ok := ownSentence(line); ok {
			return s, n
		}
		if seen++; seen == 4 {
			break
		}
	}
	if seen < 4 {
		return "", nil
	}
	if line, _ := lastLine(text); len(line) <= 300 {
		if s, n, ok := ownSentence(line); ok && !alone.MatchString(plainLine(line)) {
			return s, n
		}
	}
	return "", nil
}

// labeledCount finds a count that one of the first lines tells behind its label: "Total results: 0".
func labeledCount(text string) *int {
	seen := 0
	for line := range strings.Lines(clip.JSON(text, 4<<10)) {
		if seen++; seen > 16 {
			break
		}
		if line = plainLine(line); !mayLabel(line) {
			continue
		}
		if n := counts(line, labels.FindStringSubmatch(line)); n != nil {
			return n
		}
	}
	return nil
}

// prose is a line of words, such as a title or the beginning of a report.
var prose = lazyregexp.New(`^(?:[^\p{L}\s]{1,4} ?)?\p{Lu}[\p{L}'’]*(?: [^ /\\]\S*| \S*[^ ]){2,}$`)

// title is the first line of a longer text that says what the text is, "" if it does not.
func title(line string) string {
	line = plainLine(line)
	if len(line) > 160 || !prose.MatchString(line) || strings.HasSuffix(line, ",") || strings.HasSuffix(line, ";") || strings.ContainsAny(line, "{}<>|=\t") {
		return ""
	}
	return line
}

var bullet = lazyregexp.New(`^(?:[-*•◦] |\d{1,4}[.)] |\[(?:FILE|DIR|x| )\] |[📁📄] ?)\S`)

// listed counts the items of a text that is a list, with at most one line before it; 0 if it is none.
func listed(text string) int {
	items, others := 0, 0
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
		case bullet.MatchString(clip.JSON(line, 64)):
			items++
		case items > 0 && (line[0] == ' ' || line[0] == '\t'): // continues
		case items == 0 && others == 0:
			others++
		default:
			return 0
		}
	}
	return items
}

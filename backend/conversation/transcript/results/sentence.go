package results

import (
	"strings"

	"weft/backend/base/lazyregexp"
)

// A tool's own sentence can state an amount: "Found 12 tracks", "8 of 10 requested tracks were loaded", "No tracks
// found". No other words of tools are interpreted. Other sentences are shown unchanged, and nothing is counted.
const (
	numeral = `(\d{1,3}(?:,\d{3})+|\d{1,9})`
	// things matches counted things: "12 tracks", "8 of 10 requested tracks".
	things = numeral + `\+?(?: ?(?:of|out of|/) ?(?:the |about )?[\d,]+)?( (?:[\p{L}-]+ ){0,3}?(?:[\p{L}-]+s|found|matched|total)\b)`
)

var (
	// amounts match counted things at the start, after a verb, after a preposition that follows one, in parentheses or
	// after a colon.
	amounts = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)^` + things),
		lazyregexp.New(`(?i)^(?:[\p{L}'-]+ )??(?:[\p{L}]+ed|[\p{L}]+ing|found|got|read|sent|there|here|contains|has)(?: (?:is|are|was|were|[\p{L}'-]+ (?:for|of|from|in|to)|the|the first|the last|all|a total of|about|up to|top|first|last|only))?:? ` + things),
		lazyregexp.New(`(?i)^\p{L}[^\d(]{0,80}(?: \(|: )` + things + `(?:[,)].*|:)?$`),
	}
	// headed matches the heading of a list: "Active searches (1):".
	headed = lazyregexp.New(`^\p{L}.{0,80}? \((\d{1,9})\):$`)
	none   = lazyregexp.New(`(?i)^(?:(?:found|there (?:are|were)) )?no (?:[\p{L}-]+ ){0,3}?[\p{L}-]*[^s\W]s\b`)
	// measured matches units, which are not results.
	measured = lazyregexp.New(`(?i) (?:ms|lines?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|bytes?|characters?|chars?|words?|tokens?|pages?|times)\b`)
)

// amountIn returns the amount that a line states, or nil.
func amountIn(line string) *int {
	if len(line) > 300 {
		return nil
	}
	if len(line) > 2 && strings.ContainsAny(line[:1], "NnFfTt") && none.MatchString(line) {
		return count(0)
	}
	if !strings.ContainsAny(line, "0123456789") {
		return nil
	}
	for _, form := range amounts {
		if m := form.FindStringSubmatch(line); m != nil && !measured.MatchString(m[2]) {
			return number(strings.ReplaceAll(m[1], ",", ""))
		}
	}
	if m := headed.FindStringSubmatch(line); m != nil {
		return number(strings.ReplaceAll(m[1], ",", ""))
	}
	return nil
}

// plainLine returns a line without the Markdown marks around it.
func plainLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") {
		line = strings.TrimSpace(strings.TrimLeft(line, "#"))
	}
	if len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**") {
		line = strings.ReplaceAll(line, "**", "")
	}
	return line
}

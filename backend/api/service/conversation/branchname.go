package conversation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	maxName    = 60      // characters of the change, as the user sees them
	maxRunes   = 66      // runes of the change; a title has at most 80
	maxShown   = 4 << 10 // bytes that are examined for it
	wordWindow = 256     // bytes around a difference in which word boundaries are searched
)

// Names of branches in which the same text was sent again.
const (
	askedAgain = "Same prompt, asked again"
	withOthers = "Same prompt, other attachments"
)

// branchNameOf returns the name of a branch that replaced the prompt before with after: the words that differ, with an
// ellipsis for other words around them. It is "" if nothing of before is left; then the branch is named after its
// prompt like any other conversation. The work is linear in the length of the prompts.
func branchNameOf(before, after string) string {
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if before == after {
		return askedAgain
	}
	start, end := aroundChange(before, after)
	old, now := before[start:len(before)-end], after[start:len(after)-end]
	switch {
	case !hasWord(after[:start]) && !hasWord(after[len(after)-end:]):
		return ""
	case isBlank(old) && isBlank(now):
		return askedAgain // only whitespace differs
	case isBlank(now):
		if words := strings.TrimLeft(old, " \n\t,.;:!?"); words != "" {
			old = words
		}
		gone, cut := shortened(old)
		if cut {
			gone += "…"
		}
		return "Without “" + gone + "”"
	}
	name, cut := shortened(now)
	if start > 0 {
		name = "…" + name
	}
	if end > 0 || cut {
		name += "…"
	}
	return name
}

// commonStart returns the length of the common prefix, in bytes.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd returns the length of the common suffix, in bytes.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// aroundChange returns the lengths of the common prefix and suffix, in bytes, so that no word and no character is
// split. If only punctuation differs, the word before it belongs to the difference.
func aroundChange(before, after string) (start, end int) {
	start = commonStart(before, after)
	starts := sharedPositions(wordBreaks(before, start), wordBreaks(after, start))
	start = atMost(starts, start)
	end = commonEnd(before[start:], after[start:])
	end = atMost(sharedPositions(fromEnd(before, wordBreaks(before, len(before)-end)), fromEnd(after, wordBreaks(after, len(after)-end))), end)
	for start > 0 {
		old, now := before[start:len(before)-end], after[start:len(after)-end]
		if hasWord(old) || hasWord(now) || isBlank(old) && isBlank(now) {
			break
		}
		start = atMost(starts, start-1)
	}
	return start, end
}

// wordBreaks returns the word boundaries of a text near at, as offsets.
func wordBreaks(s string, at int) map[int]bool {
	from, to := max(0, at-wordWindow), min(len(s), at+wordWindow)
	if i := strings.IndexAny(s[from:at], " \n\t"); from > 0 && i >= 0 {
		from += i // no word continues after a space
	}
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	list := map[int]bool{0: true, from: true, len(s): true}
	for rest, state := s[from:to], -1; rest != ""; {
		var word string
		word, rest, state = uniseg.FirstWordInString(rest, state)
		if from += len(word); from < to {
			list[from] = true // the last word may continue
		}
	}
	return list
}

func fromEnd(s string, list map[int]bool) map[int]bool {
	out := make(map[int]bool, len(list))
	for at := range list {
		out[len(s)-at] = true
	}
	return out
}

func sharedPositions(a, b map[int]bool) map[int]bool {
	out := map[int]bool{}
	for at := range a {
		if b[at] {
			out[at] = true
		}
	}
	return out
}

// atMost returns the largest position that is at most at, or 0.
func atMost(places map[int]bool, at int) int {
	best := 0
	for place := range places {
		if place <= at {
			best = max(best, place)
		}
	}
	return best
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// hasWord reports whether the beginning of a text has anything except spaces and punctuation.
func hasWord(s string) bool {
	return strings.ContainsFunc(s[:min(len(s), maxShown)], func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) })
}

// shortened returns the first [maxName] characters of a text on one line, and whether something was cut.
func shortened(s string) (line string, cut bool) {
	cut = len(s) > maxShown
	line = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), maxShown)], "")), " ")
	at, runes := 0, 0
	for rest, state, n := line, -1, 0; rest != ""; n++ {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if runes += utf8.RuneCountInString(cluster); n == maxName || runes > maxRunes {
			line = line[:at]
			if space := strings.LastIndexByte(line, ' '); space > len(line)/2 {
				line = line[:space]
			}
			return line, true
		}
		at += len(cluster)
	}
	return line, cut
}

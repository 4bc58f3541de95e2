package find

import (
	"strings"
	"unicode/utf8"

	"weft/backend/conversation/search"
)

// A search compares folded characters. It folds like the search across all conversations, so that every hit of that
// search is found here, and like the frontend (frontend/src/views/find/fold.ts). testdata checks both.

// lower maps ASCII to lower case.
var lower = func() (table [utf8.RuneSelf]byte) {
	for i := range table {
		table[i] = search.AppendFold(nil, rune(i))[0]
	}
	return table
}()

// Folded returns text as a search compares it. A search also skips control sequences of terminals, which Folded keeps.
func Folded(text string) string {
	var b strings.Builder
	var one []byte
	for _, r := range text {
		one = search.AppendFold(one[:0], r)
		b.Write(one)
	}
	return b.String()
}

package find

import (
	"strings"
	"unicode/utf8"

	"weft/backend/search"
)

// Two texts are the same for a search when their folded characters are. They are folded as the search of all conversations does, so that
// what that finds is found here. The frontend folds the same way (frontend/src/views/find/fold.ts); both are held to testdata.

// lower has the lower case of ASCII.
var lower = func() (table [utf8.RuneSelf]byte) {
	for i := range table {
		table[i] = search.AppendFold(nil, rune(i))[0]
	}
	return table
}()

// Folded returns text as a search compares it, apart from control sequences of terminals, which it leaves out.
func Folded(text string) string {
	var b strings.Builder
	var one []byte
	for _, r := range text {
		one = search.AppendFold(one[:0], r)
		b.Write(one)
	}
	return b.String()
}

package clip

import "testing"

func TestVisibleTextHasNoControlsOfTerminals(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                        "plain",
		"a\x1b(Bb\x1b[m":               "ab", // tput sgr0
		"\x1b#8\x1b Fa\x1b=b\x1b":      "ab",
		"a\x0eb\x0fc\a":                "abc",
		"\x1b[4:3ma\x1b[38:2::1:2:3mb": "ab",
		"\x1b]0;title\aa\x1b]8;;https://a.b\x1b\\b": "ab",
		"\x1b]0;no end\nb":                          "\nb",
		"\x1bä":                                     "ä",
		"N\bNA\bA":                                  "NA",
		"ä\bb\n\bc":                                 "b\nc",
		"10 %\r20 %\r\ndone\x1b[31":                 "10 %\n20 %\ndone",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is visible as %q; want %q", text, got, want)
		}
	}
}

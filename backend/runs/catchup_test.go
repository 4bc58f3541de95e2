package runs

import (
	"strings"
	"testing"

	"weft/backend/transcript"
)

// TestNews tells replays (u: words of the person, a: of the agent) and looks for where they are new.
func TestNews(t *testing.T) {
	for name, c := range map[string]struct {
		here   []string
		replay string
		fresh  string
	}{
		"nothing is new":                {[]string{"one", "two"}, "u:one|a:A|u:two|a:B", ""},
		"it has gone on":                {[]string{"one"}, "u:one|a:A|u:two|a:B|u:three|a:C", "u:two|a:B|u:three|a:C"},
		"prompts in pieces":             {[]string{"one and two"}, "u:one |u:and\n two|a:A|u:three|u: four|a:B", "u:three|u: four|a:B"},
		"something else":                {[]string{"one"}, "u:other|a:A|u:two|a:B", ""},
		"something else in its middle":  {[]string{"one", "two"}, "u:one|a:A|u:zwei|a:B|u:three|a:C", ""},
		"less than is here":             {[]string{"one", "two"}, "u:one|a:A", ""},
		"two prompts without an answer": {[]string{"one", "two"}, "u:one|u:two|a:A|u:three|a:B", ""},
		"words of the agent first":      {[]string{"one"}, "a:hello|u:one|a:A|u:two|a:B", "u:two|a:B"},
		"with what the agent was told":  {[]string{"one"}, "u:" + transcript.ToldOpening + "x" + transcript.ToldEnd + "|u:one|a:A|u:two|a:B", "u:two|a:B"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &news{prompts: c.here}
			var fresh []string
			for one := range strings.SplitSeq(c.replay, "|") {
				u := &transcript.Update{Kind: transcript.UpdateText, Text: one[2:]}
				if one[0] == 'u' {
					u.Kind = transcript.UpdateUser
				}
				if n.next(u) {
					fresh = append(fresh, one)
				}
			}
			if got := strings.Join(fresh, "|"); got != c.fresh {
				t.Errorf("new is %q, want %q", got, c.fresh)
			}
		})
	}
}

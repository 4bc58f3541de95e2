package results

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Kimi appends the extra data of an MCP result to its text.
func TestResultIsWithoutWhatIsToldBesideIt(t *testing.T) {
	const extras = "\n<mcp-result-extras>\n{\"_meta\":{\"weft/wasRetried\":false}}\n</mcp-result-extras>"
	for _, text := range []string{`{"messageId":"msg_1"}`, `{"messages":[{"id":"msg_1"},{"id":"msg_2"}]}`, "two\nlines", "one line", "<mcp-result-extras> is a tag"} {
		summary := func(text string) string {
			var f Facts
			f.Content(slices.Values([]Part{{Type: "text", Text: text}}))
			raw, _ := jsontext.AppendQuote(nil, text)
			f.Output(raw)
			s, _ := f.Summary("other")
			return s
		}
		if got, want := summary(text+extras), summary(text); got != want {
			t.Errorf("%q with extras is %q; want %q", text, got, want)
		}
	}
}

// Claude writes the exit code above the output of its terminal.
func TestExitCodeIsSaidOnceInAnError(t *testing.T) {
	three := 3
	var f Facts
	f.Streamed("Exit code 3\nto-stdout\nto-stderr\n")
	f.Exited(&three, "")
	if got, want := f.ErrorText("execute"), "Exit code 3: to-stdout to-stderr"; got != want {
		t.Errorf("the error is %q; want %q", got, want)
	}
}

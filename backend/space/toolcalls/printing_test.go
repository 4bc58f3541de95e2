package toolcalls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
)

// However an agent sends the output of a tool (in pieces, repeatedly in full, as text or as a value), no update
// contains a known secret or the beginning of one, and at the end everything else is there.
func TestPrintedSecretsAreHidden(t *testing.T) {
	const value = "sk-ant-known-0123456789"
	rapid.Check(t, func(t *rapid.T) {
		hide := &secret.Redactor{}
		hide.Add(value)
		whole := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"line\n", "sk-ant-", value, "e", `"`, "x"}), 1, 12).Draw(t, "text"), "")
		want := hide.PrintedText(whole)
		way := rapid.SampledFrom([]string{"delta", "content", "output"}).Draw(t, "way")
		resend := rapid.Bool().Draw(t, "the end has it all")
		p := NewPrinting(hide)
		status, end := transcript.StatusRunning, transcript.StatusCompleted
		shown, deltas, cut := "", "", 0
		patch := func(text string, n int, status *transcript.Status) *transcript.ToolPatch {
			u := &transcript.ToolPatch{ID: "c", Status: status}
			switch way {
			case "delta":
				u.OutputDelta = text[cut:n]
			case "content":
				u.Content = &[]transcript.Content{{Type: "text", Text: text[:n]}}
			case "output":
				raw, err := json.Marshal(map[string]string{"stdout": text[:n]})
				if err != nil {
					t.Fatal(err)
				}
				u.Output = jsontext.Value(raw)
			}
			cut = n
			return u
		}
		see := func(u *transcript.ToolPatch) {
			p.Update(u)
			deltas += u.OutputDelta
			switch {
			case way == "delta":
				shown = deltas
			case u.Content != nil:
				shown = (*u.Content)[0].Text
			case u.Output != nil:
				var v map[string]string
				if err := json.Unmarshal(u.Output, &v); err != nil {
					t.Fatalf("%v in %s", err, u.Output)
				}
				shown = v["stdout"]
			}
			if strings.Contains(shown, value) || strings.HasSuffix(shown, value[:8]) && !strings.HasSuffix(want, value[:8]) {
				t.Fatalf("an update shows %q", shown)
			}
		}
		for cut < len(whole) {
			see(patch(whole, rapid.IntRange(cut+1, len(whole)).Draw(t, "n"), &status))
		}
		last := &transcript.ToolPatch{ID: "c", Status: &end}
		if resend && way != "delta" {
			last = patch(whole, len(whole), &end)
		}
		see(last)
		got := shown
		if way == "delta" { // up to 3 bytes may have gone through
			for i := range 4 {
				got = strings.ReplaceAll(got, value[:i]+secret.Hidden, secret.Hidden)
			}
		}
		if got != want {
			t.Fatalf("%s: %q, want %q", way, got, want)
		}
		if len(p.streams)+len(p.whole) > 0 {
			t.Fatal(fmt.Sprint("something is kept of a call that has ended: ", p.whole))
		}
	})
}

package toolcalls

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

var writtenSeed = flag.Uint64("written-seed", 1, "of the arguments that grow")

// told is a report with a text as its content.
func told(title, text string, status transcript.Status) *transcript.ToolPatch {
	p := &transcript.ToolPatch{ID: "1", Status: &status, Content: &[]transcript.Content{{Type: "text", Text: text}}}
	if title != "" {
		p.Title, p.Announced = &title, true
	}
	return p
}

// Arguments that an agent shows as growing text become fragments of the input, however they are split, and not
// content.
func TestWrittenArgumentsAreFragments(t *testing.T) {
	t.Parallel()
	for n := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(*writtenSeed, n))
		pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
		args := map[string]any{}
		for range rnd.IntN(4) {
			switch name := pick("command", "path", "text", "n", "é\""); rnd.IntN(3) {
			case 0:
				args[name] = strings.Repeat(pick("a", "{", "}", "\"", "\\", "\n", "日本", "🙂"), rnd.IntN(20))
			case 1:
				args[name] = rnd.IntN(1000)
			default:
				args[name] = map[string]any{"list": []any{pick("x", "]"), nil, true}}
			}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		var w Written
		open, sent, whole := Open{}, "", jsontext.Value(nil)
		report := func(p *transcript.ToolPatch) *transcript.ToolPatch {
			got := w.Report(p, open[p.ID])
			open.Update(got, 1)
			if got.Content != nil {
				t.Fatalf("seed %d, case %d: %q stays content", *writtenSeed, n, (*p.Content)[0].Text)
			}
			sent += got.InputDelta
			if got.Input != nil {
				whole = got.Input
			}
			return got
		}
		at, pieces := 0, 0
		if rnd.IntN(2) == 0 {
			report(told(pick("Bash", "mcp__weft__sendSpaceMessage"), "", transcript.StatusPending))
		} else {
			at = 1 + rnd.IntN(len(raw)-1)
			report(told("Bash", string(raw[:at]), transcript.StatusPending))
		}
		for at < len(raw) {
			at, pieces = min(len(raw), at+rnd.IntN(9)), pieces+1
			report(told("", string(raw[:at]), transcript.StatusRunning))
		}
		if string(whole) != string(raw) || !strings.HasPrefix(string(raw), sent) || sent == "" && pieces > 9 {
			t.Fatalf("seed %d, case %d: %s and %s came of %s", *writtenSeed, n, sent, whole, raw)
		}
		// Some say it once more with the input, and once without.
		again := told("", string(raw), transcript.StatusRunning)
		again.Input = raw
		if got := report(again); string(got.Input) != string(raw) {
			t.Fatalf("%+v", got)
		}
		report(told("", string(raw), transcript.StatusRunning))
		for _, status := range []transcript.Status{transcript.StatusRunning, transcript.StatusCompleted} {
			if out := told("", "Wrote 5 bytes", status); w.Report(out, open["1"]) != out {
				t.Fatal("its output is no content")
			}
		}
		if len(w.calls) > 0 {
			t.Fatalf("%+v is kept", w.calls)
		}
	}
}

// Text that isn't the beginning of arguments stays content.
func TestOutputIsNotReadAsArguments(t *testing.T) {
	t.Parallel()
	type report = *transcript.ToolPatch
	input := told("Bash", `{"a`, transcript.StatusRunning)
	input.Input = jsontext.Value(`{"command":"cat x.json"}`)
	two := told("Bash", `{"a`, transcript.StatusRunning)
	*two.Content = append(*two.Content, transcript.Content{Type: "text", Text: "b"})
	for name, list := range map[string][]report{
		"of a call whose title says what it does": {told("cat x.json", `{"a`, transcript.StatusRunning), told("", `{"a":1}`, transcript.StatusRunning)},
		"of a call whose arguments are known":     {input, told("", `{"a":1}`, transcript.StatusRunning)},
		"a whole document at once":                {told("Bash", `{"a":1}`, transcript.StatusRunning)},
		"a list":                                  {told("Bash", `[1`, transcript.StatusRunning)},
		"two texts":                               {two},
		"words":                                   {told("Bash", `Reading`, transcript.StatusRunning), told("", `Reading …`, transcript.StatusRunning)},
		"of a call that has ended":                {told("Bash", `{"a`, transcript.StatusCompleted)},
	} {
		var w Written
		open := Open{}
		for _, p := range list {
			if got := w.Report(p, open["1"]); got != p {
				t.Errorf("%s: %q is taken for arguments", name, (*p.Content)[0].Text)
			}
			open.Update(p, 1)
		}
	}
	var w Written
	open := Open{}
	open.Update(w.Report(told("Bash", "", transcript.StatusPending), nil), 1)
	for _, words := range []string{"12", "Done", `{"a":1} and more`, `{"a":1,`} { // the last one begins again
		if p := told("", words, transcript.StatusRunning); w.Report(p, open["1"]) != p {
			t.Errorf("%q is taken for arguments", words)
		}
	}
}

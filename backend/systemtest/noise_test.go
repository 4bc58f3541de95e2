//go:build linux

package systemtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

func init() { addScript("noisy", noisy) }

// noises put something around a message, or write it in another form.
var noises = map[string]func(line string) string{
	"a reset of colors behind it": func(line string) string { return line + "\x1b[0m" },
	"a word of a log behind it":   func(line string) string { return line + " [debug]" },
	"a brace behind it":           func(line string) string { return line + "}" },
	"text before it":              func(line string) string { return "[12:00:01] {sent} " + line },
	"a color before it":           func(line string) string { return "\x1b[32m" + line },
	"pretty-printed":              func(line string) string { return pretty(line, "  ") },
	"pretty-printed with text behind it": func(line string) string {
		return "Answer: " + strings.ReplaceAll(pretty(line, "\t"), "\n", "\r\n") + "\x1b[0m"
	},
	"a list over several lines": func(line string) string { return "[\n  " + line + "\n]" },
}

func pretty(line, indent string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(line), "", indent)
	return b.String()
}

// noisyForms are ways to write the answer to a prompt with something around it, or in another form than the client's.
var noisyForms = map[string]func(a *scripted, line string){
	"jsonrpc not first": func(a *scripted, _ string) {
		a.raw(`> {"id":` + string(a.turn) + `,"result":{"stopReason":"end_turn"},"jsonrpc":"2.0"}`)
	},
	"an update on its line": func(a *scripted, line string) { a.raw(a.updateLine(chunk(" and more")) + line) },
	"a space between":       func(a *scripted, line string) { a.raw(a.updateLine(chunk(" and more")) + " " + line) },
	"the id as 3.0": func(a *scripted, _ string) {
		a.raw(`{"jsonrpc":"2.0","id":` + string(a.turn) + `.0,"result":{"stopReason":"end_turn"}}`)
	},
	"the id as 30e-1": func(a *scripted, _ string) {
		a.raw(`{"jsonrpc":"2.0","id":` + string(a.turn) + `0e-1,"result":{"stopReason":"end_turn"}}`)
	},
	"the id as a text": func(a *scripted, _ string) {
		a.raw(`{"jsonrpc":"2.0","id":"` + string(a.turn) + `","result":{"stopReason":"end_turn"}}`)
	},
}

func init() {
	for name, noise := range noises {
		noisyForms[name] = func(a *scripted, line string) { a.raw(noise(line)) }
	}
}

// brokenForms are answers of which too little is left to be read.
var brokenForms = map[string]func(a *scripted) string{
	"cut off": func(a *scripted) string {
		return `{"jsonrpc":"2.0","id":` + string(a.turn) + `,"result":{"stopReason":"end_`
	},
	"a brace too few": func(a *scripted) string {
		return `{"jsonrpc":"2.0","id":` + string(a.turn) + `,"result":{"stopReason":"end_turn"}`
	},
	"a color inside": func(a *scripted) string {
		return `{"jsonrpc":"2.0","id":` + string(a.turn) + ",\x1b[0m\"result\":{\"stopReason\":\"end_turn\"}}"
	},
	"its beginning is lost": func(a *scripted) string {
		return `rpc":"2.0","id":` + string(a.turn) + `,"result":{"stopReason":"end_turn"}}`
	},
	"broken before the id": func(a *scripted) string {
		return `{"jsonrpc":"2.0","result":{"stopReason":end_turn},"id":` + string(a.turn) + `}`
	},
}

// noisy answers each prompt in the form that the prompt names.
func noisy(a *scripted) {
	a.open()
	for {
		form := a.prompt()
		a.say("Done.")
		if write := noisyForms[form]; write != nil {
			write(a, resultLine(a.turn, `{"stopReason":"end_turn"}`))
		} else {
			a.raw(brokenForms[form](a))
			a.raw(`{"level":"debug","id":` + string(a.turn) + `,"msg":"answered"}`)
		}
	}
}

// TestAnswerWithNoiseOnItsLineEndsTheTurn: whatever an agent prints beside its answer, and however it writes it, the turn ends.
func TestAnswerWithNoiseOnItsLineEndsTheTurn(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "noisy")
	for _, form := range slices.Sorted(maps.Keys(noisyForms)) {
		r.turn(t, form, "end_turn")
		r.st.now(func(v *seen) {
			if got := v.message().Content(); !strings.HasPrefix(got, "Done.") || strings.Contains(got, "id") {
				t.Errorf("%s: the agent said %q", form, got)
			}
		})
		if t.Failed() {
			t.Fatal("it was ", form)
		}
	}
	r.check(t)
}

// TestBrokenAnswerEndsTheTurn: an answer that can't be read ends its turn with a sentence, and the next turn works.
func TestBrokenAnswerEndsTheTurn(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "noisy")
	for _, form := range slices.Sorted(maps.Keys(brokenForms)) {
		if f := r.fails(t, form, "agent_unreadable"); t.Failed() {
			t.Fatalf("%s: %+v", form, f)
		}
		r.turn(t, "a word of a log behind it", "end_turn")
	}
	r.check(t)
}

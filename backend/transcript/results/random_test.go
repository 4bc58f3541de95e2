package results

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/raced"
)

// grammar makes results of tools from a grammar: the words of agents and protocols, in places where they belong and where
// they do not.
type grammar struct{ *rand.Rand }

func (r grammar) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r grammar) text() string {
	switch r.IntN(8) {
	case 0:
		raw, _ := json.Marshal(r.value(3), json.Deterministic(true))
		return r.pick("", "Result: ", "Here it is:\n", "[INFO] ") + string(raw) + r.pick("", "\n", "\nDone.", "…")
	case 1:
		return "Command: x\nDirectory: y\nOutput: " + r.pick("(empty)", "a\nb", "") + "\nError: " + r.pick("(none)", "bad") + "\nExit Code: " + r.pick("0", "3", "(none)", "x")
	case 2:
		return r.pick("a\n", "") + r.pick("<exited with exit code 3>", "Command exited with code -1", "<stdout>x</stdout><exit_code>2</exit_code>", "<bash_metadata>timed out</bash_metadata>")
	case 3:
		return "```" + r.pick("", "json", "console") + "\n" + r.pick("{}", "a", "[1,2]", "{") + r.pick("\n```", "")
	}
	return r.pick("", " ", "\n\n", "Found 12 tracks", "No tracks found", "{", "}", "[", "[]", "{}", "null", "\"", "Error: x", "{\"a\":", "1-8 of 120", "\x00", "# Title (3)", "日本語", "- a\n- b", strings.Repeat("[", 40), strings.Repeat("{\"result\":", 12)+"1"+strings.Repeat("}", 12))
}

func (r grammar) value(depth int) any {
	switch n := r.IntN(10); {
	case n < 3 && depth > 0:
		m := map[string]any{}
		for range r.IntN(5) {
			m[r.pick("result", "content", "contents", "structuredContent", "isError", "success", "error", "errors", "data", "items", "total", "count", "exitCode", "output", "text", "type", "Ok", "Err", "message", "status", "metadata", "", "a")] = r.value(depth - 1)
		}
		return m
	case n < 5 && depth > 0:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, r.value(depth-1))
		}
		return list
	case n == 5:
		return map[string]any{"type": r.pick("text", "image", "resource", "x"), "text": r.text()}
	case n == 6:
		return r.IntN(9) - 2
	case n == 7:
		return r.IntN(2) == 0
	case n == 8 && r.IntN(3) == 0:
		return nil
	}
	return r.text()
}

// TestRandomResults: whatever a result is, its call ends, its summary is no raw JSON, and what a protocol says of the
// outcome at the top is believed.
func TestRandomResults(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := grammar{rand.New(rand.NewPCG(seed, 1))}
	kinds := []string{"read", "edit", "delete", "move", "search", "execute", "fetch", "think", "switch_mode", "other"}
	for i := range raced.Of(20_000) {
		var f Facts
		if r.IntN(2) == 0 {
			f.Input(jsontext.Value(`{` + r.pick(`"command":"x"`, `"path":"/a"`, `"url":"http://x"`, `"server":"a","tool":"b"`, ``) + `}`))
		}
		if r.IntN(2) == 0 {
			f.Content(slices.Values([]Part{{Type: "text", Text: r.text()}}))
		}
		raw, err := json.Marshal(r.value(4), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		f.Output(raw)
		kind := kinds[r.IntN(len(kinds))]
		said, n := f.Summary(kind)
		why, failed := f.Verdict(kind)
		if looksLikeJSON(said) || len(said) > 2*maxLine || n != nil && *n < 0 {
			t.Fatalf("seed %d, case %d, %s of %s: %q, %v", seed, i, kind, raw, said, n)
		}
		var top struct {
			IsError any `json:"isError"`
			Success any `json:"success"`
		}
		if json.Unmarshal(raw, &top) == nil && top.IsError == true && f.exitCode(f.command(kind)) == nil && !failed {
			t.Fatalf("seed %d, case %d: %s is no failure (%s)", seed, i, raw, fmt.Sprint(why))
		}
	}
}

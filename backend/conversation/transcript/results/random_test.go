package results

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/raced"
)

// grammar generates tool results from the words of agents and protocols, in places where they belong and where they
// don't.
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

// TestRandomResults checks that for any result, the call ends, the summary isn't raw JSON, and an outcome at the top
// level is trusted.
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

// lines generates tool output that isn't a sentence: listings, logs, code, tables.
func (r grammar) lines() []string {
	list := make([]string, 1+r.IntN(6))
	for i := range list {
		list[i] = []string{
			fmt.Sprintf("-rw-r--r-- 1 user user %d Nov 28 %02d:%02d file%d.ts", r.IntN(9000), r.IntN(24), r.IntN(60), i),
			fmt.Sprintf("%02d:%02d:%02d started", r.IntN(24), r.IntN(60), r.IntN(60)),
			fmt.Sprintf("2026-11-28T12:%02d:01 request %d took %d ms", r.IntN(60), i, r.IntN(900)),
			fmt.Sprintf("total %d", r.IntN(900)), fmt.Sprintf("    %d\tconst tracks = %d;", i, r.IntN(90)),
			fmt.Sprintf("src/file%d.ts | %d +-", i, r.IntN(90)), fmt.Sprintf("| %d | tracks |", r.IntN(90)), fmt.Sprintf("#%d open", r.IntN(90)),
			fmt.Sprintf("v1.%d.0", r.IntN(90)), "src/main.ts", "- [ ] write tests", "for (const x of xs) {", "日本語 3 個", "Copyright 2026 Acme",
			fmt.Sprintf("Listening on port %d", r.IntN(9000)), fmt.Sprintf("\x1b[32mok\x1b[0m %d", i), fmt.Sprintf("10%%\r%d%%", r.IntN(100)),
		}[r.IntN(17)]
	}
	return list
}

// The summary of such a text is its first line and the number of lines, for every kind of call and every format.
func TestNothingIsClaimedOfATextThatTellsNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := grammar{rand.New(rand.NewPCG(seed, 2))}
	for i := range raced.Of(20_000) {
		lines := r.lines()
		text := strings.Join(lines, "\n")
		var f Facts
		f.Input(jsontext.Value(r.pick(`{}`, `{"command":"x"}`, `{"pattern":"x"}`, `{"pattern":"x","path":"/a"}`, `{"commands":["x"]}`, `{"query":"x","path":"/a"}`)))
		raw, _ := json.Marshal(text)
		answer, _ := json.Marshal(map[string]any{"query": "x", "result": text, "success": true}, json.Deterministic(true))
		quoted, _ := json.Marshal(string(answer))
		switch r.IntN(7) {
		case 0:
			f.Content(slices.Values([]Part{{Type: "text", Text: text}}))
		case 1:
			f.Content(slices.Values([]Part{{Type: "text", Text: "```\n" + text + "\n```\n"}}))
		case 2:
			f.Output(raw)
		case 3:
			f.Output(quoted)
		case 4:
			f.Output(jsontext.Value("[" + string(answer) + "]"))
		case 5:
			f.Output(jsontext.Value(`{"content":[{"type":"text","text":` + string(raw) + `}]}`))
		case 6:
			for rest := text; rest != ""; {
				n := 1 + r.IntN(len(rest))
				f.Streamed(rest[:n])
				rest = rest[n:]
			}
		}
		kind := r.pick("read", "search", "execute", "think", "switch_mode", "other")
		said, n := f.Summary(kind)
		first := lines[0][strings.LastIndexByte(lines[0], '\r')+1:]
		first = strings.TrimSpace(strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(first))
		want := first
		if len(lines) > 1 {
			want += fmt.Sprintf(" · %d lines in all", len(lines))
		}
		if said != want || n != nil {
			t.Fatalf("seed %d, case %d, %s of %q: %q, %v, want %q", seed, i, kind, text, said, n, want)
		}
	}
}

// The first number of a tool's sentence is the count, for every kind of call and whatever text follows.
func TestASentenceOfTheToolIsWhatItSays(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := grammar{rand.New(rand.NewPCG(seed, 3))}
	for i := range raced.Of(5_000) {
		n := r.IntN(2000)
		of := r.pick("", fmt.Sprintf(" of %d", n+r.IntN(90)), fmt.Sprintf(" out of %d", n+5), fmt.Sprintf("/%d", n+5))
		things := fmt.Sprintf("%d%s %s%s", n, of, r.pick("", "requested ", "open "), r.pick("tracks", "playlists", "issues", "matches", "files"))
		sentence := r.pick("Found ", "Retrieved metadata for ", "Loaded ", "Showing ", "Listing the first ", "Successfully imported ", "There are ", "Fetched lyrics for ", "") + things + r.pick("", ".", " in 3 folders", " for “x”")
		var f Facts
		f.Content(slices.Values([]Part{{Type: "text", Text: sentence + r.pick("", "\n", ":\n\n"+strings.Join(r.lines(), "\n"))}}))
		kind := r.pick("read", "edit", "delete", "move", "search", "execute", "fetch", "think", "switch_mode", "other")
		if said, count := f.Summary(kind); said != strings.TrimRight(sentence, ":") || count == nil || *count != n {
			t.Fatalf("seed %d, case %d, %s: %q is %q, %v", seed, i, kind, sentence, said, count)
		}
	}
}

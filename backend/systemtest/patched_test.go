//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// card is what the user is shown of a call: its title, what it is, what it changes, and what the card of its request says.
func card(t testing.TB, c *transcript.ToolCall) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s | %s", c.Title, c.Kind, c.Name)
	for _, d := range c.Content {
		if d.Type == "diff" {
			fmt.Fprintf(&b, " | %s: %q to %q", filepath.Base(d.Path), d.OldText, d.NewText)
			if d.NewFile {
				b.WriteString(", new")
			}
		}
	}
	for _, p := range c.Permissions {
		var r permission.Reading
		if err := json.Unmarshal(p.Reading, &r); err != nil {
			t.Fatal(err)
		}
		if r.Titled != (strings.Contains(c.Name, "_") || c.Title == "Edit src/a.ts") {
			t.Errorf("%s is said to be the title of Weft: %v", c.Title, r.Titled)
		}
		fmt.Fprintf(&b, " | asked: %d files", len(r.Files))
		for _, one := range r.Other {
			fmt.Fprintf(&b, ", %s", one.Name)
		}
		if len(r.Misfits) > 0 {
			fmt.Fprintf(&b, ", does not fit %v", r.Misfits)
		}
	}
	return b.String()
}

// clineUpdate is a call as cline shows it and asks about it: first as an update, and announced when it runs.
func clineUpdate(tool, kind string, input any) []step {
	const id = "c"
	raw, _ := json.Marshal(input)
	title := tool + ": " + string(raw)
	if len(title) > 70 {
		title = title[:67] + "..."
	}
	call := map[string]any{"title": title, "kind": kind, "rawInput": input, "status": "pending"}
	return []step{shows("tool_call_update", id, "pending", call), asksFor(id, call), shows("tool_call_update", id, "in_progress", nil), shows("tool_call", id, "pending", call)}
}

// TestPatchesAreShownAsDiffs: a call with a patch among its arguments is shown with a title and a diff from the file on disk, in whichever form
// and under whichever name the patch comes.
func TestPatchesAreShownAsDiffs(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	begin := func(s string) string { return "*** Begin Patch\n" + s + "*** End Patch\n" }
	update := begin("*** Update File: src/a.ts\n@@\n-two\n+2\n")
	input := func(s string) map[string]any { return map[string]any{"input": s} }
	edited := `Edit src/a.ts | edit | apply_patch | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n"`
	cases := map[string]struct {
		steps func(r *room) []step
		want  string
	}{
		"cline, update": {func(*room) []step { return clineUpdate("apply_patch", "other", input(update)) }, edited + " | asked: 1 files"},
		"cline, add": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Add File: src/n.ts\n+new\n")))
		}, `Add src/n.ts | edit | apply_patch | n.ts: "" to "new\n", new | asked: 1 files`},
		"cline, delete": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Delete File: src/a.ts\n")))
		}, `Delete src/a.ts | delete | apply_patch | a.ts: "one\ntwo\nthree\n" to "" | asked: 1 files`},
		"cline, move and change": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n*** Move to: src/m.ts\n@@\n-two\n+2\n")))
		}, `Edit src/a.ts → src/m.ts | edit | apply_patch | m.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 2 files`},
		"cline, move": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n*** Move to: src/m.ts\n")))
		}, `Move src/a.ts → src/m.ts | move | apply_patch | asked: 2 files, input`},
		"several files": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n@@\n-two\n+2\n*** Add File: n.ts\n+new\n")))
		}, `Change 2 files | edit | apply_patch | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | n.ts: "" to "new\n", new | asked: 2 files`},
		"one file twice": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n@@\n-two\n+2\n*** Update File: src/a.ts\n@@\n-three\n+3\n")))
		}, `Edit src/a.ts | edit | apply_patch | a.ts: "one\ntwo\nthree\n" to "one\n2\n3\n" | asked: 1 files`},
		"doesn't fit": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n@@\n-four\n+4\n")))
		}, `Edit src/a.ts | edit | apply_patch | asked: 1 files, input, does not fit [src/a.ts]`},
		"fits one of two": {func(*room) []step {
			return clineUpdate("apply_patch", "other", input(begin("*** Update File: src/a.ts\n@@\n-two\n+2\n*** Update File: gone.ts\n@@\n-x\n+y\n")))
		}, `Edit 2 files | edit | apply_patch | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 2 files, input, does not fit [gone.ts]`},
		"as a list, and deep": {func(*room) []step {
			return clineUpdate("edit_files", "other", map[string]any{"what": []any{map[string]any{"deep": update}}})
		}, `Edit src/a.ts | edit | edit_files | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
		"titled with its file": {func(*room) []step {
			call := map[string]any{"title": "src/a.ts", "kind": "edit", "rawInput": input(update)}
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, `Edit src/a.ts | edit | edit | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
		"arguments as a text": {func(*room) []step {
			inner, _ := json.Marshal(input(update))
			return clineUpdate("call_tool", "other", map[string]any{"arguments": string(inner)})
		}, `Edit src/a.ts | edit | call_tool | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
		"the patch is all there is": {func(*room) []step {
			call := map[string]any{"title": "apply_patch", "kind": "edit", "rawInput": update}
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, edited + " | asked: 1 files"},
		"git, with absolute paths, in the request only": {func(r *room) []step {
			path := r.path("src/a.ts")
			diff := "\ndiff --git a" + path + " b" + path + "\nindex 0..0 100644\n--- a" + path + "\n+++ b" + path + "\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n \n"
			call := map[string]any{"title": "Edit file", "kind": "edit", "rawInput": map[string]any{"fileName": path, "diff": diff}}
			return []step{shows("tool_call", "c", "pending", map[string]any{"title": "Editing " + path, "kind": "edit"}), asksFor("c", call)}
		}, `Edit src/a.ts | edit | edit | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
		"the agent shows its own diff": {func(r *room) []step {
			call := changing(r.path("src/a.ts"), "two", "2")
			call["rawInput"] = input(update)
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, `Call c | edit | edit | a.ts: "two" to "2" | asked: 1 files`},
		"the agent shows a part of it": {func(r *room) []step {
			call := changing(r.path("src/a.ts"), "two", "2")
			path := r.path("src/a.ts")
			diff := "diff --git a" + path + " b" + path + "\n--- a" + path + "\n+++ b" + path + "\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n"
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", map[string]any{"kind": "edit", "title": "Edit file", "rawInput": map[string]any{"fileName": path, "diff": diff}})}
		}, `Edit src/a.ts | edit | edit | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
		"done without asking": {func(r *room) []step {
			call := map[string]any{"title": "apply_patch", "kind": "other", "rawInput": input(update)}
			return []step{writesItself(r.path("src/a.ts"), "one\n2\nthree\n"), shows("tool_call", "c", "completed", call)}
		}, edited + " | asked: 1 files"}, // as what was not asked
		"done while it runs": {func(r *room) []step {
			call := map[string]any{"title": "apply_patch", "kind": "other", "rawInput": input(update)}
			return []step{announces("c", call), writesItself(r.path("src/a.ts"), "one\n2\nthree\n"), shows("tool_call_update", "c", "completed", call)}
		}, edited + " | asked: 1 files"}, // as what was not asked
		"a result behind it": {func(*room) []step {
			call := map[string]any{"title": "apply_patch", "kind": "other", "rawInput": input(update)}
			said := []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": "Done."}}}
			return []step{announces("c", call), shows("tool_call_update", "c", "completed", map[string]any{"content": said})}
		}, edited + " | asked: 1 files"}, // as what was not asked
		"files in JSON": {func(r *room) []step {
			return clineUpdate("read_files", "read", map[string]any{"files": []any{map[string]any{"path": r.path("src/a.ts")}}})
		}, `Read src/a.ts | read | read_files | asked: 1 files`},
		"a command behind its tool's name": {func(*room) []step {
			call := map[string]any{"title": "run_commands: ls -l src", "kind": "execute", "rawInput": map[string]any{"commands": []string{"ls -l src"}}}
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, `ls -l src | execute | run_commands | asked: 0 files`},
		"words of the agent": {func(*room) []step {
			call := map[string]any{"title": "Count to two: a first step", "kind": "other", "rawInput": input(update)}
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, `Count to two: a first step | edit | edit | a.ts: "one\ntwo\nthree\n" to "one\n2\nthree\n" | asked: 1 files`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", "deaf")
			r.put(t, "src/a.ts", "one\ntwo\nthree\n")
			r.mode(t, "ask")
			r.steps(t, always("no"), c.steps(r)...)
			var got string
			r.st.now(func(v *seen) { got = card(t, v.call("c")) })
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			r.check(t)
		})
	}
}

// TestRandomPatchesAreShownAsDiffs makes up files, changes of them, the form of the patch and the names around it.
func TestRandomPatchesAreShownAsDiffs(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps", "deaf")
	r.mode(t, "ask")
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 14))
		name := []string{"a.txt", "dir/with space/ü.txt", "b/c.go", "a/x"}[rnd.IntN(4)]
		var lines []string
		for i := range 3 + rnd.IntN(30) {
			lines = append(lines, fmt.Sprintf("line %d %s", i, strings.Repeat("x", rnd.IntN(5))))
		}
		end := []string{"\n", "\r\n"}[rnd.IntN(2)]
		old := strings.Join(lines, end) + end
		r.put(t, name, old)
		at := rnd.IntN(len(lines))
		now := slices.Clone(lines)
		now[at] = "changed — größe"
		want := strings.Join(now, end) + end
		body := ""
		from := max(0, at-rnd.IntN(4))
		for _, l := range lines[from:at] {
			body += " " + l + "\n"
		}
		body += "-" + lines[at] + "\n+" + now[at] + "\n"
		path := name
		if rnd.IntN(2) == 0 {
			path = r.path(name)
		}
		var text string
		switch n := at - from + 1; rnd.IntN(4) {
		case 0:
			text = "*** Begin Patch\n*** Update File: " + path + "\n@@\n" + body + "*** End Patch"
		case 1:
			text = "*** Update File: " + path + "\n@@\n" + body
		case 2:
			text = fmt.Sprintf("--- %s\n+++ %s\n@@ -%d,%d +%d,%d @@\n%s", path, path, from+1, n, from+1, n, body)
		case 3:
			slash := "/"
			if filepath.IsAbs(path) {
				slash = ""
			}
			text = fmt.Sprintf("diff --git a%[1]s%[2]s b%[1]s%[2]s\n--- a%[1]s%[2]s\n+++ b%[1]s%[2]s\n@@ -%[3]d,%[4]d +%[3]d,%[4]d @@\n%[5]s", slash, path, from+1, n, body)
		}
		field := []string{"input", "patch", "diff", "x", "patch_text"}[rnd.IntN(5)]
		var input any = map[string]any{field: text}
		if rnd.IntN(3) == 0 {
			input = map[string]any{"args": []any{map[string]any{"note": "n", field: text}}}
		}
		id := fmt.Sprintf("c%d", seed)
		raw, _ := json.Marshal(input)
		call := map[string]any{"title": "apply_patch: " + string(raw[:min(len(raw), 60)]), "kind": []string{"other", "edit"}[rnd.IntN(2)], "rawInput": input}
		r.steps(t, always("no"), shows([]string{"tool_call", "tool_call_update"}[rnd.IntN(2)], id, "pending", call), asksFor(id, call))
		r.st.now(func(v *seen) {
			c := v.call(id)
			if c.Title != "Edit "+name || len(c.Content) != 1 || c.Content[0].OldText != old || c.Content[0].NewText != want || c.Content[0].Path != r.path(name) {
				t.Fatalf("seed %d: %s\n%s\ngot %+v\nwant %q", seed, c.Title, text, c.Content, want)
			}
		})
		if err := os.Remove(r.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

//go:build linux

package systemtest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"weft/backend/api/service/permissions"
	fakemodel "weft/backend/llm/llmtest/scripted"
	stored "weft/backend/store/permissions"
)

var updateModes = flag.Bool("update", false, "write docs/modes.md as it is observed")

const modesFile = "../../docs/modes.md"

// way is one way on which an agent gets something done.
type way struct {
	name string
	// rule is what a rule about it would name.
	rule stored.Rule
	// does has it done once, in a space of that mode, and returns the questions about it and whether it was done.
	does func(t testing.TB, mode string) (asked int, done bool)
}

// TestModesTable tries each way in each mode, without rules, with one that allows it and with one that rejects it, and compares docs/modes.md.
func TestModesTable(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"order.json": `{"name":"order","description":"Orders.","inputSchema":{"type":"object"},"execution":{"mode":"command","command":"/bin/true"}}`,
	})
	a := launch(t, home)
	editor, server := a.model(t, "Editor")
	r := a.scripted(t, "steps")
	trusting := a.scripted(t, "steps")
	trusting.choose(t, "mode", `"acceptEdits"`)
	guide := a.enter(t, t.TempDir(), "guide")
	t.Cleanup(guide.st.close)
	c := a.crew(t, "Ann", "Ben")
	origin, target := c.space(t, "rules", "Ann"), c.space(t, "rules", "Ann", "Ben")
	n := 0
	// run has steps done, of which the last one says whether it was done; of those that ask about the same thing, each question counts.
	run := func(r *room, list ...step) func(testing.TB, string) (int, bool) {
		return func(t testing.TB, mode string) (int, bool) {
			t.Helper()
			r.mode(t, mode)
			r.put(t, "f.txt", "old\n")
			told, asked := r.steps(t, always("yes"), list...)
			_, last, _ := strings.Cut(told[len(told)-1], " ")
			return len(asked), strings.HasPrefix(last, "done") || last == "allowed"
		}
	}
	edit := stored.Rule{Kind: "edit", Path: "**"}
	touch := stored.Rule{Command: "touch x"}
	read := stored.Rule{Kind: "read", Path: "**"}
	then := func(s step) step { s.If = true; return s }
	ways := []way{
		{"The agent's own request: an edit", edit, run(r, asksFor("t", changing("f.txt", "old\n", "new\n")))},
		{"The agent's own request: a command", touch, run(r, asksFor("t", runsCommand("touch x")))},
		{"`fs/read_text_file`", read, run(r, reads("f.txt"))},
		{"`fs/read_text_file`, the same file again", read, run(r, reads("f.txt"), then(reads("f.txt")))},
		{"`fs/write_text_file`", edit, run(r, writes("f.txt", "new\n"))},
		{"`fs/write_text_file`, of the text that the file has", edit, run(r, writes("f.txt", "old\n"))},
		{"`fs/write_text_file`, after its own request", edit, run(r, asksFor("t", changing("f.txt", "old\n", "new\n")), then(writes("f.txt", "new\n")))},
		{"`fs/write_text_file`, in a mode of the agent that accepts edits and that the user chose", edit, run(trusting, writes("f.txt", "new\n"))},
		{"`terminal/create`", touch, run(r, starts("touch", "x"))},
		{"`terminal/create`, after its own request", touch, run(r, asksFor("t", runsCommand("touch x")), then(starts("touch", "x")))},
		{"Gateway: a display", stored.Rule{}, func(t testing.TB, mode string) (int, bool) {
			n++
			id := fmt.Sprint("g", n)
			return run(r, named(id, "mcp__weft__showCard"), then(showsCard(r.id)))(t, mode)
		}},
		{"Gateway: a tool of the user's that acts", stored.Rule{Tool: "order"}, run(r, step{Tool: "order"})},
		{"Built-in agent: find a file and read it", read, func(t testing.TB, mode string) (int, bool) {
			guide.mode(t, mode)
			guide.put(t, "f.txt", "SECRETWORD\n")
			guide.st.reset()
			guide.send(t, "read f.txt")
			asked := guide.answering(t, always("yes"))
			text := ""
			guide.st.now(func(v *seen) { text = jsonOf(v.message()) })
			return len(asked), strings.Contains(text, "SECRETWORD")
		}},
		{"Built-in agent: find a file, read and edit it", edit, func(t testing.TB, mode string) (int, bool) {
			editor.mode(t, mode)
			path := editor.put(t, "f.txt", "old\n")
			editor.st.reset()
			server.Add(
				fakemodel.Step{Calls: []fakemodel.Call{calling("glob", map[string]any{"pattern": "f.txt"})}},
				fakemodel.Step{Calls: []fakemodel.Call{calling("read", map[string]any{"path": "f.txt"})}},
				fakemodel.Step{Calls: []fakemodel.Call{calling("edit", map[string]any{"path": "f.txt", "old_string": "old", "new_string": "new"})}},
				fakemodel.Step{Text: "That is all."},
			)
			editor.send(t, "go")
			asked := editor.answering(t, always("yes"))
			text, _ := os.ReadFile(path)
			return len(asked), string(text) == "new\n"
		}},
		{"Mention, in a space with the default mode: the other agent's write", edit, func(t testing.TB, mode string) (int, bool) {
			origin.mode(t, mode)
			target.put(t, "f.txt", "old\n")
			target.st.reset()
			origin.st.reset()
			origin.send(t, jsonOf([]step{mentions(target.id, "Ben", writes("f.txt", "new\n"))}))
			asked := target.answering(t, always("yes"))
			told := c.heard(t, "Ben")
			c.heard(t, "Ann")
			origin.ended(t, "end_turn")
			return len(asked), strings.HasPrefix(told[0], "0 done")
		}},
	}
	var b strings.Builder
	b.WriteString(modesHead)
	for _, w := range ways {
		b.WriteString("| " + w.name + " |")
		for _, mode := range []string{"ask", "rules", "read-only"} {
			b.WriteString(" " + a.cell(t, &w, mode) + " |")
		}
		b.WriteString("\n")
	}
	if *updateModes {
		if err := os.WriteFile(modesFile, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(modesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("docs/modes.md says something else than what was observed (write it with -update):\n%s", b.String())
	}
}

const modesHead = `# What each mode means

This table says which actions of agents a space allows, asks about or rejects. A test writes it (` + "`go test ./backend/systemtest -run TestModesTable -update`" + `): it performs each action in a
running Weft without a rule, with an allow rule and with a reject rule, and its user allows everything. Finding, reading and editing a file are separate
calls. [Decision 0017](decisions/0017-who-is-asked.md) gives the reasons.

| What the agent does | ask | rules (default) | read-only |
| --- | --- | --- | --- |
`

// cell says what was observed of a way in a mode.
func (a *app) cell(t testing.TB, w *way, mode string) string {
	t.Helper()
	observe := func(effect string) string {
		if effect != "" {
			rule := w.rule
			rule.Effect = effect
			for _, id := range a.rule(t, rule) {
				defer a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: id}, nil)
			}
		}
		asked, done := w.does(t, mode)
		said := "asked"
		switch {
		case asked == 0 && done:
			return "done"
		case asked == 0:
			return "rejected"
		case asked > 1:
			said = fmt.Sprintf("asked %d times", asked)
		}
		if !done {
			said += ", then rejected"
		}
		return said
	}
	plain := observe("")
	if w.rule == (stored.Rule{}) {
		return plain
	}
	allow, reject := observe("allow"), observe("reject")
	if allow != plain {
		plain += "; with a rule: " + allow
	}
	if reject != plain {
		plain += "; with a reject rule: " + reject
	}
	return plain
}

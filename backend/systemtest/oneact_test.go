//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/backend/store/permissions"
)

// One act of an agent is one row and one question, in whatever form the agent announces it, asks about it and has Weft do it.

// acts are the rows of the last message: of each its status, its summary or error, how many times it was asked about, and its terminals.
func (v *seen) acts() (list []string) {
	for _, s := range v.message().Segments {
		for _, it := range s.Items {
			c := it.Call
			if c == nil {
				continue
			}
			line := string(c.Status)
			if said, _, _ := strings.Cut(c.Summary, ","); said+c.Error != "" {
				line += " " + said + c.Error
			}
			asked := 0
			for _, p := range c.Permissions {
				if p.By == nil {
					asked++
				}
			}
			list = append(list, fmt.Sprintf("%s, asked %d, terminals %d", line, asked, len(c.Terminals)))
		}
	}
	return list
}

// waitsFor waits until the terminal that was made last has ended, as agents do.
func waitsForExit() []step {
	id := map[string]any{"terminalId": lastTerminal}
	return []step{{Method: "terminal/wait_for_exit", Params: id}, {Method: "terminal/output", Params: id}, {Method: "terminal/release", Params: id}}
}

// startsWith is a command with variables, in a folder.
func startsWith(cwd string, env map[string]string, command string, args ...string) step {
	s := starts(command, args...)
	if cwd != "" {
		s.Params["cwd"] = cwd
	}
	var list []any
	for name, value := range env {
		list = append(list, map[string]string{"name": name, "value": value})
	}
	s.Params["env"] = list
	return s
}

func text(texts ...string) []any {
	var list []any
	for _, one := range texts {
		list = append(list, map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": one}})
	}
	return list
}

func inTerminal() map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "terminal", "terminalId": lastTerminal}}}
}

// writesArguments shows a call as kimi does: its arguments grow as a text of its content.
func writesArguments(id, tool, kind string, args any) (list []step) {
	raw, _ := json.Marshal(args)
	list = append(list, announces(id, map[string]any{"title": tool, "kind": kind, "content": text("")}))
	for n := 5; n < len(raw)+9; n += 9 {
		list = append(list, shows("tool_call_update", id, "in_progress", map[string]any{"content": text(string(raw[:min(n, len(raw))]))}))
	}
	return list
}

// actsOf runs the steps in a space and returns what was asked and what is shown.
func (r *room) actsOf(t testing.TB, answer answerer, list ...step) (rows, asked []string) {
	t.Helper()
	_, asked = r.steps(t, answer, list...)
	r.st.now(func(v *seen) { rows = v.acts() })
	return rows, asked
}

// TestOneWriteIsOneRow: a file that is written is one row and one question.
func TestOneWriteIsOneRow(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const old, now = "1\n2\n3\n4\n5\n6\n", "1\n2\nthree\n4\nfive\n6\nseven\n"
	const done = "completed +3 −2 in f.txt, asked 1, terminals 0"
	given := func(path string) map[string]any {
		return map[string]any{"kind": "edit", "title": "Write", "rawInput": map[string]any{"path": path, "content": now}, "content": text("Writing")}
	}
	said := func(s string) map[string]any { return map[string]any{"content": text(s)} }
	for name, c := range map[string]struct {
		mode, answer string
		steps        func(f string) []step
		rows         []string // done alone, if nil
		asked        int      // 1 if rows is nil
	}{
		"asked, then written by itself and through Weft": {steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), asksFor("c", changing(f, old, now)), writesItself(f, now), writes(f, now), completes("c")}
		}},
		"asked, then written through Weft and by itself": {steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), asksFor("c", changing(f, old, now)), writes(f, now), writesItself(f, now), completes("c")}
		}},
		"asked about a part, then written by itself and through Weft": {steps: func(f string) []step {
			part := changing(f, "3\n4\n5\n6\n", "three\n4\nfive\n6\nseven\n")
			return []step{announces("c", part), asksFor("c", part), writesItself(f, now), writes(f, now), completes("c")}
		}},
		"the call ends before Weft writes": {steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), asksFor("c", changing(f, old, now)), writesItself(f, now), completes("c"), writes(f, now)}
		}},
		"with another newline at its end": {steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), asksFor("c", changing(f, old, now)), writesItself(f, now), writes(f, strings.TrimSuffix(now, "\n")), completes("c")}
		}},
		"by itself, then through Weft, and nobody is asked": {asked: 0, rows: []string{"completed +3 −2 in f.txt, asked 0, terminals 0"}, steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), writesItself(f, now), writes(f, now), completes("c")}
		}},
		"through Weft twice": {steps: func(f string) []step {
			return []step{announces("c", given(f)), writes(f, now), writes(f, now), completes("c")}
		}},
		"through Weft twice at once": {steps: func(f string) []step {
			one := writes(f, now)
			one.Behind = true
			return []step{announces("c", given(f)), one, writes(f, now), completes("c")}
		}},
		"with its text among the arguments": {steps: func(f string) []step {
			return []step{announces("c", given(f)), writes(f, now), shows("tool_call_update", "c", "completed", said("Wrote 24 bytes"))}
		}},
		"with its text among the arguments, asked first": {steps: func(f string) []step {
			return []step{announces("c", given(f)), asksFor("c", given(f)), writes(f, now), shows("tool_call_update", "c", "completed", said("Wrote 24 bytes"))}
		}},
		"with its arguments as a text that grows": {steps: func(f string) []step {
			return slices.Concat(writesArguments("c", "Write", "edit", map[string]any{"path": f, "content": now}), []step{writes(f, now), shows("tool_call_update", "c", "completed", said("Wrote"))})
		}},
		"with a location only": {steps: func(f string) []step {
			return []step{announces("c", map[string]any{"kind": "edit", "title": "Write file", "locations": []any{map[string]any{"path": f}}}), writes(f, now), completes("c")}
		}},
		"with a title only": {steps: func(f string) []step {
			return []step{announces("c", map[string]any{"kind": "edit", "title": "Write f.txt"}), writes(f, now), completes("c")}
		}},
		"with a kind only": {steps: func(f string) []step {
			return []step{announces("c", map[string]any{"kind": "edit", "title": "write"}), writes(f, now), completes("c")}
		}},
		"of a kind that nobody knows": {steps: func(f string) []step {
			return []step{announces("c", map[string]any{"kind": "other", "title": "write_file", "rawInput": map[string]any{"file_path": f, "content": now}}), writes(f, now), completes("c")}
		}},
		"beside another call": {rows: []string{done, "completed +7 −0 in f.txtx, asked 0, terminals 0"}, asked: 1, steps: func(f string) []step {
			return []step{announces("c", given(f)), announces("d", map[string]any{"kind": "edit", "title": "Write", "rawInput": map[string]any{"path": f + "x", "content": now}}), writes(f, now), completes("c"), shows("tool_call_update", "d", "completed", nil)}
		}},
		"shown after Weft has written it": {steps: func(f string) []step {
			return []step{writes(f, now), announces("c", given(f)), completes("c")}
		}},
		"shown after Weft has written it, in one message": {steps: func(f string) []step {
			return []step{writes(f, now), shows("tool_call", "c", "completed", changing(f, old, now))}
		}},
		"not shown at all": {steps: func(f string) []step { return []step{writes(f, now)} }},
		"asked under another id": {steps: func(f string) []step {
			return []step{asksFor("q", changing(f, old, now)), announces("c", changing(f, old, now)), writes(f, now), completes("c")}
		}},
		"asked under another id, by its arguments": {steps: func(f string) []step {
			return []step{asksFor("q", given(f)), announces("c", given(f)), writes(f, now), completes("c")}
		}},
		"asked about and never shown": {steps: func(f string) []step { return []step{asksFor("q", changing(f, old, now)), writes(f, now)} }},
		"asked after Weft has written it": {steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), writes(f, now), asksFor("c", changing(f, old, now)), completes("c")}
		}},
		"asked after Weft has written it, under another id": {steps: func(f string) []step {
			return []step{writes(f, now), asksFor("q", changing(f, old, now)), announces("q", changing(f, old, now)), completes("q")}
		}},
		"asked while Weft waits to write it": {steps: func(f string) []step {
			one := writes(f, now)
			one.Behind = true
			return []step{announces("c", changing(f, old, now)), one, asksFor("c", changing(f, old, now)), completes("c")}
		}},
		"written while the question is open": {steps: func(f string) []step {
			one := asksFor("c", changing(f, old, now))
			one.Behind = true
			return []step{announces("c", changing(f, old, now)), one, writes(f, now), completes("c")}
		}},
		"refused": {answer: "no", rows: []string{"rejected, asked 1, terminals 0"}, asked: 1, steps: func(f string) []step {
			return []step{announces("c", changing(f, old, now)), asksFor("c", changing(f, old, now)), writes(f, now), shows("tool_call_update", "c", "failed", said("The user rejected it."))}
		}},
		"refused at Weft": {answer: "no", rows: []string{"rejected, asked 1, terminals 0"}, asked: 1, steps: func(f string) []step {
			return []step{announces("c", given(f)), writes(f, now), shows("tool_call_update", "c", "failed", said("The user rejected it."))}
		}},
		"refused and not shown": {answer: "no", rows: []string{"rejected, asked 1, terminals 0"}, asked: 1, steps: func(f string) []step {
			return []step{writes(f, now)}
		}},
		"two texts, one after the other": {rows: []string{"completed +1 −6 in f.txt, asked 1, terminals 0", "completed +1 −1 in f.txt, asked 1, terminals 0"}, asked: 2, steps: func(f string) []step {
			one, two := changing(f, old, "a\n"), changing(f, "a\n", "b\n")
			return []step{announces("c", one), writes(f, "a\n"), completes("c"), announces("d", two), writes(f, "b\n"), shows("tool_call_update", "d", "completed", nil)}
		}},
		"the same text once more, when it has changed": {rows: []string{"completed +1 −6 in f.txt, asked 1, terminals 0", "completed +1 −1 in f.txt, asked 1, terminals 0"}, asked: 2, steps: func(f string) []step {
			return []step{announces("c", changing(f, old, "a\n")), writes(f, "a\n"), completes("c"), writesItself(f, "b\n"), announces("d", changing(f, "b\n", "a\n")), writes(f, "a\n"), shows("tool_call_update", "d", "completed", nil)}
		}},
	} {
		for _, mode := range []string{"rules", "ask"} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				r := a.scripted(t, "steps", name, mode)
				r.mode(t, mode)
				f := r.path("f.txt")
				if err := os.WriteFile(f, []byte(old), 0o600); err != nil {
					t.Fatal(err)
				}
				want, n := c.rows, c.asked
				if want == nil {
					want, n = []string{done}, 1
				}
				said := c.answer
				if said == "" {
					said = "yes"
				}
				rows, asked := r.actsOf(t, always(said), c.steps(f)...)
				if !slices.Equal(rows, want) || len(asked) != n {
					t.Errorf("asked %q, and %d rows:\n%s\nwant\n%s", asked, len(rows), strings.Join(rows, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// TestOneCommandIsOneRow: a command that runs is one row and one question, whatever the agent puts around it.
func TestOneCommandIsOneRow(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const line = "echo one && echo two"
	const ran = "completed exit code 0: one · 2 lines in all, asked 1, terminals 1"
	command := map[string]any{"command": line}
	shown := map[string]any{"kind": "execute", "title": "Bash", "rawInput": command}
	end := func(id string) []step {
		return append(waitsForExit(), shows("tool_call_update", id, "completed", inTerminal()))
	}
	ended := func(id string) []step { return append(waitsForExit(), shows("tool_call_update", id, "completed", nil)) }
	inFolder := func(r *room) step {
		env := map[string]string{"NO_COLOR": "1", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0", "SHELL": "/bin/bash"}
		return startsWith(r.path(""), env, "/bin/bash", "-c", "cd '"+strings.TrimSuffix(r.path(""), "/")+"' && "+line)
	}
	for name, c := range map[string]struct {
		answer string
		steps  func(r *room) []step
		rows   []string // ran alone, if nil
		asked  int
	}{
		"plain": {steps: func(*room) []step {
			return append([]step{announces("c", shown), starts(line)}, end("c")...)
		}},
		"in a shell": {steps: func(*room) []step {
			return append([]step{announces("c", shown), starts("bash", "-lc", line)}, end("c")...)
		}},
		"in its folder, with variables": {steps: func(r *room) []step {
			return append([]step{announces("c", shown), inFolder(r)}, end("c")...)
		}},
		"in its folder, asked first": {steps: func(r *room) []step {
			return append([]step{announces("c", shown), asksFor("c", shown), inFolder(r)}, end("c")...)
		}},
		"asked in words, with its arguments as a text that grows": {steps: func(r *room) []step {
			return slices.Concat(writesArguments("c", "Bash", "execute", command),
				[]step{
					asksFor("c", map[string]any{"title": "Bash", "content": text("Requesting approval to Running: " + line)}),
					shows("tool_call_update", "c", "in_progress", map[string]any{"title": "Running: " + line, "kind": "execute", "rawInput": command, "content": text(jsonOf(command))}), inFolder(r),
					shows("tool_call_update", "c", "in_progress", inTerminal()),
				}, end("c"))
		}},
		"asked in words only": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"title": "Bash", "kind": "execute"}), asksFor("c", map[string]any{"title": "Bash", "content": text("Requesting approval to Running: " + line)}), inFolder(r)}, end("c")...)
		}},
		"asked in words only, and never shown": {steps: func(r *room) []step {
			return slices.Concat([]step{asksFor("c", map[string]any{"title": "Running: " + line, "kind": "execute"}), inFolder(r)}, waitsForExit())
		}},
		"asked with the command in quotes": {steps: func(r *room) []step {
			return append([]step{asksFor("c", map[string]any{"title": "Run `" + line + "`", "kind": "execute"}), announces("c", map[string]any{"title": "`" + line + "`", "kind": "execute"}), starts("sh", "-c", line)}, end("c")...)
		}},
		"with its title only": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"title": line, "kind": "execute"}), inFolder(r)}, end("c")...)
		}},
		"with a title that is cut": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"title": "Running: echo one && ec…", "kind": "execute"}), inFolder(r)}, end("c")...)
		}},
		"with a kind only": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"title": "Bash", "kind": "execute"}), inFolder(r)}, end("c")...)
		}},
		"with a list of words": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"kind": "execute", "rawInput": map[string]any{"command": []string{"bash", "-lc", line}}}), inFolder(r)}, end("c")...)
		}},
		"in a list of commands": {steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"kind": "execute", "rawInput": map[string]any{"commands": []string{line}}}), inFolder(r)}, end("c")...)
		}},
		"with more around it": {steps: func(r *room) []step {
			return append([]step{announces("c", shown), starts("bash", "-c", "set -e; ( "+line+" )")}, end("c")...)
		}},
		"with a variable that matters": {steps: func(r *room) []step {
			return append([]step{announces("c", shown), startsWith("", map[string]string{"FOO": "bar"}, line)}, end("c")...)
		}},
		"in a terminal that the call never names": {steps: func(r *room) []step {
			return append([]step{announces("c", shown), inFolder(r)}, ended("c")...)
		}},
		"shown when it runs": {steps: func(r *room) []step {
			return append([]step{inFolder(r), announces("c", shown)}, end("c")...)
		}},
		"shown by its terminal": {steps: func(r *room) []step {
			return append([]step{inFolder(r), announces("c", map[string]any{"kind": "execute", "title": "Terminal", "content": inTerminal()["content"]})}, end("c")...)
		}},
		"shown when it has run": {steps: func(r *room) []step {
			return slices.Concat([]step{inFolder(r)}, waitsForExit(), []step{shows("tool_call", "c", "completed", shown)})
		}},
		"not shown at all": {steps: func(r *room) []step { return append([]step{inFolder(r)}, waitsForExit()...) }},
		"asked under another id": {steps: func(r *room) []step {
			return append([]step{asksFor("q", shown), announces("c", shown), inFolder(r)}, end("c")...)
		}},
		"asked after it has run": {steps: func(r *room) []step {
			return slices.Concat([]step{announces("c", shown), inFolder(r)}, waitsForExit(), []step{asksFor("c", shown), shows("tool_call_update", "c", "completed", inTerminal())})
		}},
		"run while the question is open": {steps: func(r *room) []step {
			one := asksFor("c", shown)
			one.Behind = true
			return append([]step{announces("c", shown), one, inFolder(r)}, end("c")...)
		}},
		"refused": {answer: "no", rows: []string{"rejected, asked 1, terminals 0"}, asked: 1, steps: func(r *room) []step {
			return []step{announces("c", shown), asksFor("c", shown), inFolder(r), shows("tool_call_update", "c", "failed", map[string]any{"content": text("The user refused.")})}
		}},
		"refused at Weft": {answer: "no", rows: []string{"rejected, asked 1, terminals 0"}, asked: 1, steps: func(r *room) []step {
			return []step{announces("c", shown), inFolder(r), shows("tool_call_update", "c", "failed", map[string]any{"content": text("The user refused.")})}
		}},
		"two at once": {rows: []string{ran, ran}, asked: 2, steps: func(r *room) []step {
			two := map[string]any{"kind": "execute", "title": "Bash", "rawInput": map[string]any{"command": line}}
			return slices.Concat([]step{announces("c", shown), announces("d", two), inFolder(r)}, end("c"), []step{inFolder(r)}, end("d"))
		}},
		"another command than the one asked about": {rows: []string{"completed no output, asked 1, terminals 0", "completed exit code 0: three, asked 1, terminals 1"}, asked: 2, steps: func(r *room) []step {
			return append([]step{announces("c", map[string]any{"title": "Bash", "kind": "execute"}), asksFor("c", map[string]any{"title": "Bash", "content": text("Requesting approval to Running: true")}), starts("echo three")}, end("c")...)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", name)
			want, n := c.rows, c.asked
			if want == nil {
				want, n = []string{ran}, 1
			}
			said := c.answer
			if said == "" {
				said = "yes"
			}
			rows, asked := r.actsOf(t, always(said), c.steps(r)...)
			if !slices.Equal(rows, want) || len(asked) != n {
				t.Errorf("asked %q, and %d rows:\n%s\nwant\n%s", asked, len(rows), strings.Join(rows, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// What an agent like kimi would do stands only in the content of its call, as a text that grows; its request names the call without arguments. The card
// shows what will run, and rules decide about it.
func TestRequestAboutArgumentsThatGrowIsRead(t *testing.T) {
	t.Parallel()
	const line = "echo one && echo two"
	list := append(writesArguments("c", "Bash", "execute", map[string]any{"command": line}), asksFor("c", map[string]any{"title": "Bash", "content": text("Requesting approval to run it…")}))
	a := launch(t, t.TempDir())
	for _, c := range []struct {
		effect, told string
		asked        int
	}{{"", "0 allowed", 1}, {"allow", "0 allowed", 0}, {"reject", "0 rejected", 0}} {
		r := a.scripted(t, "steps", c.effect)
		if c.effect != "" {
			a.rule(t, permissions.Rule{Effect: c.effect, Command: "echo"})
		}
		told, asked := r.steps(t, always("yes"), list...)
		if len(asked) != c.asked || len(told) != 1 || !strings.HasSuffix(told[0], strings.TrimPrefix(c.told, "0")) {
			t.Errorf("with the rule %q: asked %q, told %q", c.effect, asked, told)
		}
		r.st.now(func(v *seen) {
			for _, p := range v.call("c").Permissions {
				if got := string(p.Reading); !strings.Contains(got, `"commands":[{"line":"`+strings.ReplaceAll(line, "&", `\u0026`)) && !strings.Contains(got, `"commands":[{"line":"`+line) {
					t.Errorf("the request is read as %s", got)
				}
			}
		})
	}
}

// A message to another space is shown while its text grows in the content of the agent's call, as kimi's does, without the model proxy.
func TestMessageThatGrowsInItsCallStreams(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	to := a.reenter(t, r.folder, a.like(t, r).ID)
	args := map[string]any{"spaceId": to.id, "text": "The first half. And the rest of it."}
	grown := func(s string) step {
		return shows("tool_call_update", "m", "in_progress", map[string]any{"content": text(s)})
	}
	begun := `{"spaceId":` + quote(to.id) + `,"text":"The first half. `
	raw, err := json.Marshal([]step{
		announces("m", map[string]any{"title": "mcp__weft__sendSpaceMessage", "kind": "other", "content": text("")}),
		grown(begun[:9]), grown(begun), asksFor("wait", runsCommand("true")), grown(begun + `And the rest of it."}`),
		{Tool: "sendSpaceMessage", Args: args},
		shows("tool_call_update", "m", "completed", nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	to.st.reset()
	r.st.reset()
	r.send(t, string(raw))
	to.st.until(t, "the first half", func(v *seen) bool { return v.message().Content() == "The first half. " })
	r.answering(t, always("yes"))
	to.st.until(t, "the end of the message", func(v *seen) bool { return v.message().EndedAt > 0 })
	if got := to.agentText(); got != args["text"] {
		t.Errorf("in the other space stands %q", got)
	}
}

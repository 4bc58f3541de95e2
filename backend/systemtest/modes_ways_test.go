//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/spaces"
	stored "weft/backend/store/permissions"
)

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func showsCard(space string) step {
	return step{Tool: "showCard", Args: map[string]any{"title": "A card", "targetSpaceId": space}}
}

// named is a request for a tool of that name, as agents ask before they call one.
func named(id, title string, more ...any) step {
	call := map[string]any{"title": title, "kind": "other", "rawInput": map[string]any{"title": "A card"}}
	for i := 0; i+1 < len(more); i += 2 {
		call[more[i].(string)] = more[i+1]
	}
	return asksFor(id, call)
}

// The name of one of Weft's own tools allows nothing by itself: not that of another server's tool, nor with anything else in the request.
func TestNamesOfOwnToolsProveNothing(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	deaf := a.scripted(t, "steps", "deaf")
	for _, mode := range []string{"rules", "ask", "read-only"} {
		r.mode(t, mode)
		deaf.mode(t, mode)
		for _, hostile := range []step{
			named("h", "mcp__evil__showCard"), named("h", "evil/sendSpaceMessage"), named("h", "showCard"), named("h", "evil_showCard"), named("h", "mcp__weft__showCard__x"),
			named("h", "showCard (weft MCP Server) (evil MCP Server)"), named("h", "showCard (evil MCP Server)"), named("h", "weft_showCard(){ rm -rf x; };weft_showCard"),
			named("h", "mcp__weft__showCard", "rawInput", map[string]any{"command": "rm -rf x"}),
			named("h", "mcp__weft__showCard", "rawInput", map[string]any{"title": "x", "file_path": "/etc/passwd"}),
			named("h", "mcp__weft__showCard", "rawInput", []any{"rm"}),
			named("h", "mcp__weft__showCard", "content", changing("f.txt", "", "x")["content"]), named("h", "mcp__weft__showCard", "locations", []any{map[string]any{"path": "f.txt"}}),
			named("h", "weft_showCard", "kind", "execute", "rawInput", nil), named("h", "weft_showCard", "kind", "edit", "rawInput", map[string]any{}),
			named("h", "mcp__weft__noSuchTool"), named("h", "mcp__weft__showCard", "name", "bash"),
		} {
			told, asked := r.steps(t, always("no"), hostile)
			// What would change something is refused in a read-only space, and nobody is asked.
			if what := jsonOf(hostile.Params); len(told) != 1 || told[0] != "0 rejected" || len(asked) != 1 && mode != "read-only" {
				t.Errorf("%s: %s: told %q, asked %q", mode, what, told, asked)
			}
		}
		if told, asked := deaf.steps(t, always("no"), named("d", "mcp__weft__showCard")); len(asked) != 1 || told[0] != "0 rejected" {
			t.Errorf("%s: an agent without the gateway: told %q, asked %q", mode, told, asked)
		}
	}
	for _, line := range a.history(t, permissions.HistoryRequest{SpaceID: r.id}) {
		if strings.Contains(line, "allowed") {
			t.Errorf("the history has %q", line)
		}
	}
}

// Displays and messages never ask, whatever an agent says about them, and each is in the history.
func TestDisplaysNeverAsk(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	diff := map[string]any{"path": "src/a.go", "oldText": "a\n", "newText": "b\n", "targetSpaceId": r.id}
	with := func(name string, value any) map[string]any {
		more := maps.Clone(diff)
		more[name] = value
		return more
	}
	n := 0
	for _, mode := range []string{"rules", "ask", "read-only"} {
		r.mode(t, mode)
		for _, one := range []struct {
			tool, as, kind string
			args           map[string]any
		}{
			{"showDiff", "mcp__weft__showDiff", "other", diff},
			{"showDiff", "weft_showDiff", "edit", diff},
			{"showDiff", "showDiff (weft MCP Server)", "execute", diff},
			{"showDiff", "weft_showDiff", "edit", with("title", "What I would change")},
			{"showDiff", "weft_showDiff", "edit", with("path", "./src/a.go")},
			{"showDiff", "weft_showDiff", "edit", with("path", r.path("src/a.go"))},
			{"showCard", "weft/showCard", "delete", map[string]any{"title": "x", "targetSpaceId": r.id}},
			{"listSpaces", "weft.listSpaces", "search", map[string]any{}},
			{"getMyRuns", "Tool: weft/getMyRuns", "read", nil},
			{"readSpaceMessages", "mcp__weft__readSpaceMessages", "read", map[string]any{"spaceId": r.id}},
			{"sendSpaceMessage", "mcp__weft__sendSpaceMessage", "other", map[string]any{"spaceId": r.id, "text": "hello"}},
		} {
			n++
			id := fmt.Sprint("t", n)
			call := map[string]any{"title": one.as, "kind": one.kind}
			if one.tool == "showDiff" && one.kind == "edit" { // some agents draw what looks like an edit as one
				call["locations"] = []any{map[string]any{"path": r.path("src/a.go")}}
				call["content"] = []any{map[string]any{"type": "diff", "path": r.path("src/a.go"), "oldText": "a\n", "newText": "b\n"}}
			}
			if one.args != nil {
				call["rawInput"] = one.args
			}
			told, asked := r.steps(t, always("no"), asksFor(id, call), step{Tool: one.tool, Args: one.args},
				step{Update: map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"}})
			if len(asked) != 0 || len(told) != 2 || told[0] != "0 allowed" || !strings.HasPrefix(told[1], "1 done") {
				t.Errorf("%s: %s as %q, %s: told %q, asked %q", mode, one.tool, one.as, one.kind, told, asked)
			}
		}
	}
	h := a.history(t, permissions.HistoryRequest{SpaceID: r.id, Limit: 500})
	if len(h) != n {
		t.Errorf("the history has %d entries for %d calls", len(h), n)
	}
	for _, line := range h {
		if !strings.Contains(line, "allowed by own") {
			t.Errorf("the history has %q", line)
		}
	}
	r.kept(t)
}

// A call that was allowed as one of Weft's own and then has not arrived is told, and names don't count from then on.
func TestMissingCallOfAnOwnToolIsReported(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	done := func(id string) step {
		return step{Update: map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"}}
	}
	told, asked := r.steps(t, always("no"), named("t1", "mcp__weft__showCard"), showsCard(r.id), done("t1"),
		named("t2", "mcp__weft__showCard"), done("t2"), named("t3", "mcp__weft__showCard"))
	starting(t, "the calls", told, "0 allowed", "1 done", "3 allowed", "5 rejected")
	if len(asked) != 1 {
		t.Errorf("asked about %q", asked)
	}
	r.st.until(t, "the space is told", func(v *seen) bool {
		return strings.Contains(jsonOf(v.message()), "no such call reached Weft")
	})
	if h := strings.Join(a.history(t, permissions.HistoryRequest{SpaceID: r.id}), "\n"); !strings.Contains(h, "showCard: lost by own") {
		t.Errorf("the history has\n%s", h)
	}
}

// crew is spaces of one folder, with steps agents by their names.
type crew struct {
	*app
	dir    string
	agents map[string]string
	ctls   map[string]*control
}

func (a *app) crew(t testing.TB, names ...string) crew {
	t.Helper()
	c := crew{app: a, dir: t.TempDir(), agents: map[string]string{}, ctls: map[string]*control{}}
	for _, name := range names {
		ctl := listen(t)
		c.ctls[name] = ctl
		c.agents[name] = a.custom(t, "Agent "+name, scriptedProgram, map[string]string{controlVariable: ctl.l.Addr().String()}, "scripted", "steps")
	}
	return c
}

func (c crew) space(t testing.TB, mode string, names ...string) *room {
	t.Helper()
	var team []spaces.MemberInput
	for _, name := range names {
		team = append(team, spaces.MemberInput{Name: name, AgentID: c.agents[name]})
	}
	var sp spaces.Space
	c.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: c.dir, Title: mode, Members: team}, &sp)
	r := c.reenter(t, c.dir, sp.ID)
	t.Cleanup(r.st.close)
	r.ctl = c.ctls[names[0]]
	r.mode(t, mode)
	return r
}

func mentions(space, name string, list ...step) step {
	return step{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": space, "text": jsonOf(list), "mention": name, "wait": true}}
}

// heard is what an agent told about its latest prompt.
func (c crew) heard(t testing.TB, name string) (told []string) {
	t.Helper()
	for line := c.ctls[name].hear(t); line != "over"; line = c.ctls[name].hear(t) {
		told = append(told, line)
	}
	return told
}

// memberNamed returns the id of a member of the space.
func (r *room) memberNamed(t testing.TB, name string) string {
	t.Helper()
	var list []spaces.Space
	r.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
	for i := range list {
		for _, m := range list[i].Members {
			if list[i].ID == r.id && m.Name == name {
				return m.ID
			}
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}

// What a space may not do, it cannot have another one do: the mode of the one that asks goes along, over any number of steps.
func TestReadOnlySpaceDoesNotActThroughAnother(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, stored.Rule{Effect: "allow", Path: "**", Kind: "edit"}, stored.Rule{Effect: "allow", Command: "touch ben.txt"}, stored.Rule{Effect: "allow", Command: "touch cid.txt"})
	c := a.crew(t, "Ann", "Ben", "Cid")
	from, to := c.space(t, "read-only", "Ann"), c.space(t, "rules", "Ann", "Ben", "Cid")
	further := mentions(to.id, "Cid", writes("cid.txt", "x"), starts("touch", "cid.txt"), asksFor("c", changing("cid.txt", "", "x")))
	told, _ := from.steps(t, always("yes"), mentions(to.id, "Ben", writes("ben.txt", "x"), starts("touch", "ben.txt"), asksFor("b", changing("ben.txt", "", "x")), further,
		step{Method: "fs/write_text_file", Params: map[string]any{"path": "late.txt", "content": "x"}, Late: true}))
	starting(t, "Ann", told, "0 done")
	starting(t, "Cid", c.heard(t, "Cid"), "0 error", "1 error", "2 rejected")
	starting(t, "Ben", c.heard(t, "Ben"), "0 error", "1 error", "2 rejected", "3 done", "4 error")
	for _, name := range []string{"ben.txt", "cid.txt", "late.txt"} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	to.st.until(t, "the space is told why", func(v *seen) bool {
		text := jsonOf(v.conv.Messages)
		return strings.Contains(text, "Read-only, because this was requested by Ann") && strings.Contains(text, "Read-only, because this was requested by Ben")
	})
	// The user's own prompt there is free again.
	to.ctl = c.ctls["Ben"]
	var res conversation.SendPromptResult
	ben := to.memberNamed(t, "Ben")
	to.st.reset()
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: to.id, Text: jsonOf([]step{writes("ben.txt", "x")}), To: []string{ben}}, &res)
	to.answering(t, always("no"))
	starting(t, "Ben, asked by the user", c.heard(t, "Ben"), "0 done")

	// A space that asks about everything has others ask, too.
	from.mode(t, "ask")
	to.st.reset()
	from.send(t, jsonOf([]step{mentions(to.id, "Ben", writes("asked.txt", "x"))}))
	if asked := to.answering(t, always("no")); len(asked) != 1 {
		t.Errorf("asked about %q", asked)
	}
	starting(t, "Ben, in a space that asks", c.heard(t, "Ben"), "0 error")
}

// An agent's mode in which it writes unasked counts if the user chose it, and not if the agent did.
func TestAgentModesCountIfTheUserChoseThem(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	do := func(what string, asked int, list ...step) {
		t.Helper()
		r.put(t, "f.txt", what)
		_, got := r.steps(t, always("yes"), list...)
		if len(got) != asked {
			t.Errorf("%s: asked about %q, want %d questions", what, got, asked)
		}
	}
	both := []step{writes("f.txt", "x"), starts("true")}
	do("no mode", 2, both...)
	do("the agent accepts edits by itself", 2, append([]step{{Mode: "acceptEdits"}}, both...)...)
	do("it calls itself yolo", 2, append([]step{{Mode: "yolo"}}, both...)...)
	r.choose(t, "mode", `"acceptEdits"`)
	do("the user accepts edits", 1, both...)
	do("but not of git", 2, writes(".git/config", "[core]\n"), writes("sub/.git/hooks/pre-commit", "x"))
	do("the agent goes on to yolo", 2, append([]step{{Mode: "yolo"}}, both...)...)
	r.choose(t, "mode", `"yolo"`)
	do("the user chose yolo", 0, both...)
	r.mode(t, "ask")
	do("a space that asks", 2, both...)
	r.mode(t, "rules")
	a.rule(t, stored.Rule{Effect: "reject", Command: "true"})
	if told, asked := r.steps(t, always("yes"), starts("true")); len(asked) != 0 || !strings.HasPrefix(told[0], "0 error") {
		t.Errorf("a rule that rejects: told %q, asked %q", told, asked)
	}
}

// An agent that asks for a thousand things at once is bounded, nothing hangs, and a stop ends it all.
func TestManyWishesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	var list []step
	for i := range 1000 {
		s := writes(fmt.Sprintf("f%d.txt", i), strings.Repeat("x", 100))
		s.Behind = true
		list = append(list, s)
	}
	r.st.reset()
	r.send(t, jsonOf(list))
	r.st.until(t, "as many questions as may be open", func(v *seen) bool { return len(v.asks) == 64 })
	r.allow(t, 0, "once")
	a.alive(t)
	r.stop(t)
	r.ended(t, "end_turn")
	written, err := filepath.Glob(filepath.Join(r.folder, "f*.txt"))
	if err != nil || len(written) != 1 {
		t.Errorf("%d files were written: %v", len(written), err)
	}
	r.st.now(func(v *seen) {
		if n := len(v.asks); n > 65 {
			t.Errorf("%d questions", n)
		}
	})
}

// The built-in agent sees nothing of what a rule rejects, whichever tool it looks with, and from the moment of the rule on.
func TestRejectRulesHoldForTheBuiltInAgent(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	dir := t.TempDir()
	r := a.enter(t, dir, "guide")
	t.Cleanup(r.st.close)
	r.put(t, "main.env", "SECRETWORD=1\n")
	r.put(t, "deep/other.env", "SECRETWORD=2\n")
	r.put(t, "plain.txt", "SECRETWORD is elsewhere\n")
	looks := func(visible bool) {
		t.Helper()
		for _, prompt := range []string{"find SECRETWORD", "read main.env", "find files named *.env", "list files", "explain main.env", "read deep/other.env lines 1-2"} {
			r.st.reset()
			r.turn(t, prompt, "end_turn")
			text := ""
			r.st.now(func(v *seen) { text = jsonOf(v.message()) })
			found := strings.Contains(text, "SECRETWORD=") || prompt == "find files named *.env" && strings.Contains(text, "other.env") || prompt == "list files" && strings.Contains(text, "main.env")
			if found != visible {
				t.Errorf("%q: sees it %v, want %v\n%.3000s", prompt, found, visible, text)
			}
		}
	}
	looks(true)
	ids := a.rule(t, stored.Rule{Effect: "reject", Path: "**/*.env"})
	looks(false)
	a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: ids[0]}, nil)
	looks(true)
	r.mode(t, "ask")
	r.st.reset()
	r.send(t, "read plain.txt")
	if asked := r.answering(t, always("no")); len(asked) != 1 {
		t.Errorf("a space that asks: asked about %q", asked)
	}
	r.st.now(func(v *seen) {
		if strings.Contains(jsonOf(v.message()), "is elsewhere") {
			t.Error("it was read all the same")
		}
	})
}

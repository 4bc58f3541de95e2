//go:build linux

package systemtest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/settings"
	"weft/backend/store/permissions"
)

// announces has an agent show a call that runs.
func announces(id string, call map[string]any) step {
	return shows("tool_call", id, "in_progress", call)
}

// completes has an agent say that a call has completed.
func completes(id string) step { return shows("tool_call_update", id, "completed", nil) }

func shows(what, id, status string, call map[string]any) step {
	update := map[string]any{"sessionUpdate": what, "toolCallId": id, "status": status}
	if what == "tool_call" {
		update["title"] = "Call " + id
	}
	for k, v := range call {
		update[k] = v
	}
	return step{Update: update}
}

// unasked waits until what was seen of a space's agent fits.
func (r *room) unasked(t *testing.T, what string, fits func(*agents.Unasked) bool) (got *agents.Unasked) {
	t.Helper()
	id := r.agentOf(t, r)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(timeout); ; <-tick.C {
		got = nil
		for _, agent := range r.agents(t) {
			if agent.ID == id {
				got = agent.Unasked
			}
		}
		if fits(got) {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: there is %+v", what, got)
		}
	}
}

func noticed(u *agents.Unasked) bool { return u != nil }

func TestActionsWithoutAskingAreNoticed(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, permissions.Rule{Effect: "allow", Command: "touch a.txt"})
	remove, list := runsCommand("rm -rf build"), runsCommand("ls")
	write := func(path string) map[string]any { return changing(path, "", "new") }
	once := func(call map[string]any) []step { return []step{announces("c", call), completes("c")} }
	for name, c := range map[string]struct {
		want  bool
		mode  string
		steps func(r *room) []step
	}{
		"a command":                   {true, "", func(*room) []step { return once(remove) }},
		"in one message":              {true, "", func(*room) []step { return []step{shows("tool_call", "c", "completed", remove)} }},
		"in a space that always asks": {true, "ask", func(*room) []step { return once(remove) }},
		"in a read-only space":        {true, "read-only", func(*room) []step { return once(remove) }},
		"a command in its title": {true, "", func(*room) []step {
			return once(map[string]any{"kind": "execute", "title": "rm -rf build"})
		}},
		"one that reads, in its title": {false, "", func(*room) []step {
			return once(map[string]any{"kind": "execute", "title": "ls -la"})
		}},
		"a command in its title, asked about": {false, "", func(*room) []step {
			return append([]step{asksFor("d", remove)}, once(map[string]any{"kind": "execute", "title": "rm -rf build"})...)
		}},
		"an edit":                      {true, "", func(r *room) []step { return once(write(r.path("a.txt"))) }},
		"after another call was asked": {true, "", func(*room) []step { return append([]step{asksFor("d", runsCommand("make"))}, once(remove)...) }},
		"beside a terminal of Weft's":  {true, "", func(*room) []step { return append([]step{starts("true")}, once(remove)...) }},
		"asked before it is shown":     {false, "", func(*room) []step { return append([]step{asksFor("c", remove)}, once(remove)...) }},
		"asked after it is shown": {false, "", func(*room) []step {
			return []step{announces("c", remove), asksFor("c", remove), completes("c")}
		}},
		"asked under another id": {false, "", func(*room) []step { return append([]step{asksFor("d", remove)}, once(remove)...) }},
		"told again, when it was asked": {false, "", func(*room) []step {
			return append([]step{asksFor("c", remove)}, append(once(remove), shows("tool_call", "c", "completed", remove))...)
		}},
		"asked about in a title only": {false, "", func(*room) []step {
			return append([]step{asksFor("c", map[string]any{"kind": "execute"})}, once(remove)...)
		}},
		"a command through Weft, in other words": {false, "", func(*room) []step {
			return []step{announces("c", remove), starts("sh", "-c", "cd . && rm -rf build"), completes("c")}
		}},
		"a write through Weft, shown first": {false, "", func(r *room) []step {
			path := r.path("a.txt")
			return []step{announces("c", map[string]any{"kind": "edit", "title": "Edit"}), writes(path, "new"), shows("tool_call_update", "c", "completed", write(path))}
		}},
		"a write through Weft, shown later": {false, "", func(r *room) []step {
			return append([]step{writes(r.path("a.txt"), "new")}, once(write(r.path("a.txt")))...)
		}},
		"a command through Weft, shown first": {false, "", func(*room) []step {
			return []step{announces("c", remove), starts("rm", "-rf", "build"), completes("c")}
		}},
		"a command through Weft, shown later": {false, "", func(*room) []step { return append([]step{starts("rm", "-rf", "build")}, once(remove)...) }},
		"a command that only reads":           {false, "", func(*room) []step { return once(list) }},
		"one that reads, where all is asked":  {false, "ask", func(*room) []step { return once(list) }},
		"a command that a rule allows":        {false, "", func(*room) []step { return once(runsCommand("touch a.txt")) }},
		"a file that it reads": {false, "", func(r *room) []step {
			return once(map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("a.txt")}})
		}},
		"failed": {false, "", func(*room) []step {
			return []step{announces("c", remove), shows("tool_call_update", "c", "failed", nil)}
		}},
		"failed, with an exit code": {true, "", func(*room) []step {
			return []step{announces("c", remove), shows("tool_call_update", "c", "failed", map[string]any{"rawOutput": map[string]any{"output": "", "exit_code": 3}})}
		}},
		"failed, with one behind its output": {true, "", func(*room) []step {
			said := map[string]any{
				"terminal_output": map[string]any{"terminal_id": "c", "data": "(no output)\n\nCommand exited with code 3"},
				"terminal_exit":   map[string]any{"terminal_id": "c", "exit_code": 1},
			}
			return []step{announces("c", remove), shows("tool_call_update", "c", "failed", map[string]any{"_meta": said})}
		}},
		// Agents tell the end of a terminal for a command that was refused, too.
		"failed, with the end of a terminal": {false, "", func(*room) []step {
			said := map[string]any{"terminal_exit": map[string]any{"terminal_id": "c", "exit_code": 1}}
			return []step{announces("c", remove), shows("tool_call_update", "c", "failed", map[string]any{"_meta": said})}
		}},
		"failed, as the user refused it": {false, "", func(*room) []step {
			return []step{asksFor("c", remove), shows("tool_call_update", "c", "failed", map[string]any{"rawOutput": map[string]any{"exit_code": 1}})}
		}},
		"not over": {false, "", func(*room) []step { return []step{announces("c", remove)} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", name)
			if c.mode != "" {
				r.mode(t, c.mode)
			}
			r.steps(t, always("yes"), c.steps(r)...)
			if c.want {
				u := r.unasked(t, "the agent is noticed", noticed)
				if !u.Offered || u.SpaceID != r.id || u.At == 0 || u.About != "rm -rf build" && u.About != "a.txt" {
					t.Errorf("it was noticed as %+v", u)
				}
				return
			}
			// The first thing stays: had it counted, then this would not be told.
			r.steps(t, always("yes"), once(runsCommand("rm last"))...)
			if u := r.unasked(t, "the agent is noticed", noticed); u.About != "rm last" {
				t.Errorf("it was noticed as %+v", u)
			}
		})
	}
}

func init() {
	addScript("replays acts", func(a *scripted) {
		act := shows("tool_call", "old", "completed", runsCommand("rm -rf build")).Update
		raw, _ := json.Marshal(act)
		a.initialize(`{"loadSession":true}`)
		m := a.next(func(m message) bool { return m.Method == "session/new" || m.Method == "session/load" })
		if m.Method == "session/load" {
			a.say("earlier")
			a.update(string(raw))
		}
		a.respond(m.ID, `{"sessionId":"s1"}`)
		for {
			if strings.Contains(a.prompt(), "act") {
				raw, _ := json.Marshal(shows("tool_call", "new", "completed", runsCommand("rm last")).Update)
				a.update(string(raw))
			}
			a.end("end_turn")
		}
	})
}

// What an agent reports earlier turns when it loads a session is history: Weft wasn't there to be asked.
func TestReplayedActsAreNotUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := launch(t, dir)
	continued, first := a.scripted(t, "replays acts", "continued"), a.scripted(t, "replays acts", "imported")
	continued.turn(t, "say nothing", "end_turn")
	var sp spaces.Space
	a.do(t, "ImportSession", interchange.ImportSessionRequest{AgentID: a.agentOf(t, first), SessionID: "s1", Folder: first.folder, Title: "Earlier"}, &sp)
	a.stop(t)
	a = launch(t, dir)
	for _, id := range []string{continued.id, sp.ID} {
		r := a.reenter(t, "", id)
		t.Cleanup(r.st.close)
		r.turn(t, "act", "end_turn")
		if u := r.unasked(t, "the agent is noticed", noticed); u.About != "rm last" {
			t.Errorf("it was noticed as %+v", u)
		}
	}
}

// An answer that says always holds for the agent, also in its later sessions: what it does then was allowed.
func TestAlwaysAllowedActionIsNotReportedAsUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := launch(t, dir)
	r := a.scripted(t, "steps")
	edit := changing(r.path("a.txt"), "", "new")
	r.steps(t, always("always"), asksFor("c", edit))
	a.stop(t)
	a = launch(t, dir)
	r = &room{app: a, id: r.id, folder: r.folder, ctl: r.ctl, st: a.reenter(t, r.folder, r.id).st}
	t.Cleanup(r.st.close)
	r.steps(t, always("no"), announces("d", edit), completes("d"), announces("e", runsCommand("rm last")), completes("e"))
	if u := r.unasked(t, "the agent is noticed", noticed); u.About != "rm last" {
		t.Errorf("it was noticed as %+v", u)
	}
}

func TestOfferOfASandboxIsSettledOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := launch(t, dir)
	acts := []step{announces("c", runsCommand("rm -rf build")), completes("c")}
	declined, boxed, removed := a.scripted(t, "steps", "declined"), a.scripted(t, "steps", "boxed"), a.scripted(t, "steps", "removed")
	for _, r := range []*room{declined, boxed, removed} {
		r.steps(t, always("no"), acts...)
		r.unasked(t, "a sandbox is offered", func(u *agents.Unasked) bool { return u != nil && u.Offered })
	}

	id := a.agentOf(t, declined)
	a.do(t, "DeclineSandbox", ref.AgentRef{AgentID: id}, nil)
	over := func(u *agents.Unasked) bool { return u != nil && !u.Offered }
	declined.unasked(t, "the offer is declined", over)
	a.refused(t, "DeclineSandbox", ref.AgentRef{AgentID: "nobody"}, "agent_unknown")

	var saved agents.Agent
	a.do(t, "SaveAgent", boxed.form(t, &settings.Sandbox{}), &saved)
	if saved.Unasked != nil {
		t.Errorf("in a sandbox it has %+v", saved.Unasked)
	}
	a.do(t, "SaveAgent", boxed.form(t, nil), &saved)
	if !over(saved.Unasked) {
		t.Errorf("without the sandbox again it has %+v", saved.Unasked)
	}

	gone := removed.form(t, nil)
	a.do(t, "RemoveAgent", ref.AgentRef{AgentID: gone.ID}, nil)
	a.do(t, "SaveAgent", gone, &saved)
	if saved.Unasked != nil {
		t.Errorf("an agent that was removed had %+v", saved.Unasked)
	}

	a.stop(t)
	a = launch(t, dir)
	declined.app, boxed.app, removed.app = a, a, a
	declined.unasked(t, "the offer stays declined", over)
	boxed.unasked(t, "the offer stays taken", over)
	removed.unasked(t, "the removed agent stays forgotten", func(u *agents.Unasked) bool { return u == nil })
}

func TestOfferNamesTheMissingSandboxProgram(t *testing.T) {
	t.Parallel()
	a := launchWith(t, t.TempDir(), []string{"PATH=" + t.TempDir()})
	r := a.scripted(t, "steps")
	r.steps(t, always("no"), announces("c", runsCommand("rm -rf build")), completes("c"))
	u := r.unasked(t, "a sandbox is offered", noticed)
	if !u.Offered || !strings.Contains(u.Problem, "Install it with") || strings.Contains(u.Problem, "turn the sandbox off") {
		t.Errorf("the offer is %+v", u)
	}
	// An agent whose sandbox is on is told how to continue without it.
	a.do(t, "SaveAgent", r.form(t, &settings.Sandbox{}), nil)
	if f := r.fails(t, "[]", "sandbox_missing"); !strings.Contains(f.Message, "Install it with") || !strings.Contains(f.Message, "turn the sandbox off") {
		t.Errorf("it failed with %+v", f)
	}
}

//go:build linux

package systemtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/permissions"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	stored "weft/backend/store/permissions"
)

// permits asks for what the prompt says, a line each, all at once: "run COMMAND", "call INPUT", "edit PATH", "nothing" (without
// options), "write PATH" (by itself, through Weft). It tells each answer with the number of its line.
func permits(a *scripted) {
	a.open()
	for {
		lines := strings.Split(a.prompt(), "\n")
		for i, line := range lines {
			what, arg, _ := strings.Cut(line, " ")
			call, options := "", yesNo
			switch what {
			case "write":
				a.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/write_text_file","params":{"sessionId":"s1","path":%s,"content":"written"}}`, i, quote(arg)))
				continue
			case "run":
				call = `"kind":"execute","rawInput":{"command":` + quote(arg) + `}`
			case "call":
				call = `"kind":"execute","rawInput":` + arg
			case "edit":
				call = `"kind":"edit","locations":[{"path":` + quote(arg) + `}]`
			case "nothing":
				call, options = `"kind":"edit"`, `[]`
			}
			a.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t%d","title":%s,%s},"options":%s}}`,
				i, i, quote(line), call, options))
		}
		a.tell("asked")
		for range lines {
			m := a.next(func(m message) bool { return m.Method == "" })
			switch {
			case m.Error != nil:
				a.tell(string(m.ID) + " error " + m.Error.Message)
			case strings.Contains(string(m.Result), "outcome"):
				a.tell(string(m.ID) + " " + outcome(m))
			default:
				a.tell(string(m.ID) + " done")
			}
		}
		a.end("end_turn")
	}
}

func (r *room) mode(t testing.TB, mode string) {
	t.Helper()
	r.do(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: r.id, Permissions: &mode}, nil)
}

func (a *app) history(t testing.TB, req permissions.HistoryRequest) []string {
	t.Helper()
	var h permissions.History
	a.do(t, "PermissionHistory", req, &h)
	out := make([]string, len(h.Decisions))
	for i, d := range h.Decisions {
		out[len(out)-1-i] = strings.TrimSpace(fmt.Sprintf("%s: %s by %s %s", d.About, d.Outcome, d.By, d.Rule))
	}
	return out
}

func sameLines(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// hears collects n lines of the agent, in any order.
func (r *room) hears(t testing.TB, want ...string) {
	t.Helper()
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	for range want {
		got := r.ctl.hear(t)
		if left[got]--; left[got] < 0 {
			t.Errorf("the agent told %q, want one of %q", got, want)
		}
	}
}

// TestReadingOfARequest: a request carries what Weft read, inline or as a blob where it is large; it is stored with it, and the history says
// what ran.
func TestReadingOfARequest(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "permits")
	r.mode(t, "ask")
	r.st.reset()
	long := strings.Repeat("x", 6<<10)
	r.send(t, `call {"command":["/evil/bash","-lc","git status"],"dangerouslyDisableSandbox":true}`+"\n"+`call {"command":"make","env":{"A":"`+long+`"}}`)
	r.ctl.expect(t, "asked")
	r.st.until(t, "two questions", func(v *seen) bool { return len(v.asks) == 2 })
	check := func(t *testing.T, v *seen) {
		t.Helper()
		short, large := v.call("t0").Permissions[0], v.call("t1").Permissions[0]
		want := `{"commands":[{"line":"git status","shell":"/evil/bash -lc","args":["/evil/bash","-lc","git status"],"runs":["/evil/bash","git"]}],` +
			`"raises":[{"name":"dangerouslyDisableSandbox","value":"true"}],"unclear":"raises","kind":"execute","titled":true}`
		if string(short.Reading) != want {
			t.Errorf("it is read as %s", short.Reading)
		}
		if large.Reading != nil || large.ReadingRef == nil {
			t.Fatalf("a large one: %.100s, %v", large.Reading, large.ReadingRef)
		}
		if got := a.blob(t, large.ReadingRef.Hash); got != `{"commands":[{"line":"make","runs":["make"]}],"env":[{"name":"A","value":"`+long+`"}],"unclear":"setting","kind":"execute","titled":true}` {
			t.Errorf("a large one is read as %.200s", got)
		}
	}
	r.st.now(func(v *seen) { check(t, v) })
	r.allow(t, 0, "yes")
	r.allow(t, 1, "no")
	r.ended(t, "end_turn")
	r.st.now(func(v *seen) { check(t, v) })
	r.check(t)
	sameLines(t, "history", a.history(t, permissions.HistoryRequest{}), `/evil/bash -lc 'git status': allowed by person`, `make: refused by person`)
}

// TestOneRuleAnswersAll: two spaces with several open requests, and a rule from the card of one of them.
func TestOneRuleAnswersAll(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	one, two := a.scripted(t, "permits"), a.scripted(t, "permits")
	one.st.reset()
	two.st.reset()
	one.send(t, "run git status\nrun make\nrun git status --short")
	two.send(t, "run git status && git status\nrun git status; make")
	for _, r := range []*room{one, two} {
		r.ctl.expect(t, "asked")
	}
	one.st.until(t, "three questions", func(v *seen) bool { return len(v.asks) == 3 })
	two.st.until(t, "two questions", func(v *seen) bool { return len(v.asks) == 2 })
	request := ""
	one.st.now(func(v *seen) { request = v.asks[0].id })

	ref := permissions.RequestRef{SpaceID: one.id, RequestID: request}
	var g permissions.RuleSuggestion
	a.do(t, "SuggestPermissionRules", ref, &g)
	sameLines(t, "what is suggested", g.Commands, "git status")
	rule := stored.Rule{Effect: "allow", Scope: "everywhere", Command: g.Commands[0], Enabled: true}
	req := permissions.PermissionRulesRequest{Rules: []stored.Rule{rule}, SpaceID: one.id, RequestID: request}
	var check permissions.RulesCheck
	a.do(t, "CheckPermissionRules", req, &check)
	if !check.Covers || check.Others != 2 {
		t.Errorf("the rule would do %+v", check)
	}
	var saved permissions.SavedRules
	a.do(t, "SavePermissionRules", req, &saved)
	if saved.Answered != 3 || saved.Problem != "" {
		t.Errorf("saved: %+v", saved)
	}
	one.hears(t, "0 selected yes", "2 selected yes")
	two.hears(t, "0 selected yes")
	one.st.until(t, "one question is left", func(v *seen) bool { return v.asks[0].outcome == "selected" && v.asks[2].outcome == "selected" })
	one.st.now(func(v *seen) {
		p := v.call("t2").Permissions[0]
		if by := p.By; by == nil || by.Who != "rule" || by.RuleID != saved.Rules[0].ID || by.Command != "git status" || v.asks[1].outcome != "" {
			t.Errorf("who has answered: %+v", p.By)
		}
	})

	// A rule that refuses wins, from the next request on and for those that wait.
	reject := stored.Rule{Effect: "reject", Scope: "everywhere", Command: "make", Enabled: true}
	a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: []stored.Rule{reject}}, &saved)
	if saved.Answered != 2 {
		t.Errorf("saved: %+v", saved)
	}
	one.hears(t, "1 selected no")
	two.hears(t, "1 selected no")
	one.ended(t, "end_turn")
	two.ended(t, "end_turn")
	one.st.reset()
	one.send(t, "run git status\nrun sudo make\nrun git log")
	one.hears(t, "asked", "0 selected yes", "1 selected no")
	one.st.until(t, "the third is asked", func(v *seen) bool { return len(v.asks) == 3 && v.asks[1].outcome == "selected" })
	one.allow(t, 2, "yes")
	one.hears(t, "2 selected yes")
	one.ended(t, "end_turn")
	one.st.now(func(v *seen) {
		if c := v.call("t1"); c.Status != transcript.StatusRejected {
			t.Errorf("the refused call is %s", c.Status)
		}
	})

	sameLines(t, "the history of the first space", a.history(t, permissions.HistoryRequest{SpaceID: one.id}),
		"git status: allowed by rule git status", "git status --short: allowed by rule git status", "make: refused by rule make",
		"git status: allowed by rule git status", "sudo make: refused by rule make", "git log: allowed by person")
	sameLines(t, "what is found", a.history(t, permissions.HistoryRequest{Query: "MAKE sudo", Outcome: "refused"}), "sudo make: refused by rule make")
	var list []permissions.PermissionRule
	a.do(t, "PermissionRules", struct{}{}, &list)
	if len(list) != 2 || list[1].Used != 4 || list[1].LastUsed == 0 || list[0].Used != 3 {
		t.Errorf("the rules: %+v", list)
	}
	one.kept(t)
	two.kept(t)
	a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: list[0].ID}, nil)
	a.refused(t, "RemovePermissionRule", permissions.RuleRef{RuleID: list[0].ID}, "not_found")
	a.refused(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: []stored.Rule{{Effect: "allow", Scope: "everywhere", Command: "git $x", Enabled: true}}}, "invalid")
	testExport(t, a)
}

func testExport(t *testing.T, a *app) {
	for format, want := range map[string]string{"jsonl": `"about":"sudo make"`, "csv": ",sudo make,refused,"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.Base+"/api/permissions/export?format="+format+"&query=sudo", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+a.Key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) || strings.Contains(string(body), "git log") {
			t.Errorf("%s: %d %v\n%s", format, res.StatusCode, err, body)
		}
		if !strings.Contains(res.Header.Get("Content-Disposition"), "."+format) {
			t.Errorf("%s: %v", format, res.Header)
		}
	}
}

// TestReadOnly: nothing is changed in a read-only space, whoever asks and however.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "permits")
	all := []stored.Rule{{Effect: "allow", Scope: "everywhere", Kind: "edit", Path: "**", Enabled: true}, {Effect: "reject", Scope: "everywhere", Path: "**/.env", Enabled: true}}
	a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: all}, nil)
	target := filepath.Join(r.folder, "new.txt")

	r.st.reset()
	r.send(t, "write "+target+"\nwrite "+filepath.Join(r.folder, ".env")+"\nedit new.txt")
	r.hears(t, "asked", "0 done", "1 error The user's rules reject this, so it wasn't done.", "2 selected yes")
	r.ended(t, "end_turn")
	if err := os.Remove(target); err != nil {
		t.Error(err)
	}

	r.mode(t, "read-only")
	r.st.reset()
	r.send(t, "write "+target+"\nedit new.txt\nrun git status")
	refused := "0 error This space is read-only, so nothing was changed. The user can change that below the prompt."
	r.hears(t, "asked", refused, "1 selected no", "2 selected no")
	r.ended(t, "end_turn")
	if _, err := os.Stat(target); err == nil {
		t.Error("the file was written")
	}
	r.st.now(func(v *seen) {
		if by := v.call("t1").Permissions[0].By; by == nil || by.Who != "mode" || by.Mode != "read-only" {
			t.Errorf("who has refused: %+v", by)
		}
	})

	r.mode(t, "ask")
	r.st.reset()
	r.send(t, "edit new.txt\nrun git status\nnothing")
	r.ctl.expect(t, "asked")
	r.st.until(t, "all is asked", func(v *seen) bool { return len(v.asks) == 3 })
	// What waits is held against the new mode.
	r.mode(t, "rules")
	r.hears(t, "0 selected yes")
	r.mode(t, "read-only")
	r.hears(t, "1 selected no", "2 cancelled")
	r.ended(t, "end_turn")
	bad := "none"
	a.refused(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: r.id, Permissions: &bad}, "invalid")
	r.kept(t)
}

// TestUnansweredRequestsAreInTheHistory leaves a trace of every request that ended without an answer.
func TestUnansweredRequestsAreInTheHistory(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "permits")
	r.st.reset()
	r.send(t, "run make\nnothing")
	r.ctl.expect(t, "asked")
	r.st.until(t, "all is asked", func(v *seen) bool { return len(v.asks) == 2 })
	r.stop(t)
	r.hears(t, "0 cancelled", "1 cancelled")
	r.ended(t, "end_turn")
	withdraws := a.scripted(t, "withdraws")
	withdraws.st.reset()
	withdraws.send(t, "hello")
	withdraws.ctl.expect(t, "asked")
	withdraws.st.until(t, "the question", func(v *seen) bool { return len(v.asks) == 1 })
	withdraws.ctl.say(t, "go")
	withdraws.ended(t, "end_turn")
	r.st.reset()
	r.send(t, "run make test")
	r.ctl.expect(t, "asked")
	r.st.until(t, "it is asked", func(v *seen) bool { return len(v.asks) == 1 })
	sameLines(t, "the history", a.history(t, permissions.HistoryRequest{SpaceID: r.id}), "make: cancelled by cancelled", ": cancelled by cancelled")
	if h := a.history(t, permissions.HistoryRequest{SpaceID: withdraws.id}); len(h) != 1 || !strings.HasSuffix(h[0], "cancelled by agent") {
		t.Errorf("a withdrawn request: %q", h)
	}
	a.kill()
	<-r.st.done
	b := launch(t, a.home)
	sameLines(t, "the history after a crash", b.history(t, permissions.HistoryRequest{SpaceID: r.id}),
		"make: cancelled by cancelled", ": cancelled by cancelled", "make test: lost by lost")
	conv, err := b.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	last := callOf(conv.Messages[len(conv.Messages)-1], "t0")
	if by := last.Permissions[0].By; by == nil || by.Who != "weft" || last.Permissions[0].Outcome != "lost" {
		t.Errorf("after a crash: %+v", last.Permissions[0])
	}
	// Closed in an orderly way, it is the same.
	again := b.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	again.send(t, "run make all")
	again.ctl.expect(t, "asked")
	again.st.until(t, "it is asked", func(v *seen) bool { return len(v.asks) == 1 })
	b.stop(t)
	c := launch(t, a.home)
	h := c.history(t, permissions.HistoryRequest{SpaceID: r.id, Query: "all"})
	sameLines(t, "the history after the end", h, "make all: lost by lost")
}

// TestThousandRequests: many at once, and one rule for them.
func TestThousandRequests(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "permits")
	r.st.reset()
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = fmt.Sprintf("run make step-%d", i)
	}
	lines[7] = "run echo " + strings.Repeat("long ", 20_000)
	r.send(t, strings.Join(lines, "\n"))
	r.ctl.expect(t, "asked")
	request := ""
	r.st.until(t, "all is asked", func(v *seen) bool {
		if len(v.asks) > 0 {
			request = v.asks[0].id
		}
		return len(v.asks) == len(lines)
	})
	rule := stored.Rule{Effect: "allow", Scope: "space", SpaceID: r.id, Kind: "execute", Enabled: true}
	var saved permissions.SavedRules
	a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: []stored.Rule{rule}, SpaceID: r.id, RequestID: request}, &saved)
	if saved.Answered != len(lines)-1 {
		t.Errorf("answered %d", saved.Answered)
	}
	r.allow(t, 7, "no")
	r.ended(t, "end_turn")
	r.kept(t)
}

// TestRefusedWriteIsNoFailureOfTheAgent has an agent write, for a call of its own, what the mode or a rule refuses, and then say that the call has failed.
func TestRefusedWriteIsNoFailureOfTheAgent(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, stored.Rule{Effect: "reject", Path: "src/**"})
	for mode, who := range map[string]string{"rules": "rule", "read-only": "mode"} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", who)
			r.mode(t, mode)
			path := r.path("src/new.txt")
			call := map[string]any{"kind": "edit", "title": "Writing " + path, "rawInput": map[string]any{"path": path, "content": "new"}}
			said := []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": "It was refused."}}}
			r.steps(t, always("yes"), announces("c", call), writes(path, "new"), shows("tool_call_update", "c", "failed", map[string]any{"content": said}))
			r.st.now(func(v *seen) {
				c := v.call("c")
				if c.Status != transcript.StatusRejected || c.Error != "" || len(c.Permissions) != 1 || c.Permissions[0].By == nil || c.Permissions[0].By.Who != who {
					t.Errorf("it is shown as %s, with %q and %+v", c.Status, c.Error, c.Permissions)
				}
			})
		})
	}
}

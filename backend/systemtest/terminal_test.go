//go:build linux

package systemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/store/permissions"
)

// order is what a prompt tells the agent "terminals" to do, as JSON.
type order struct {
	Create map[string]any `json:"create"` // params of terminal/create
	// Steps after it: name, output, wait, kill, release, again (release once more), say, stay
	// (until the turn is cancelled), hold (until the test says so).
	Steps []string `json:"steps"`
}

// result is what it tells about a step.
type result struct {
	Step      string
	Error     string
	Code      int
	Output    string
	Truncated bool
	ExitCode  *int
	Signal    *string
	Exit      *struct {
		ExitCode *int
		Signal   *string
	} `json:"exitStatus"`
	TerminalID string
}

func terminals(a *scripted) {
	a.open()
	id := 0
	ask := func(step, method string, params map[string]any) result {
		id++
		if params["sessionId"] == nil {
			params["sessionId"] = a.session
		}
		raw, _ := json.Marshal(params)
		m := a.request(strconv.Itoa(id), method, string(raw))
		r := result{Step: step}
		if m.Error != nil {
			r.Error, r.Code = m.Error.Message, m.Error.Code
		} else {
			_ = json.Unmarshal(m.Result, &r)
		}
		out, _ := json.Marshal(r)
		a.tell(string(out))
		return r
	}
	for turn := 1; ; turn++ {
		var o order
		if err := json.Unmarshal([]byte(a.prompt()), &o); err != nil {
			a.tell(err.Error())
		}
		made := ask("create", "terminal/create", o.Create)
		call := "call" + strconv.Itoa(turn)
		named := false
		reason := "end_turn"
		for _, step := range o.Steps {
			ref := map[string]any{"terminalId": made.TerminalID}
			switch step {
			case "name":
				named = true
				a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"Run it","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":%q}]}`, call, made.TerminalID))
			case "output":
				ask(step, "terminal/output", ref)
			case "wait":
				ask(step, "terminal/wait_for_exit", ref)
			case "kill":
				ask(step, "terminal/kill", ref)
			case "release", "again":
				ask(step, "terminal/release", ref)
			case "say":
				a.say("still here")
			case "withdraw":
				a.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w","method":"terminal/wait_for_exit","params":{"sessionId":%q,"terminalId":%q}}`, a.session, made.TerminalID))
				a.raw(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"w"}}`)
				code := a.answer(`"w"`).Error.Code
				a.tell(fmt.Sprintf(`{"Step":"withdraw","Code":%d}`, code))
			case "hold":
				a.await()
			case "stay":
				a.method("session/cancel")
				reason = "cancelled"
			}
		}
		if named {
			a.callUpdate(call, "completed", "")
		}
		a.end(reason)
	}
}

// does sends an order and returns what came of its first steps, up to the n-th.
func (r *room) does(t testing.TB, n int, create map[string]any, steps ...string) []result {
	t.Helper()
	raw, err := json.Marshal(order{Create: create, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	r.st.reset()
	r.send(t, string(raw))
	return r.hear(t, n)
}

// hear returns what came of the next n steps.
func (r *room) hear(t testing.TB, n int) []result {
	t.Helper()
	results := make([]result, n)
	for i := range results {
		if err := json.Unmarshal([]byte(r.ctl.hear(t)), &results[i]); err != nil {
			t.Fatal(err)
		}
	}
	return results
}

func line(command string) map[string]any { return map[string]any{"command": command} }

// terminal waits for a state of the last terminal that was shown.
func (r *room) terminal(t testing.TB, what string, ok func(transcript.Terminal) bool) (found transcript.Terminal, call *transcript.ToolCall) {
	t.Helper()
	r.st.until(t, what, func(v *seen) bool {
		for _, s := range v.message().Segments {
			for _, it := range s.Items {
				if it.Call == nil {
					continue
				}
				for _, x := range it.Call.Terminals {
					found, call = x, it.Call
				}
			}
		}
		return call != nil && ok(found)
	})
	return found, call
}

func over(x transcript.Terminal) bool { return !x.Running }

// terminals is a space whose agent may run any command.
func (a *app) terminals(t testing.TB) *room {
	t.Helper()
	a.rule(t, permissions.Rule{Effect: "allow", Kind: "execute"})
	return a.scripted(t, "terminals")
}

func TestTerminalIsServedAndShown(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.terminals(t)

	got := r.does(t, 5, map[string]any{"command": "printf", "args": []string{`%s\n`, "one", "$X"}, "env": []map[string]string{{"name": "X", "value": "y"}}},
		"name", "wait", "output", "release", "again")
	r.ended(t, "end_turn")
	if e := got[1]; e.ExitCode == nil || *e.ExitCode != 0 || e.Signal != nil {
		t.Errorf("wait: %+v", e)
	}
	if o := got[2]; o.Output != "one\n$X\n" || o.Truncated || o.Exit == nil || *o.Exit.ExitCode != 0 {
		t.Errorf("output: %+v", o)
	}
	if got[3].Error != "" || got[4].Code != -32602 {
		t.Errorf("release, and again: %+v, %+v", got[3], got[4])
	}
	sentence(t, got[4].Error)
	term, call := r.terminal(t, "the end", over)
	if term.Text != "one\n$X\n" || *term.Code != 0 || term.Ref != nil || term.DurationMs == nil || call.ID != "call1" || call.Summary != "exit code 0: one · 2 lines in all" {
		t.Errorf("shown: %+v in %+v", term, call)
	}

	// Never named: it is shown all the same.
	r.does(t, 3, line("echo $((6*7)); exit 5"), "wait", "release", "say")
	r.ended(t, "end_turn")
	term, call = r.terminal(t, "the second end", over)
	if term.Text != "42\n" || *term.Code != 5 || call.Title != "echo $((6*7)); exit 5" || call.Status != transcript.StatusFailed || call.Error != "Exit code 5: 42" || call.Reported != "" {
		t.Errorf("not named: %+v in %+v", term, call)
	}

	// The agent kills; the output stays readable.
	r.does(t, 1, line("echo started; sleep 1000"), "name", "hold", "kill", "wait", "output", "release")
	r.terminal(t, "some output", func(x transcript.Terminal) bool { return x.Running && x.Text == "started\n" })
	r.ctl.say(t, "go")
	got = r.hear(t, 4)
	r.ended(t, "end_turn")
	if got[1].Signal == nil || *got[1].Signal != "SIGTERM" || got[2].Output != "started\n" || got[0].Error+got[3].Error != "" {
		t.Errorf("a kill: %+v", got)
	}
	if term, _ = r.terminal(t, "the third end", over); term.Signal != "SIGTERM" || term.Killed {
		t.Errorf("killed: %+v", term)
	}
	r.check(t)
}

func TestInvalidTerminalsAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.terminals(t)
	if err := os.Symlink(os.TempDir(), filepath.Join(r.folder, "out")); err != nil {
		t.Fatal(err)
	}
	for name, create := range map[string]map[string]any{
		"no command":       {},
		"no such program":  line("no-such-program"),
		"outside":          {"command": "pwd", "cwd": "/"},
		"up":               {"command": "pwd", "cwd": ".."},
		"through a link":   {"command": "pwd", "cwd": filepath.Join(r.folder, "out")},
		"no such folder":   {"command": "pwd", "cwd": "missing"},
		"a negative limit": {"command": "pwd", "outputByteLimit": -1},
		"args of numbers":  {"command": "pwd", "args": []int{1}},
		"a command of two": {"command": []string{"a", "b"}},
	} {
		got := r.does(t, 1, create)
		r.ended(t, "end_turn")
		if got[0].Error == "" {
			t.Errorf("%s: it was created", name)
		}
		if name == "no such program" {
			contains(t, name, got[0].Error, "no-such-program", "Install it, or correct the command.") // no other agent would help
		}
	}
	if got := r.does(t, 3, map[string]any{"command": "pwd", "cwd": "."}, "wait", "output"); strings.TrimSpace(got[2].Output) != r.folder {
		t.Errorf("it ran in %q, not in %q", got[2].Output, r.folder)
	}
	r.check(t)
}

func TestUserKillsATerminal(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.terminals(t)
	r.does(t, 1, line("trap '' TERM; echo here; while :; do sleep 1; done"), "name", "wait", "output")
	term, _ := r.terminal(t, "output", func(x transcript.Terminal) bool { return x.Text == "here\n" })
	r.refused(t, "KillTerminal", conversation.TerminalRef{SpaceID: r.id, TerminalID: "no"}, "not_found")
	r.do(t, "KillTerminal", conversation.TerminalRef{SpaceID: r.id, TerminalID: term.ID}, nil)
	var waited, output result
	for _, into := range []*result{&waited, &output} {
		if err := json.Unmarshal([]byte(r.ctl.hear(t)), into); err != nil {
			t.Fatal(err)
		}
	}
	if waited.Signal == nil || *waited.Signal != "SIGKILL" || output.Output != "here\n" {
		t.Errorf("the agent heard %+v and %+v", waited, output)
	}
	r.ended(t, "end_turn")
	term, _ = r.terminal(t, "the end", over)
	if !term.Killed || term.Signal != "SIGKILL" {
		t.Errorf("shown: %+v", term)
	}
	r.refused(t, "KillTerminal", conversation.TerminalRef{SpaceID: r.id, TerminalID: term.ID}, "not_found")
	r.check(t)
}

// TestNoTerminalIsLeft ends a command with a large family in every way there is.
func TestNoTerminalIsLeft(t *testing.T) {
	t.Parallel()
	shared := launch(t, t.TempDir())
	for _, c := range []struct {
		name string
		own  bool
		end  func(*testing.T, *room)
	}{
		{"stop", false, func(t *testing.T, r *room) { r.stop(t); r.ended(t, "cancelled") }},
		{"the space goes", false, func(t *testing.T, r *room) { r.do(t, "DeleteSpace", r.ref(), nil) }},
		{"the agent is killed", false, func(t *testing.T, r *room) {
			r.signal(t, "scripted terminals", syscall.SIGKILL)
			r.ended(t, "error")
			r.terminal(t, "the end", over)
			r.kept(t)
		}},
		{"the agent is changed", false, func(t *testing.T, r *room) {
			r.ctl.say(t, "go")
			r.ended(t, "end_turn")
			guide := "guide"
			r.do(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: r.id, AgentID: &guide}, nil)
		}},
		{"the terminal's supervisor is killed", false, func(t *testing.T, r *room) {
			for pid, args := range marked(r.mark, 0) {
				if strings.Contains(args, supervisor+"tty") && strings.Contains(args, r.folder) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			r.terminal(t, "the end", over)
		}},
		{"SIGTERM of the app", true, func(t *testing.T, r *room) { r.app.stop(t) }},
		{"kill -9 of the app", true, func(_ *testing.T, r *room) { r.kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := shared
			if c.own {
				a = launch(t, t.TempDir())
			}
			mark := "terminal" + strconv.FormatInt(time.Now().UnixNano(), 36)
			r := a.terminals(t)
			more := fmt.Sprintf(wiped, mark)
			if strings.Contains(c.name, "supervisor") {
				more = "" // what has neither a supervisor nor an environment can only be told by who it descends from
			}
			wait := "stay"
			if strings.Contains(c.name, "changed") {
				wait = "hold"
			}
			r.does(t, 1, map[string]any{
				"command": "sh", "args": []string{"-c", fmt.Sprintf(family, mark, more) + " # " + r.folder},
				"env": []map[string]string{{"name": roomVariable, "value": mark}},
			}, "name", wait)
			deadline := time.Now().Add(timeout)
			for len(marked(mark, 0)) < 6 {
				if time.Now().After(deadline) {
					t.Fatalf("only %v are there", marked(mark, 0))
				}
				<-time.After(5 * time.Millisecond)
			}
			c.end(t, r)
			noneLeft(t, mark, 0)
			if !c.own {
				a.alive(t)
			}
		})
	}
}

// TestStoppedCommandIsNotDone stops a turn with a command that the user has allowed and that runs, whether the agent shows it or not.
func TestStoppedCommandIsNotDone(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, steps := range [][]string{{"name", "stay"}, {"stay"}} {
		r := a.scripted(t, "terminals")
		raw, err := json.Marshal(order{Create: line("echo here; sleep 1000"), Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		r.st.reset()
		r.send(t, string(raw))
		r.allow(t, 0, "once")
		r.hear(t, 1)
		r.terminal(t, "output", func(x transcript.Terminal) bool { return x.Text == "here\n" })
		r.stop(t)
		r.ended(t, "cancelled")
		r.terminal(t, "the end", over)
		r.st.now(func(v *seen) {
			if rows := v.acts(); len(rows) != 1 || !strings.HasPrefix(rows[0], "cancelled") {
				t.Errorf("%v: %q", steps, rows)
			}
		})
		r.kept(t)
	}
}

// TestTerminalFlood has a command write 100 MB, and another that never ends: memory, database and
// events stay bounded, and the agent is heard meanwhile.
func TestTerminalFlood(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.terminals(t)
	first := int64(raced.Of(100_000_000)) // bytes that the first one prints
	most := int64(raced.Of(500 << 20))    // bytes of the endless one
	r.does(t, 3, map[string]any{"command": fmt.Sprintf("yes 'a line 日本 of the flood' | head -c %d", first), "outputByteLimit": 5000}, "name", "wait", "output", "say")
	r.ended(t, "end_turn")
	term, _ := r.terminal(t, "the end", over)
	if term.Size < first || term.Size > first+100 || term.Ref == nil || term.Ref.Size > 300<<10 || term.TextStart == 0 {
		t.Errorf("shown: size %d, ref %+v, text from %d on", term.Size, term.Ref, term.TextStart)
	}
	body := a.blob(t, term.Ref.Hash)
	if !utf8.ValidString(body) || int64(len(body)) != term.Ref.Size {
		t.Errorf("the blob has %d bytes", len(body))
	}

	r.does(t, 1, line("yes for ever"), "name", "stay")
	events := 0
	r.terminal(t, "the first replacement", func(x transcript.Terminal) bool { return x.TextStart > 0 })
	r.st.now(func(v *seen) { events = v.events })
	at := term.TextStart
	r.terminal(t, "most of it", func(x transcript.Terminal) bool { at = max(at, x.TextStart); return x.TextStart > most })
	now, highest := memory(t, a.cmd.Process.Pid)
	t.Logf("%d MB resident, %d MB at most, %d events before, at byte %d", now>>20, highest>>20, events, at)
	if highest > 250<<20 {
		t.Errorf("%d MB of memory", highest>>20)
	}
	a.alive(t)
	r.stop(t)
	r.ended(t, "cancelled")
	r.terminal(t, "the end of the second", over)
	r.kept(t)
	var size int64
	for _, file := range []string{"weft.db", "weft.db-wal"} {
		if info, err := os.Stat(filepath.Join(a.home, "data", file)); err == nil {
			size += info.Size()
		}
	}
	if size == 0 || size > 40<<20 {
		t.Errorf("the database has %d bytes", size)
	}
}

// TestTerminalAfterACrash kills the app while a command runs: after the restart it is shown as
// lost, with what it had written.
func TestTerminalAfterACrash(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.terminals(t)
	// One whose turn is over, and one in the middle of its turn.
	r.does(t, 1, line("echo server; sleep 1000"), "name")
	r.ended(t, "end_turn")
	r.terminal(t, "the server", func(x transcript.Terminal) bool { return x.Text == "server\n" })
	r.does(t, 1, line("echo build; sleep 1000"), "name", "stay")
	r.terminal(t, "the build", func(x transcript.Terminal) bool { return x.Text == "build\n" })
	a.kill()
	noneLeft(t, a.mark, 0)

	b := launch(t, home)
	conv, err := b.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range conv.Messages {
		for _, s := range m.Segments {
			for _, it := range s.Items {
				for _, x := range it.Call.Terminals {
					texts = append(texts, x.Text)
					if x.Running || !x.Lost || x.DurationMs != nil {
						t.Errorf("after the crash: %+v", x)
					}
				}
			}
		}
	}
	if strings.Join(texts, "") != "server\nbuild\n" {
		t.Errorf("the outputs are %q", texts)
	}
}

// A request that the agent takes back, and one for another session.
func TestWithdrawnTerminalRequestIsAnswered(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.terminals(t)
	got := r.does(t, 3, line("sleep 1000"), "withdraw", "release")
	r.ended(t, "end_turn")
	if got[1].Code != -32800 {
		t.Errorf("withdrawn: %+v", got[1])
	}
	got = r.does(t, 1, map[string]any{"command": "true", "sessionId": "another"})
	r.ended(t, "end_turn")
	sentence(t, got[0].Error)
	var refused *refusal
	if err := a.try("KillTerminal", conversation.TerminalRef{SpaceID: "no", TerminalID: "x"}, nil); !errors.As(err, &refused) || refused.Code != "not_found" {
		t.Errorf("no such space: %v", err)
	}
	r.check(t)
}

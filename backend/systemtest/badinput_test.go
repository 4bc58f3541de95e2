//go:build linux

package systemtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
	"weft/backend/store/permissions"
)

// TestFailedAgentStartIsExplained covers everything that goes wrong before there is a session, in a turn
// and in the settings' test.
func TestFailedAgentStartIsExplained(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir(), "--initialize=8s")
	plain := filepath.Join(a.home, "plain.txt")
	noInterpreter := filepath.Join(a.home, "no-interpreter")
	garbage := filepath.Join(a.home, "garbage")
	for path, mode := range map[string]os.FileMode{plain: 0o644, noInterpreter: 0o755, garbage: 0o755} {
		if err := os.WriteFile(path, []byte("#!/no/such/interpreter\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := simtest.WriteProgram(garbage, []byte("\x00\x01\x02\x03 no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	self := scriptedProgram
	for _, c := range []struct {
		name, command string
		args          []string
		code          string
		says          string // part of the sentence
		detail        string // part of the detail of a turn
		testDetail    string // part of the detail of a test
	}{
		{"missing", "weft-no-such-agent", nil, "agent_missing", "Settings", "", ""},
		{"missing-path", "/no/such/folder/agent", nil, "agent_missing", "Settings", "", ""},
		{"not-executable", plain, nil, "agent_not_executable", plain, "", ""},
		{"no-interpreter", noInterpreter, nil, "agent_not_executable", "first line", "", ""},
		{"garbage", garbage, nil, "agent_not_executable", "isn't a program", "", ""},
		{"exits", self, []string{"scripted", "exits"}, "agent_exited", "code 3", "no API key", "no API key"},
		{"html", self, []string{"scripted", "html"}, "agent_exited", "code 1", "Please sign in", "Please sign in"},
		{"echoes", "cat", nil, "agent_protocol", "doesn't speak the Agent Client Protocol", "", ""},
		{"mute", self, []string{"scripted", "mute"}, "agent_silent", "8 s", "", ""},
		{"version-2", self, []string{"scripted", "version", "2"}, "agent_protocol", "version 2", "", ""},
		{"version-text", self, []string{"scripted", "version", `"one"`}, "agent_protocol", `"one"`, "", ""},
		{"refuses", self, []string{"scripted", "refuses"}, "auth_required", "Sign in", "", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id := a.custom(t, c.name, c.command, nil, c.args...)
			r := a.enter(t, t.TempDir(), id)
			defer r.st.close()
			f := r.fails(t, "hello", c.code)
			if !strings.Contains(f.Message, c.says) || !strings.Contains(f.Detail, c.detail) {
				t.Errorf("the turn failed with %q and the detail %q", f.Message, f.Detail)
			}
			r.st.now(func(v *seen) {
				if m := v.message(); m.StopReason != "error" || m.Error == nil {
					t.Errorf("the message says nothing of it: %s", dump(v.conv.Messages))
				}
			})
			if c.testDetail != "-" {
				var test agents.AgentTest
				a.do(t, "TestAgent", agents.TestAgentRequest{AgentID: id}, &test)
				if test.OK || test.Failure == nil || test.Failure.Code != c.code || !strings.Contains(test.Failure.Detail, c.testDetail) {
					t.Errorf("the test says %+v %+v", test, test.Failure)
				} else {
					sentence(t, test.Failure.Message)
				}
			}
			r.check(t)
		})
	}
	t.Run("agent-removed", func(t *testing.T) {
		t.Parallel()
		id := a.custom(t, "Short-lived", self, nil, "scripted", "echo")
		r := a.enter(t, t.TempDir(), id)
		defer r.st.close()
		a.do(t, "RemoveAgent", ref.AgentRef{AgentID: id}, nil)
		r.fails(t, "hello", "agent_unknown")
		r.check(t)
	})
	t.Run("folder-gone", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "echo")
		if err := os.RemoveAll(r.folder); err != nil {
			t.Fatal(err)
		}
		if f := r.fails(t, "hello", "folder_not_found"); !strings.Contains(f.Message, r.folder) {
			t.Errorf("the sentence doesn't name the folder: %s", f.Message)
		}
		r.check(t)
	})
}

// TestWaitingForAnAgentCanBeCalledOff has an agent that never answers, and the usual minute.
func TestWaitingForAnAgentCanBeCalledOff(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "mute")
	r.send(t, "hello")
	r.st.until(t, "the turn runs", func(v *seen) bool { return len(v.conv.Messages) == 2 })
	r.stop(t)
	r.ended(t, "cancelled")
	tested := make(chan error, 1)
	var test agents.AgentTest
	go func() { tested <- a.try("TestAgent", agents.TestAgentRequest{AgentID: a.agentOf(t, r)}, &test) }()
	for { // until it is under way
		a.do(t, "CancelTest", struct{}{}, nil)
		select {
		case err := <-tested:
			if err != nil || test.Failure == nil || test.Failure.Code != "cancelled" {
				t.Errorf("the test says %v %+v", err, test.Failure)
			}
			r.check(t)
			a.stop(t)
			noneLeft(t, a.mark, 0)
			return
		default:
		}
	}
}

func (a *app) agentOf(t testing.TB, r *room) string {
	t.Helper()
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	return snap.Space.AgentID
}

// TestInvalidAgentOutputIsHandled covers what goes wrong once an agent talks.
func TestInvalidAgentOutputIsHandled(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	t.Cleanup(func() {
		a.stop(t)
		noneLeft(t, a.mark, 0)
	})
	for name, test := range map[string]func(*testing.T, *app){
		"banner": testBanner, "half a line": testHalf, "huge line": testHuge, "odd": testOdd, "reorders": testReorders,
		"early": testEarly, "late": testLate, "permissions": testPermissions, "withdrawn": testWithdrawn,
		"queue": testQueue, "errors": testErrors, "files": testFiles, "restart": testRestart, "stop at once": testStopAtOnce, "closes": testCloses, "chatty": testChatty, "asks late": testAsksLate,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

func (r *room) looks(t testing.TB, want string) {
	t.Helper()
	want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t", "\n"))
	got := ""
	r.st.now(func(v *seen) { got = strings.TrimSpace(dump(v.conv.Messages)) })
	if got != want {
		t.Errorf("the space looks like\n%s\nwant\n%s", got, want)
	}
}

func testBanner(t *testing.T, a *app) {
	r := a.scripted(t, "banner")
	r.turn(t, "hello", "end_turn")
	r.looks(t, `
	user 
	  text  "hello"
	agent end_turn
	  text  "before after"`)
	r.logs(t, "502 bad gateway")
	r.check(t)
}

// logs waits for the one line of the protocol log that has the text: it is written a moment later.
func (r *room) logs(t *testing.T, text string) conversation.ProtocolEntry {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; {
		var log []conversation.ProtocolEntry
		r.do(t, "ProtocolLog", conversation.ProtocolLogRequest{SpaceID: r.id, Filter: text}, &log)
		if len(log) == 1 {
			return log[0]
		}
		if time.Now().After(deadline) {
			t.Fatalf("the protocol log has %+v", log)
		}
	}
}

func testHalf(t *testing.T, a *app) {
	r := a.scripted(t, "half")
	f := r.fails(t, "hello", "agent_exited")
	if !strings.Contains(f.Message, "139") || !strings.Contains(f.Detail, "Segmentation fault") || !f.Retryable {
		t.Errorf("the failure is %+v", f)
	}
	r.st.now(func(v *seen) {
		m := v.message()
		if m.Content() != "what it had said" || v.call("t1").Status != transcript.StatusFailed {
			t.Errorf("the message is\n%s", dump(v.conv.Messages))
		}
	})
	if e := r.logs(t, "segmentation fault"); e.Dir != "stderr" || e.Kind != "stderr" {
		t.Errorf("stderr stands in the log as %+v", e)
	}
	r.check(t)
}

func testHuge(t *testing.T, a *app) {
	r := a.scripted(t, "huge", "100")
	r.turn(t, "hello", "end_turn")
	r.looks(t, `
	user 
	  text  "hello"
	agent end_turn
	  text  "before "
	  group
	    t1 completed "Print everything"
	  text  "after"
	  opaque tool_call_update`)
	var ref *transcript.Ref
	r.st.now(func(v *seen) {
		ref = v.message().Opaque[0].Ref
	})
	if ref == nil {
		t.Fatal("the placeholder has nothing to pull")
	}
	if raw := a.blob(t, ref.Hash); !strings.Contains(raw, `"oversize":true`) || !strings.Contains(raw, "t1") {
		t.Errorf("the placeholder is %.200s", raw)
	}
	r.check(t)
}

func testOdd(t *testing.T, a *app) {
	r := a.scripted(t, "odd")
	r.turn(t, "hello", "end_turn")
	for _, want := range []string{"-32601", "-32601", "-32602"} {
		r.ctl.expect(t, want)
	}
	r.st.now(func(v *seen) {
		m := v.message()
		if got := m.Content(); !strings.HasPrefix(got, "bad \uFFFD") || !strings.Contains(got, " bytes") || strings.Contains(got, "NOT OURS") {
			t.Errorf("the text is %q", got)
		}
		if c := v.call("never-announced"); c.Status != transcript.StatusCompleted || len(c.Content) != 1 {
			t.Errorf("the call that was never announced is %+v", c)
		}
		if c := v.call("odd"); c.Status != transcript.StatusCompleted || c.Kind != "juggle" || c.Title != "Odd" {
			t.Errorf("the odd call is %+v", c)
		}
		kinds := ""
		for _, o := range m.Opaque {
			kinds += o.Kind + " "
		}
		if !strings.HasPrefix(kinds, "brand_new_thing agent_message_chunk ") || len(m.Opaque) < 4 {
			t.Errorf("opaque are %q", kinds)
		}
	})
	r.check(t)
}

func testReorders(t *testing.T, a *app) {
	r := a.scripted(t, "reorders")
	r.st.reset()
	r.send(t, "first")
	r.ctl.expect(t, "asked")
	r.allow(t, 0, "yes")
	r.ctl.expect(t, "selected yes")
	r.ended(t, "end_turn")
	r.ctl.expect(t, "late")
	r.st.until(t, "the postscript", func(v *seen) bool { return strings.Contains(v.message().Content(), "postscript") })
	r.looks(t, r.reordered("endless cancelled"))
	r.turn(t, "second", "end_turn")
	r.looks(t, r.reordered("endless completed")+`
	user 
	  text  "second"
	agent end_turn
	  group
	    early completed "The same id, another turn"
	  text  "three"`)
	r.check(t)
}

// reordered is the first turn of the agent that reorders.
func (r *room) reordered(endless string) string {
	return `
	user 
	  text  "first"
	agent end_turn
	  group
	    early completed "Announced late"
	  text  "one "
	  group
	    asked-first completed "Asked first" ?selectedyes
	    twice failed "Twice, again"
	    thought "hm"
	  text  "two"
	  group
	    ` + endless + ` "Never ends"
	  text  " and a postscript"`
}

func testEarly(t *testing.T, a *app) {
	r := a.scripted(t, "early")
	r.turn(t, "hello", "end_turn")
	r.looks(t, `
	user 
	  text  "hello"
	agent end_turn
	  text notice "early words"
	  text  ", later words"`)
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	if !strings.Contains(string(snap.State["usage"]), `"used":7`) || !strings.Contains(string(snap.State["commands"]), "plan") {
		t.Errorf("the state is %v", snap.State)
	}
	r.check(t)
}

func testLate(t *testing.T, a *app) {
	r := a.scripted(t, "late")
	r.st.reset()
	r.send(t, "first")
	r.ctl.expect(t, "working")
	r.st.until(t, "the question", func(v *seen) bool { return len(v.asks) == 1 })
	r.stop(t)
	r.ctl.expect(t, "cancelled")
	r.ended(t, "cancelled")
	r.ctl.expect(t, "sent")
	r.st.until(t, "the late words", func(v *seen) bool { return strings.Contains(v.message().Content(), "stopped") })
	r.turn(t, "second", "end_turn")
	r.looks(t, `
	user 
	  text  "first"
	agent cancelled
	  group
	    t1 completed "Still running"
	    t2 cancelled "Never ends"
	  text  "working"
	  group
	    t3 cancelled "Ask about t3" ?cancelled
	  text  ", stopping, stopped"
	user 
	  text  "second"
	agent end_turn
	  text  "a new turn"`)
	r.check(t)
}

// allow answers the nth request that was shown.
func (r *room) allow(t testing.TB, n int, option string) {
	t.Helper()
	id := ""
	r.st.until(t, "the question is shown", func(v *seen) bool {
		if len(v.asks) > n {
			id = v.asks[n].id
		}
		return id != ""
	})
	r.do(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: id, OptionID: option}, nil)
}

func testPermissions(t *testing.T, a *app) {
	r := a.scripted(t, "asks")
	r.st.reset()
	r.send(t, "hello")
	r.ctl.expect(t, "asked")
	r.st.until(t, "three questions", func(v *seen) bool { return len(v.asks) == 3 })
	var list []spaces.Space
	a.do(t, "ListSpaces", struct{}{}, &list)
	for _, sp := range list {
		if sp.ID == r.id && sp.State != spaces.SpaceWaiting {
			t.Errorf("the space is marked %s", sp.State)
		}
	}
	first := ""
	r.st.now(func(v *seen) { first = v.asks[0].id })
	a.refused(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: first, OptionID: "maybe"}, "invalid")
	r.allow(t, 2, "b")
	r.ctl.expect(t, "3 selected b")
	r.allow(t, 1, "no")
	r.ctl.expect(t, `"0b5c-uuid" selected no`)
	r.allow(t, 0, "")
	r.ctl.expect(t, "1 cancelled")
	a.refused(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: first, OptionID: "yes"}, "not_waiting")
	r.ended(t, "end_turn")
	r.looks(t, `
	user 
	  text  "hello"
	agent end_turn
	  group
	    t1 completed "Ask about t1" ?cancelled
	    t2 rejected "Ask about t2" ?selectedno ?selectedb`)
	r.check(t)
}

func testWithdrawn(t *testing.T, a *app) {
	r := a.scripted(t, "withdraws")
	r.st.reset()
	r.send(t, "hello")
	r.ctl.expect(t, "asked")
	r.st.until(t, "the question", func(v *seen) bool { return len(v.asks) == 1 })
	r.ctl.say(t, "go")
	r.st.until(t, "the question is gone", func(v *seen) bool { return v.asks[0].outcome == "cancelled" })
	if got := r.ctl.hear(t); !strings.HasPrefix(got, "answered ") {
		t.Errorf("the agent told %q", got)
	}
	id := ""
	r.st.now(func(v *seen) { id = v.asks[0].id })
	a.refused(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: id, OptionID: "yes"}, "not_waiting")
	r.ended(t, "end_turn")
	r.check(t)
}

func testErrors(t *testing.T, a *app) {
	for kind, want := range map[string][2]string{
		"model": {"agent_error", "model overloaded"}, "auth": {"auth_required", "Sign in to the agent"}, "status": {"agent_error", "Too Many Requests"},
	} {
		r := a.scripted(t, "fails", kind)
		if f := r.fails(t, "do it", want[0]); !strings.Contains(f.Message, want[1]) || !f.Retryable {
			t.Errorf("%s: the failure is %+v", kind, f)
		}
		r.st.reset()
		a.do(t, "RetryRun", r.ref(), nil)
		r.ended(t, "end_turn")
		r.st.now(func(v *seen) {
			if got := v.message().Content(); got != "again: do it" {
				t.Errorf("%s: after a retry the agent said %q", kind, got)
			}
		})
		r.kept(t)
	}
	a.alive(t)
}

func testFiles(t *testing.T, a *app) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(secret, []byte("secret"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "in.txt"), []byte("inside"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "binary"), []byte("\xff\x00"), 0o600))
	must(os.Symlink(secret, filepath.Join(dir, "link")))
	must(os.Symlink(outside, filepath.Join(dir, "linked")))
	must(mkfifo(filepath.Join(dir, "pipe")))
	const read, write = "fs/read_text_file", "fs/write_text_file"
	cases := []struct{ method, path, want string }{
		{read, filepath.Join(dir, "in.txt"), `ok {"content":"inside","_meta":{"encoding":"utf-8","bom":false}}`},
		{read, "in.txt", `ok {"content":"inside","_meta":{"encoding":"utf-8","bom":false}}`},
		{read, secret, "-32603"},
		{read, filepath.Join(dir, "..", filepath.Base(outside), "secret"), "-32603"},
		{read, filepath.Join(dir, "link"), "-32603"},
		{read, filepath.Join(dir, "linked", "secret"), "-32603"},
		{read, filepath.Join(dir, "missing"), "-32002"},
		{read, filepath.Join(dir, "pipe"), "-32603"},
		{read, filepath.Join(dir, "binary"), "-32603"},
		{read, dir, "-32603"},
		{read, "/dev/zero", "-32603"},
		{write, filepath.Join(dir, "new", "out.txt"), "ok {}"},
		{write, secret, "-32603"},
		{write, filepath.Join(dir, "link"), "-32603"},
		{write, filepath.Join(dir, "linked", "planted"), "-32603"},
		{write, "/proc/self/mem", "-32603"},
	}
	var args []string
	for _, c := range cases {
		args = append(args, c.method, c.path)
	}
	ctl := listen(t)
	id := a.custom(t, "Files", scriptedProgram, map[string]string{controlVariable: ctl.l.Addr().String()}, append([]string{"scripted", "files"}, args...)...)
	a.rule(t, permissions.Rule{Effect: "allow", Kind: "edit", AgentID: id}) // what is refused here is not asked about
	r := a.enter(t, dir, id)
	defer r.st.close()
	r.turn(t, "go", "end_turn")
	for _, c := range cases {
		if got := ctl.hear(t); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, got, c.want)
		}
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "secret" {
		t.Errorf("the file outside now has %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "planted")); err == nil {
		t.Error("a file was planted outside")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "new", "out.txt")); err != nil || string(b) != "written by the agent" {
		t.Errorf("the new file has %q, %v", b, err)
	}
	r.check(t)
}

func testRestart(t *testing.T, a *app) {
	for kind, methods := range map[string][]string{
		"load": {"session/load"}, "lateload": {"session/load"}, "resume": {"session/resume"},
		"none": {"session/new"}, "forgets": {"session/load", "session/new"},
	} {
		r := a.scripted(t, "restarts", kind)
		f := r.fails(t, "go", "agent_exited")
		if !strings.Contains(f.Detail, "out of ideas") {
			t.Errorf("%s: the failure is %+v", kind, f)
		}
		r.ctl.expect(t, "session/new")
		r.st.reset()
		a.do(t, "RestartAgent", r.ref(), nil)
		for _, m := range methods {
			r.ctl.expect(t, m)
		}
		r.ended(t, "end_turn")
		r.st.now(func(v *seen) {
			if len(v.conv.Messages) != 4 {
				t.Errorf("%s: there are %d messages\n%s", kind, len(v.conv.Messages), dump(v.conv.Messages))
				return
			}
			if first := v.conv.Messages[1]; first.Content() != "first words" || callOf(first, "t1").Status != transcript.StatusFailed {
				t.Errorf("%s: the first answer is now\n%s", kind, dump(v.conv.Messages))
			}
			last := v.conv.Messages[3]
			noted := strings.Contains(dump(v.conv.Messages[3:]), "received the conversation so far")
			if last.Content() != "continued" && !noted || !strings.Contains(dump(v.conv.Messages[3:]), "continued") || noted != (kind == "none" || kind == "forgets") {
				t.Errorf("%s: the second answer is\n%s", kind, dump(v.conv.Messages))
			}
		})
		r.kept(t)
	}
	a.alive(t)
}

func testCloses(t *testing.T, a *app) {
	for how, code := range map[string]string{"exits": "agent_exited", "stays": "agent_closed"} {
		r := a.scripted(t, "closes", how)
		f := r.fails(t, "hello", code)
		if !f.Retryable {
			t.Errorf("%s: the failure is %+v", how, f)
		}
		r.st.now(func(v *seen) {
			if got := v.message().Content(); got != "so far" {
				t.Errorf("%s: it had said %q", how, got)
			}
		})
		noneLeft(t, r.ctl.l.Addr().String(), 0)
		r.kept(t)
	}
	a.alive(t)
}

func testChatty(t *testing.T, a *app) {
	r := a.scripted(t, "chatty")
	r.turn(t, "hello", "end_turn")
	f := r.fails(t, "again", "agent_exited")
	if !strings.HasSuffix(f.Detail, "the last words") || len(f.Detail) > 64<<10 {
		t.Errorf("the detail has %d bytes and ends with %q", len(f.Detail), f.Detail[max(0, len(f.Detail)-40):])
	}
	r.check(t)
}

func testAsksLate(t *testing.T, a *app) {
	r := a.scripted(t, "asks late")
	r.turn(t, "hello", "end_turn")
	r.ctl.say(t, "go")
	r.ctl.expect(t, "cancelled")
	r.st.until(t, "the call is shown", func(v *seen) bool { return len(v.asks) == 1 && v.asks[0].outcome == "cancelled" })
	r.looks(t, `
	user 
	  text  "hello"
	agent end_turn
	  text  "done"
	  group
	    t1 pending "Ask about t1" ?cancelled`)
	r.check(t)
}

// An agent whose secret a restored backup has left out isn't started without it: the user is asked to enter it again.
func TestAgentWithASecretThatWasLeftOutAsksForIt(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "echo", "--token="+secret.Missing)
	f := r.fails(t, "hello", secret.CodeMissing)
	contains(t, "the failure", f.Message, "Enter it again in Settings")
}

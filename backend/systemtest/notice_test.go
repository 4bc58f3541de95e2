//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"weft/backend/conversation/transcript"
)

// greets says hello in each session before it is asked anything, and then tells the test how it was prompted.
func greets(a *scripted) {
	a.initialize("{}")
	for {
		m := a.next(func(m message) bool { return m.Method == "session/new" || m.Method == "session/prompt" })
		if m.Method == "session/new" {
			// In one piece: Weft may prompt as soon as it has the answer.
			a.buffered(resultLine(m.ID, `{"sessionId":"s1"}`))
			a.buffered(a.updateLine(chunk("greeter v1.0\n---\n")))
			a.buffered(a.updateLine(chunk("Ready.")))
			a.tell("greeted")
			continue
		}
		var p struct {
			Params struct{ Prompt []struct{ Type, Text string } }
		}
		_ = json.Unmarshal([]byte(m.line), &p)
		list := []string{fmt.Sprint(len(p.Params.Prompt))}
		for _, b := range p.Params.Prompt {
			list = append(list, b.Type+" "+strings.ReplaceAll(b.Text, "\n", " "))
		}
		a.tell(strings.Join(list, "|"))
		a.turn = m.ID
		a.say("An answer.")
		a.end("end_turn")
	}
}

func init() { addScript("greets", greets) }

// TestFirstWordsOfASessionAreNoConversation: what an agent says before it was asked anything is its notice: it is shown, and neither told to it again nor
// taken for an answer.
func TestFirstWordsOfASessionAreNoConversation(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	t.Run("in a prepared session", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "greets")
		a.do(t, "PrepareAgent", r.ref(), nil)
		if got := r.ctl.hear(t); got != "greeted" {
			t.Fatal(got)
		}
		notice := func(v *seen) bool {
			return len(v.conv.Messages) > 0 && strings.Contains(fmt.Sprint(texts(v.conv.Messages[0])), "notice greeter v1.0")
		}
		r.st.until(t, "the notice", notice)
		r.turn(t, "/session", "end_turn")
		if got := r.ctl.hear(t); got != "1|text /session" {
			t.Errorf("it was prompted with %q", got)
		}
		r.st.until(t, "the answer", func(v *seen) bool { return v.message().Content() == "An answer." })
		r.st.until(t, "the notice, outside of the turn", func(v *seen) bool {
			return notice(v) && v.conv.Messages[0].RunID == "" && v.conv.Messages[0].Content() == ""
		})
		r.check(t)
	})
	t.Run("in a session that the prompt opens", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "greets", "late")
		r.turn(t, "hello", "end_turn")
		if got := r.ctl.hear(t) + ", " + r.ctl.hear(t); got != "greeted, 1|text hello" {
			t.Errorf("it told %q", got)
		}
		r.st.until(t, "the answer", func(v *seen) bool { return v.message().Content() == "An answer." })
	})
	t.Run("in a new session after a restart", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		a := launch(t, dir)
		r := a.scripted(t, "greets", "again")
		r.turn(t, "hello", "end_turn")
		a.stop(t)
		a = launch(t, dir)
		r = &room{app: a, id: r.id, folder: r.folder, ctl: r.ctl, st: a.reenter(t, r.folder, r.id).st}
		t.Cleanup(r.st.close)
		r.turn(t, "and now", "end_turn")
		told := ""
		for !strings.Contains(told, "and now") {
			told = r.ctl.hear(t)
		}
		if strings.Contains(told, "greeter") || !strings.Contains(told, "hello") || !strings.Contains(told, "An answer.") {
			t.Errorf("it was prompted with %q", told)
		}
	})
}

func init() {
	addScript("greets late", greetsLate)
	addScript("complains", complains)
}

// greeting is what greetsLate says in each session.
const greeting = "greeter v1.0\n---\n"

// greetsLate says its banner some time after the answer to session/new, as its first argument says; "prompt" is with the first prompt. It answers that prompt
// as its second one says.
func greetsLate(a *scripted) {
	a.initialize("{}")
	wait, err := time.ParseDuration(a.args[0])
	a.respond(a.method("session/new").ID, `{"sessionId":"s1","_meta":{"greeter":{"startupInfo":`+quote(greeting)+`,"other":["x",null,7]}}}`)
	if err == nil {
		go func() {
			<-time.After(wait)
			a.say(greeting)
			a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"cmd","description":"A command"}]}`)
		}()
	}
	for {
		a.prompt()
		if err != nil {
			a.say(greeting)
			err = nil
		}
		switch a.args[1] {
		case "answers":
			a.say("An answer.")
		case "repeats":
			a.say("An answer: " + greeting)
			a.say(greeting)
		}
		if a.args[1] == "refuses" {
			a.refuse(a.turn, -32603, "400 Bad Request")
			continue
		}
		a.end("end_turn")
	}
}

// TestBannerIsNoAnswer prompts agents at once whose banner comes only then.
func TestBannerIsNoAnswer(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, when := range []string{"0s", "30ms", "120ms", "prompt"} {
		for does, want := range map[string]struct{ reason, code, content string }{
			"answers":      {"end_turn", "", "An answer."},
			"repeats":      {"end_turn", "", "An answer: " + greeting + greeting},
			"says nothing": {"end_turn", "empty_answer", ""},
			"refuses":      {"error", "agent_error", ""},
		} {
			t.Run(when+" "+does, func(t *testing.T) {
				t.Parallel()
				r := a.scripted(t, "greets late", when, does)
				r.turn(t, "hello", want.reason)
				r.st.now(func(v *seen) {
					code := ""
					if v.failed != nil {
						code = v.failed.Code
					}
					if code != want.code || v.message().Content() != want.content {
						t.Errorf("the turn fails with %q and has %q: %v", code, v.message().Content(), texts(v.message()))
					}
					all := ""
					for _, m := range v.conv.Messages {
						all += strings.Join(texts(m), "\n")
					}
					if strings.Count(all, "notice greeter v1.0") != 1 {
						t.Errorf("the banner is no notice: %q", all)
					}
				})
				r.kept(t)
			})
		}
	}
}

// texts lists the text segments of a message with their authors.
func texts(m *transcript.Message) (list []string) {
	for _, s := range m.Segments {
		if s.Type == transcript.SegmentText {
			list = append(list, s.Author+" "+s.Text)
		}
	}
	return list
}

// complains says on stderr what it was prompted with, unless that is "nothing", and answers nothing. "fail" ends with an error.
func complains(a *scripted) {
	a.open()
	for {
		text := a.prompt()
		if text != "nothing" {
			fmt.Fprintln(os.Stderr, "trouble:", text)
		}
		if text == "fail" {
			a.refuse(a.turn, -32603, "400 Bad Request")
			continue
		}
		a.end("end_turn")
	}
}

func TestDetailsOfAFailureAreOfItsTurn(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "complains")
	if f := r.fails(t, "fail", "agent_error"); !strings.Contains(f.Detail, "trouble: fail") {
		t.Errorf("%+v", f)
	}
	for _, text := range []string{"nothing", "again"} {
		r.turn(t, text, "end_turn")
		f := r.failure(t, "empty_answer")
		if strings.Contains(f.Detail, "fail") || strings.Contains(f.Detail, "trouble: again") != (text == "again") {
			t.Errorf("%s: %+v", text, f)
		}
	}
	r.check(t)
}

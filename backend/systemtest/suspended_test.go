//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"weft/backend/api/service/conversation"
)

func init() {
	addScript("suspends", suspends)
	addScript("loud", loud)
	addScript("insistent", insistent)
}

// suspends stops its own process in the turn that asks for it, as Ctrl+Z in a shell or a debugger does.
func suspends(a *scripted) {
	a.open()
	for {
		switch text := a.prompt(); text {
		case "suspend":
			a.tell("working")
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case "answer, then suspend":
			a.end("end_turn")
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		default:
			a.say("You said: " + text)
			a.end("end_turn")
		}
	}
}

// loud writes a lot to stderr in each turn.
func loud(a *scripted) {
	a.open()
	line := strings.Repeat("0123456789abcdef ", 60) + "\n"
	for {
		a.prompt()
		a.tell("begins")
		for range 300 << 20 / len(line) {
			_, _ = os.Stderr.WriteString(line)
		}
		a.tell("wrote")
		a.say("Done.")
		a.end("end_turn")
	}
}

// insistent asks for thousands of things at once.
func insistent(a *scripted) {
	a.open()
	for {
		a.prompt()
		a.tell("begins")
		for i := range 5000 {
			a.ask(fmt.Sprint(1000+i), fmt.Sprintf("t%d", i), yesNo)
		}
		a.tell("wrote")
	}
}

// TestSuspendedAgentIsReplaced: what is sent after Stop gets another process where the one before neither ends its turn nor reads.
func TestSuspendedAgentIsReplaced(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"suspend", "answer, then suspend"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			a := launch(t, t.TempDir(), "--stop=500ms", "--write=1s")
			r := a.scripted(t, "suspends")
			r.st.reset()
			r.send(t, how)
			if how == "suspend" {
				r.ctl.expect(t, "working")
			} else {
				r.ended(t, "end_turn")
				r.st.reset()
				r.send(t, "hello")
				r.sent(t)
			}
			r.stop(t)
			r.send(t, "are you there?")
			r.st.until(t, "the next turn ends", func(v *seen) bool { return v.runs["end_turn"] == 1 })
			r.st.now(func(v *seen) {
				if got := v.message().Content(); !strings.Contains(got, "You said: are you there?") {
					t.Errorf("the agent said %q", got)
				}
			})
			r.check(t)
		})
	}
}

// sent waits until the agent was sent the prompt of the run that is in progress.
func (r *room) sent(t testing.TB) {
	t.Helper()
	r.progresses(t, "the prompt to be sent", func(p conversation.RunProgress) bool { return p.SentAt > 0 })
}

// A space can be opened while, and after, its agent writes or asks more than anyone reads.
func TestSpaceOfALoudAgentCanBeOpened(t *testing.T) {
	for _, script := range []string{"loud", "insistent"} {
		a := launch(t, t.TempDir())
		r := a.scripted(t, script)
		r.send(t, "go")
		r.ctl.expect(t, "begins")
		r.do(t, "OpenSpace", r.ref(), nil)
		r.ctl.expect(t, "wrote")
		r.do(t, "OpenSpace", r.ref(), nil)
	}
}

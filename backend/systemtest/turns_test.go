//go:build linux

package systemtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/backend/api/service/conversation"
	"weft/backend/conversation/transcript"
)

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// queue returns the queued prompts as the subscriber sees them.
func (v *seen) queue() (texts []string) {
	var list []struct{ Text string }
	_ = json.Unmarshal(v.conv.State[transcript.StateQueue].Value, &list)
	for _, q := range list {
		texts = append(texts, q.Text)
	}
	return texts
}

func testQueue(t *testing.T, a *app) {
	r := a.scripted(t, "slow")
	r.st.reset()
	if res := r.send(t, "one"); res.Queued {
		t.Error("the first prompt was queued")
	}
	r.ctl.expect(t, "one")
	var ids []string
	for _, text := range []string{"two", "three", "four"} {
		res := r.send(t, text)
		if !res.Queued {
			t.Errorf("%s was not queued", text)
		}
		ids = append(ids, res.PromptID)
	}
	a.do(t, "EditQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[0], Text: "TWO"}, nil)
	a.refused(t, "EditQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[0], Text: " "}, "invalid")
	a.do(t, "RemoveQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[1]}, nil)
	a.refused(t, "SendQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[2]}, "busy")
	a.do(t, "MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: ids[0]}, nil)
	r.st.until(t, "the queue has another order", func(v *seen) bool { return strings.Join(v.queue(), " ") == "four TWO" })
	a.do(t, "MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: ids[0], Before: ids[2]}, nil)
	a.refused(t, "MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: ids[1]}, "not_found")
	r.st.until(t, "the queue is shown", func(v *seen) bool { return strings.Join(v.queue(), " ") == "TWO four" })
	r.ctl.say(t, "end")
	r.ctl.expect(t, "TWO")
	a.refused(t, "RemoveQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[0]}, "not_found")
	a.refused(t, "MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: ids[0]}, "not_found")
	a.refused(t, "MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: ids[2], Before: ids[0]}, "changed")
	// After a stop nothing is sent by itself.
	r.stop(t)
	r.ctl.say(t, "end")
	r.st.until(t, "the second turn ends", func(v *seen) bool { return v.runs["end_turn"]+v.runs["cancelled"] == 2 })
	r.st.now(func(v *seen) {
		if got := strings.Join(v.queue(), " "); got != "four" {
			t.Errorf("after a stop %q waits", got)
		}
	})
	a.do(t, "SendQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: ids[2]}, nil)
	r.ctl.expect(t, "four")
	r.ctl.say(t, "end")
	r.st.until(t, "the third turn ends", func(v *seen) bool {
		return v.runs["end_turn"]+v.runs["cancelled"] == 3 && len(v.queue()) == 0
	})
	a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: " \n"}, "invalid")
	r.check(t)
}

// TestUnresponsiveAgentIsStopped has limits short enough to wait for.
func TestUnresponsiveAgentIsStopped(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir(), "--stop=500ms", "--write=1s")
	t.Run("ignores a stop", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "stubborn")
		r.st.reset()
		r.send(t, "hello")
		r.ctl.expect(t, "working")
		r.stop(t)
		r.ended(t, "cancelled")
		r.looks(t, `
	user 
	  text  "hello"
	agent cancelled
	  group
	    t1 cancelled "Stubborn"
	  text  "I will not stop"`)
		r.check(t)
	})
	t.Run("never reads", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "deaf")
		f := r.fails(t, strings.Repeat("long ", 100_000), "agent_stalled")
		if !f.Retryable {
			t.Errorf("the failure is %+v", f)
		}
		r.st.now(func(v *seen) {
			if got := strings.Join(partsOf(v.message()), "\n"); !strings.Contains(got, "I do not listen") {
				t.Errorf("it had said %q", got)
			}
		})
		r.check(t)
	})
}

// TestFlood checks that a flood arrives whole and costs no memory.
func TestFlood(t *testing.T) {
	t.Parallel()
	const warm, chunks = 20_000, 200_000
	a := launch(t, t.TempDir())
	r := a.scripted(t, "flood")
	r.turn(t, strconv.Itoa(warm), "end_turn")
	before, _ := memory(t, a.cmd.Process.Pid)
	r.turn(t, strconv.Itoa(chunks), "end_turn")
	after, highest := memory(t, a.cmd.Process.Pid)
	t.Logf("resident memory: %d MB before, %d MB after, %d MB at most", before>>20, after>>20, highest>>20)
	if highest-before > 64<<20 {
		t.Errorf("memory grew from %d MB to %d MB", before>>20, highest>>20)
	}
	var want strings.Builder
	for n := range chunks {
		want.WriteString(flooded(n))
	}
	r.st.now(func(v *seen) {
		if got := v.message().Content(); got != want.String() {
			t.Errorf("%d bytes arrived of %d", len(got), want.Len())
		}
		t.Logf("%d chunks became %d events", warm+chunks, v.events)
	})
	r.check(t)
	a.stop(t)
}

// testStopAtOnce stops turns that have just begun: the agent must hear of the stop after the prompt.
func testStopAtOnce(t *testing.T, a *app) {
	r := a.scripted(t, "stoppable")
	for range 40 {
		r.st.reset()
		r.send(t, "go")
		r.stop(t)
		r.ended(t, "cancelled")
		select {
		case what := <-r.ctl.lines:
			t.Fatalf("the agent told %q", what.line)
		default:
		}
	}
	r.check(t)
}

// TestKillWithAQuestion kills the app while an agent waits for an answer and prompts wait for the agent.
func TestKillWithAQuestion(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "asks")
	r.send(t, "one")
	r.ctl.expect(t, "asked")
	res := r.send(t, "two")
	r.st.until(t, "all is shown", func(v *seen) bool { return len(v.asks) == 3 && len(v.queue()) == 1 })
	question := ""
	r.st.now(func(v *seen) { question = v.asks[0].id })
	a.kill()
	<-r.st.done
	b := launch(t, a.home)
	conv, err := b.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(conv.Messages), strings.TrimLeft(strings.ReplaceAll(`
	user 
	  text  "one"
	agent interrupted ERROR interrupted: Weft was closed while the agent was working. Its answer up to then is kept.
	  group
	    t1 cancelled "Ask about t1" ?lost
	    t2 cancelled "Ask about t2" ?lost ?lost
`, "\n\t", "\n"), "\n"); got != want {
		t.Errorf("after the restart the space looks like\n%s\nwant\n%s", got, want)
	}
	b.refused(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: question, OptionID: "yes"}, "not_waiting")
	again := b.reenter(t, r.folder, r.id)
	defer again.st.close()
	again.ctl = r.ctl
	b.do(t, "SendQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: res.PromptID}, nil)
	again.ctl.expect(t, "asked")
	again.st.until(t, "the queue is empty", func(v *seen) bool { return len(v.asks) == 3 && len(v.queue()) == 0 })
	again.stop(t)
	for range 3 {
		if got := again.ctl.hear(t); !strings.HasSuffix(got, " cancelled") {
			t.Errorf("the agent told %q", got)
		}
	}
}

// TestPromptSentAfterStopRunsNext sends prompts around a stop: those that waited before it are held, those that come after it aren't.
func TestPromptSentAfterStopRunsNext(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, late := range []bool{false, true} { // the agent ends its turn before, or after, the next prompt is sent
		r := a.scripted(t, "slow")
		r.st.reset()
		r.send(t, "zero")
		r.ctl.expect(t, "zero")
		held := r.send(t, "one").PromptID
		r.send(t, "two")
		r.stop(t)
		if !late {
			r.ctl.say(t, "end")
			r.st.until(t, "the turn ends", func(v *seen) bool { return v.runs["end_turn"]+v.runs["cancelled"] == 1 })
		}
		if res := r.send(t, "three"); res.Queued != late {
			t.Errorf("late %v: the prompt after the stop is queued: %v", late, res.Queued)
		}
		if late {
			r.ctl.say(t, "end")
		}
		r.ctl.expect(t, "three")
		r.send(t, "four")
		waiting := func(want string) {
			t.Helper()
			r.st.until(t, "in the queue: "+want, func(v *seen) bool { return strings.Join(v.queue(), " ") == want })
		}
		waiting("one two four")
		r.ctl.say(t, "end")
		r.ctl.expect(t, "four")
		r.ctl.say(t, "end")
		r.st.until(t, "three turns end", func(v *seen) bool { return v.runs["end_turn"]+v.runs["cancelled"] == 3 })
		waiting("one two")
		// The one that is sent resumes the others.
		r.do(t, "SendQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: held}, nil)
		for _, text := range []string{"one", "two"} {
			r.ctl.expect(t, text)
			r.ctl.say(t, "end")
		}
		r.st.until(t, "five turns end", func(v *seen) bool { return v.runs["end_turn"]+v.runs["cancelled"] == 5 })
		waiting("")
		r.check(t)
	}
}

// TestHeldPromptIsResumedDuringTurn resumes what a stop has held while another turn is in progress.
func TestHeldPromptIsResumedDuringTurn(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "slow")
	r.send(t, "zero")
	r.ctl.expect(t, "zero")
	held := conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: r.send(t, "one").PromptID}
	r.stop(t)
	r.send(t, "two")
	r.ctl.say(t, "end")
	r.ctl.expect(t, "two")
	r.do(t, "SendQueued", held, nil)
	r.refused(t, "SendQueued", held, "busy")
	r.ctl.say(t, "end")
	r.ctl.expect(t, "one")
	r.ctl.say(t, "end")
	r.st.until(t, "three turns end", func(v *seen) bool { return v.runs["end_turn"]+v.runs["cancelled"] == 3 })
	r.check(t)
}

// describes sends its commands in a turn, says something when the test tells it to, and then ends.
func describes(a *scripted) {
	a.open()
	a.prompt()
	a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"cmd","description":"A command"}]}`)
	a.await()
	a.say("I have begun.")
	a.await()
	a.end("end_turn")
	a.prompt()
}

func init() { addScript("describes", describes) }

// TestProgressTellsWorkFromDescriptions: what an agent sends about its session is no sign of work, and an agent that starts doesn't work yet.
func TestProgressTellsWorkFromDescriptions(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	mute := a.scripted(t, "mute")
	mute.send(t, "hello")
	mute.progresses(t, "it starts", func(p conversation.RunProgress) bool { return p.Phase == "starting" })
	mute.stop(t)
	mute.ended(t, "cancelled")
	r := a.scripted(t, "describes")
	r.send(t, "hello")
	r.progresses(t, "its commands", func(p conversation.RunProgress) bool {
		return p.Phase == "working" && p.Seen == "commands" && p.WorkedAt == 0
	})
	r.ctl.say(t, "go on")
	r.progresses(t, "its words", func(p conversation.RunProgress) bool { return p.Seen == "work" && p.WorkedAt > 0 })
	r.ctl.say(t, "end")
	r.ended(t, "end_turn")
	r.check(t)
}

// progresses waits until the progress of the run fits.
func (r *room) progresses(t testing.TB, what string, fits func(conversation.RunProgress) bool) {
	t.Helper()
	var progress conversation.RunProgress
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		var head conversation.Snapshot
		r.do(t, "OpenSpace", r.ref(), &head)
		if head.Run == nil {
			continue
		}
		r.do(t, "RunProgress", conversation.RunRef{RunID: head.Run.ID}, &progress)
		if fits(progress) {
			return
		}
	}
	t.Fatalf("waited in vain for %s: %+v", what, progress)
}

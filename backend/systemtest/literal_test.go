//go:build linux

package systemtest

import (
	"fmt"
	"strings"
	"testing"

	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

func init() { addScript("literal", literal) }

// literal is an agent that shows its calls in the ways of published agents. Each prompt is one way.
func literal(a *scripted) {
	a.open()
	for n := 0; ; n++ {
		way, id := a.prompt(), fmt.Sprint("call", n)
		start := func(more string) { // in one write with what follows
			a.buffered(a.updateLine(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":"Read a.go","kind":"read","status":"pending"` + more + `}`))
		}
		const input = `,"rawInput":{"path":"a.go"}`
		a.say("Looking. ")
		switch way {
		case "with its input":
			start(input)
		case "in the next message":
			start(`,"rawInput":{}`)
			a.callUpdate(id, "in_progress", input)
		case "in the next message, without a status":
			start("")
			a.buffered(a.updateLine(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + input + `}`))
		case "in fragments":
			start("")
			for _, piece := range []string{`{"pa`, `th":"a`, `.go"}`} {
				a.buffered(a.updateLine(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"_meta":{"weft/inputDelta":` + quote(piece) + `}}`))
			}
			a.callUpdate(id, "in_progress", input)
		case "much later":
			start("")
			a.tell("started")
			a.await()
			a.callUpdate(id, "in_progress", input)
		case "rejected", "permitted":
			start(input)
			a.ask("9", id, yesNo)
			if answer := a.answer("9"); way == "rejected" && !strings.Contains(string(answer.Result), `"yes"`) {
				a.callUpdate(id, "failed", content("The user doesn't want this."))
				a.end("end_turn")
				continue
			}
		case "left open":
			start(input)
			a.end("end_turn")
			continue
		case "stopped":
			start(input)
			a.method("session/cancel")
			a.end("cancelled")
			continue
		}
		a.callUpdate(id, "completed", content("package a"))
		a.end("end_turn")
	}
}

// naive is what a program shows that knows only starts, ends and errors.
func naive(events []transcript.Body) (started *transcript.ToolCallStart, outcome string) {
	for _, e := range events {
		switch b := e.(type) {
		case *transcript.ToolCallStart:
			started = b
		case *transcript.ToolCallEnd:
			outcome = "done: " + b.Summary
		case *transcript.ToolCallError:
			outcome = "error: " + b.Error
		}
	}
	return started, outcome
}

// TestToolEventsCanBeReadLiterally: what a call is asked to do is in its start where that is known in time, and a call that was not done is not told as done.
func TestToolEventsCanBeReadLiterally(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for way, want := range map[string]string{
		"with its input": "done", "in the next message": "done", "in the next message, without a status": "done", "in fragments": "done",
		"much later": "done", "permitted": "done",
		"rejected": "error: The call was rejected.", "left open": "error: No result reported", "stopped": "error: The call was canceled.",
	} {
		t.Run(way, func(t *testing.T) {
			r := a.scripted(t, "literal")
			r.turn(t, "with its input", "end_turn") // its session is open
			for range 5 {                           // a busy machine may take longer than a frame for one of them
				r.st.reset()
				if r.literally(t, way); r.startedWhole() || way == "much later" {
					break
				}
			}
			r.st.now(func(v *seen) {
				start, outcome := naive(v.tools)
				if start == nil || (string(start.Input) == `{"path":"a.go"}`) == (way == "much later") || !strings.HasPrefix(outcome, want) {
					t.Errorf("the start is %+v, the outcome %q, want %q", start, outcome, want)
				}
			})
			r.check(t)
		})
	}
}

// startedWhole reports whether the last start of a call has told its input.
func (r *room) startedWhole() (whole bool) {
	r.st.now(func(v *seen) {
		start, _ := naive(v.tools)
		whole = start != nil && len(start.Input) > len("{}")
	})
	return whole
}

// literally plays one of the ways.
func (r *room) literally(t *testing.T, way string) {
	t.Helper()
	r.send(t, way)
	reason := "end_turn"
	switch way {
	case "much later":
		r.ctl.expect(t, "started")
		r.st.until(t, "the call is shown without its input", func(v *seen) bool { s, _ := naive(v.tools); return s != nil })
		r.ctl.say(t, "on")
	case "rejected":
		r.allow(t, 0, "no")
	case "permitted":
		r.allow(t, 0, "yes")
	case "stopped":
		r.st.until(t, "the call is shown", func(v *seen) bool { s, _ := naive(v.tools); return s != nil })
		r.stop(t)
		reason = "cancelled"
	}
	r.ended(t, reason)
}

// TestWaitForAnyReplyIsTold: a run that waits for a reply says so to who reads the events of the space in which it can be given.
func TestWaitForAnyReplyIsTold(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	finance := a.gather(t, "Bob")
	a.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: finance.id, MemberInput: spaces.MemberInput{AgentID: shop.listed(t).AgentID, Name: "Planner"}}, nil)
	for _, r := range []*room{finance.room, shop} {
		shop.send(t, wishes(asking(r.id, "How much?")))
		id := r.replyTo(t, "How much?")
		r.st.until(t, "that it waits is told", func(v *seen) bool {
			for _, e := range v.tools {
				if w, ok := e.(*transcript.RunWaitingTool); ok && w.RequestID == id && w.RunID != "" && w.ToolCallID != "" {
					return true
				}
			}
			return false
		})
		r.send(t, "500")
		shop.ended(t, "end_turn")
		shop.st.reset()
	}
	shop.check(t)
}

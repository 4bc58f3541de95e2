//go:build linux

package systemtest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

func init() { addScript("curious", curious) }

// curious asks what each prompt says, as the params of elicitation/create, and tells the answer.
func curious(a *scripted) {
	a.open()
	for n := 100; ; n++ {
		text := a.prompt()
		if text == "withdraw" {
			a.raw(`{"jsonrpc":"2.0","id":` + string(rune('0'+n%10)) + `,"method":"elicitation/create","params":{"sessionId":"s1","mode":"form","message":"Never mind","requestedSchema":{"type":"object","properties":{}}}}`)
			a.await()
			a.raw(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + string(rune('0'+n%10)) + `}}`)
			a.tell(code(a.answer(string(rune('0' + n%10)))))
			a.end("end_turn")
			continue
		}
		m := a.request("7", "elicitation/create", text)
		if m.Error != nil {
			a.tell(m.Error.Message)
		} else {
			a.tell(string(m.Result))
		}
		a.end("end_turn")
	}
}

const form = `{"sessionId":"s1","mode":"form","message":"Which fruit?","requestedSchema":{"type":"object","properties":{"fruit":{"type":"string","enum":["apple","pear"]},"many":{"type":"integer"}},"required":["fruit"]}}`

// asked waits for the open question and returns its request id.
func (r *room) asked(t *testing.T) string {
	t.Helper()
	r.st.until(t, "a question", func(v *seen) bool { return len(v.asks) > 0 && v.asks[len(v.asks)-1].outcome == "" })
	var id string
	r.st.now(func(v *seen) { id = v.asks[len(v.asks)-1].id })
	return id
}

func (r *room) reply(t *testing.T, action, content string) {
	t.Helper()
	r.do(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: r.asked(t), Action: action, Content: jsontext.Value(content)}, nil)
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "curious")
	last := func() (c *transcript.ToolCall) {
		r.st.now(func(v *seen) {
			for _, s := range v.message().Segments {
				for _, it := range s.Items {
					if it.Call != nil {
						c = it.Call
					}
				}
			}
		})
		return c
	}
	for _, c := range []struct {
		prompt, action, content, want string
		status                        transcript.Status
	}{
		{form, "accept", `{"fruit":"pear","many":3}`, `{"action":"accept","content":{"fruit":"pear","many":3}}`, transcript.StatusCompleted},
		{form, "decline", `null`, `{"action":"decline"}`, transcript.StatusRejected},
		{form, "cancel", `null`, `{"action":"cancel"}`, transcript.StatusCancelled},
		{`{"sessionId":"s1","mode":"url","elicitationId":"e","message":"Sign the paper","url":"https://example.org/sign?a=(b)"}`, "accept", `null`, `{"action":"accept"}`, transcript.StatusCompleted},
	} {
		r.st.reset()
		r.send(t, c.prompt)
		id := r.asked(t)
		var snap conversation.Snapshot
		a.do(t, "OpenSpace", r.ref(), &snap)
		if sp := snap.Space; sp.State != spaces.SpaceWaiting || len(sp.Waits) != 1 || sp.Waits[0].RequestID != id || sp.Waits[0].Kind != "question" {
			t.Errorf("while it asks, the space is %+v", sp)
		}
		a.refused(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: id, Action: "shrug"}, "invalid")
		r.reply(t, c.action, c.content)
		r.ctl.expect(t, c.want)
		r.ended(t, "end_turn")
		if call := last(); call.Status != c.status || call.Name != "weft/question" || c.status == transcript.StatusCompleted && strings.HasPrefix(c.content, "{") && call.Summary != "pear, 3" {
			t.Errorf("%s %s: the call is %+v", c.action, c.prompt, call)
		}
		a.refused(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: id, Action: "decline"}, "not_waiting")
	}
	// What is no form is refused at once.
	for _, broken := range []string{`{"mode":"form","message":"x"}`, `{"mode":"form","requestedSchema":[]}`, `{"mode":"url"}`, `{"mode":3}`} {
		r.st.reset()
		r.send(t, broken)
		if said := r.ctl.hear(t); strings.HasPrefix(said, "{") {
			t.Errorf("%s was answered with %s", broken, said)
		}
		r.ended(t, "end_turn")
	}
	// A question is answered with an object only.
	r.st.reset()
	r.send(t, form)
	for _, content := range []string{`null`, `[]`, `"pear"`, `{"a":"` + strings.Repeat("x", 70_000) + `"}`} {
		a.refused(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: r.asked(t), Action: "accept", Content: jsontext.Value(content)}, "invalid")
	}
	// Stopping takes it back, and so does the agent.
	a.do(t, "StopRun", r.ref(), nil)
	r.ctl.expect(t, `{"action":"cancel"}`)
	r.st.until(t, "the end", func(v *seen) bool { return len(v.runs) > 0 })
	r.st.reset()
	r.send(t, "withdraw")
	r.asked(t)
	r.ctl.say(t, "go")
	r.ctl.expect(t, "-32800")
	r.ended(t, "end_turn")
	if call := last(); call.Status != transcript.StatusCancelled {
		t.Errorf("a question that was withdrawn is %s", call.Status)
	}
	r.kept(t)
	a.stop(t)
}

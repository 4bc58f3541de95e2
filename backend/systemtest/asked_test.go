//go:build linux

package systemtest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	asked "weft/backend/space/requests"
)

func init() {
	addScript("wonders", wonders)
	addScript("asks first", asksFirst)
}

// wonders asks the way qwen does: in permission requests. The prompt is the rest of the request's params.
func wonders(a *scripted) {
	a.open()
	for {
		text := a.prompt()
		a.raw(`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"proceed_once","name":"Submit","kind":"allow_once"},{"optionId":"cancel","name":"Cancel","kind":"reject_once"}],` + text + `}}`)
		if strings.Contains(text, "by itself") {
			a.await()
			a.callUpdate("c1", "completed", "")
		}
		result := string(a.answer("7").Result)
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","title":"Asked","rawOutput":"User has provided the following answers","content":[{"type":"content","content":{"type":"text","text":"User has provided the following answers"}}]}`)
		a.tell(result)
		a.end("end_turn")
	}
}

// asksFirst wants to know something before it opens a session; the address is done with elsewhere.
func asksFirst(a *scripted) {
	a.initialize("{}")
	m := a.method("session/new")
	if len(a.args) > 0 {
		a.raw(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"mode":"url","requestId":"1","elicitationId":"e1","message":"Buy a licence","url":"https://example.org/buy"}}`)
		a.await()
		a.raw(`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}`)
		a.tell(string(a.answer("9").Result))
	} else {
		a.tell(string(a.request("8", "elicitation/create", `{"mode":"form","requestId":"1","message":"Which project?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name","pattern":"^[a-z]+$"},"slow":{"type":"string","pattern":"^(a+)+$"}}}}`).Result))
	}
	a.respond(m.ID, `{"sessionId":"s1"}`)
	for {
		a.prompt()
		a.say("hello")
		// Outside of any request of Weft nobody is asked.
		a.end("end_turn")
		a.tell(string(a.request("10", "elicitation/create", `{"mode":"form","message":"Still there?","requestedSchema":{"type":"object","properties":{}}}`).Result))
	}
}

func TestQuestionsInPermissionRequests(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "wonders")
	const two = `{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"Warm"},{"label":"Blue","description":"Cold"}]},{"question":"Which sizes?","header":"Sizes","multiSelect":true,"options":[{"label":"S","description":""},{"label":"L","description":""}]}`
	const call = `"toolCall":{"toolCallId":"c1","title":"Ask user 2 questions","kind":"think","status":"pending"`
	for _, c := range []struct{ prompt, action, content, want string }{
		{
			`"_meta":{"qwenInteractionKind":"user_question","qwenQuestions":[` + two + `]},` + call + `}`, "accept", `{"answer0":"Blue","answer1":["S","L"],"other1":"XXL"}`,
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Blue","1":"S, L, XXL"}}`,
		},
		{
			call + `,"rawInput":{"questions":[` + two + `]},"_meta":{"toolName":"ask_user_question"}}`, "accept", `{"other0":"Green"}`,
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Green"}}`,
		},
		{
			call + `,"_meta":{"questions":[{"question":"Why?"}]}}`, "accept", `{"answer0":"Because"}`,
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Because"}}`,
		},
		{call + `,"_meta":{"questions":[` + two + `]}}`, "decline", `null`, `{"outcome":{"outcome":"selected","optionId":"cancel"}}`},
		{call + `,"_meta":{"questions":[` + two + `]}}`, "cancel", `null`, `{"outcome":{"outcome":"cancelled"}}`},
	} {
		r.st.reset()
		r.send(t, c.prompt)
		r.reply(t, c.action, c.content)
		r.ctl.expect(t, c.want)
		r.ended(t, "end_turn")
		r.st.now(func(v *seen) { // the question and its form are one
			var calls []*transcript.ToolCall
			for _, s := range v.message().Segments {
				for _, it := range s.Items {
					calls = append(calls, it.Call)
				}
			}
			if len(calls) != 1 || calls[0].Name != asked.QuestionTool || c.action == "accept" && (calls[0].Status != transcript.StatusCompleted || len(calls[0].Content) > 0 || !strings.Contains(string(calls[0].Output), "answer") && !strings.Contains(string(calls[0].Output), "other")) {
				t.Errorf("%d calls, the first is %+v", len(calls), calls[0])
			}
		})
	}
	// What is no list of questions is a request like any other.
	r.st.reset()
	r.send(t, `"_meta":{"questions":[{"options":[]}],"qwenInteractionKind":"user_question"},`+call+`}`)
	a.do(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: r.asked(t), OptionID: "proceed_once"}, nil)
	r.ctl.expect(t, `{"outcome":{"outcome":"selected","optionId":"proceed_once"}}`)
	r.ended(t, "end_turn")
	// The agent continues by itself.
	r.st.reset()
	r.send(t, call+`,"_meta":{"questions":[{"question":"Answered by itself?"}]}}`)
	r.asked(t)
	r.ctl.say(t, "go")
	r.ctl.expect(t, `{"outcome":{"outcome":"cancelled"}}`)
	r.ended(t, "end_turn")
	r.kept(t)
	a.stop(t)
}

func TestQuestionsWhileTheAgentStarts(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, args := range [][]string{nil, {"an address"}} {
		r := a.scripted(t, "asks first", args...)
		prepared := make(chan error, 1)
		go func() { prepared <- a.try("PrepareAgent", r.ref(), nil) }()
		id := r.asked(t)
		var snap conversation.Snapshot
		a.do(t, "OpenSpace", r.ref(), &snap)
		if snap.Space.State != spaces.SpaceWaiting || len(snap.Space.Waits) != 1 {
			t.Errorf("while it asks, the space is %+v", snap.Space)
		}
		if args == nil {
			// Patterns are looked at here, where they take no time.
			for _, wrong := range []string{`{"name":"No"}`, `{"name":"no","slow":"` + strings.Repeat("a", 5000) + `!"}`} {
				a.refused(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: id, Action: "accept", Content: jsontext.Value(wrong)}, "does_not_fit")
			}
			r.reply(t, "accept", `{"name":"weft"}`)
			r.ctl.expect(t, `{"action":"accept","content":{"name":"weft"}}`)
		} else {
			r.ctl.say(t, "done elsewhere")
			r.ctl.expect(t, `{"action":"accept"}`)
		}
		if err := <-prepared; err != nil {
			t.Errorf("PrepareAgent: %v", err)
		}
		r.st.until(t, "the end of the question", func(v *seen) bool { return v.asks[0].outcome != "" })
		r.turn(t, "hi", "end_turn")
		r.ctl.expect(t, `{"action":"cancel"}`)
		r.st.now(func(v *seen) {
			if c := v.conv.Messages[0].Segments[0].Items[0].Call; c.Status != transcript.StatusCompleted {
				t.Errorf("the question is %s", c.Status)
			}
			if m := v.conv.Messages[0]; m.EndedAt == 0 {
				t.Error("the message of the question has not ended")
			}
		})
	}
	a.stop(t)
}

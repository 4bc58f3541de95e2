//go:build linux

package systemtest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// follows has an agent that weaves do some things, and returns what it said itself.
func (r *room) follows(t *testing.T, ops ...weaveOp) string {
	t.Helper()
	r.st.reset()
	r.orders(t, ops...)
	r.ended(t, "end_turn")
	return r.agentText()
}

func (r *room) orders(t *testing.T, ops ...weaveOp) {
	t.Helper()
	raw, err := json.Marshal(ops)
	path := filepath.Join(t.TempDir(), "plan")
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.send(t, weaveOrder+path)
}

// agentMessage is the last message of an agent.
func (r *room) agentMessage() (m *transcript.Message) {
	r.st.now(func(v *seen) { m = v.message() })
	return m
}

// cutUp is a call whose input is written in pieces of so many bytes; 0 does not write it. What is sent in the end may be another one.
func cutUp(input, sent string, size int) []weaveOp {
	ops := []weaveOp{{Do: "open", ID: "call", Tool: "sendSpaceMessage"}}
	for rest := input; size > 0 && rest != ""; {
		cut := min(size, len(rest))
		for cut < len(rest) && !utf8.RuneStart(rest[cut]) {
			cut++
		}
		ops = append(ops, weaveOp{Do: "write", ID: "call", Text: rest[:cut]})
		rest = rest[cut:]
	}
	if sent == "" {
		sent = input
	}
	return append(ops, weaveOp{Do: "send", ID: "call", Tool: "sendSpaceMessage", Text: sent, Whole: size == 0 || len(input) > 100_000, Sync: true})
}

// TestInvalidSpaceMessagesAreRefused covers input of sendSpaceMessage that is large, cut anywhere, changed or wrong: the right text is there once, or
// nothing and the agent reads why.
func TestInvalidSpaceMessagesAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	from := a.scripted(t, "weaver")
	long := strings.Repeat("größe 日本 🙂 \n", 1<<20/24)
	var foreign spaces.Space
	stranger := a.custom(t, "Stranger", scriptedProgram, nil, "scripted", "weaver")
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: from.folder, Members: []spaces.MemberInput{{Name: "Stranger", AgentID: stranger}}}, &foreign)
	for _, c := range []struct {
		name  string
		input string // SPACE is another space
		sent  string // in the end, "" for the same
		size  int    // of the fragments
		text  string // the text in the space; "" for none
		last  bool   // it only has to be at the end
		shown bool   // it was not sent, and is marked as that
		says  string // the agent reads
	}{
		{name: "1 MB whole", input: `{"spaceId":"SPACE","text":` + quote(long) + `}`, text: long},
		{name: "1 MB streamed", input: `{"spaceId":"SPACE","text":` + quote(long) + `}`, size: 4000, text: long},
		{name: "1 MB streamed, the space behind it", input: `{"text":` + quote(long) + `,"spaceId":"SPACE"}`, size: 40_000, text: long},
		{name: "cut in escapes and pairs", input: `{"sp\u0061ceId":"SPACE","text":"\ud83d\ude42 \u00e4\n\\\"\u65E5\ud83d\uDE42"}`, size: 1, text: "🙂 ä\n\\\"日🙂"},
		{name: "the space behind it", input: `{"text":"\ud83d\ude42 first","spaceId":"SPACE"}`, size: 3, text: "🙂 first"},
		{name: "white space everywhere", input: " {\n \"text\" : \"a b\" ,\t\"spaceId\" : \"SPACE\" } \n", size: 2, text: "a b"},
		{name: "another text in the end", input: `{"spaceId":"SPACE","text":"What was written"}`, sent: `{"spaceId":"SPACE","text":"What is meant"}`, size: 5, text: "What is meant", last: true},
		{name: "more text in the end", input: `{"spaceId":"SPACE","text":"Begun`, sent: `{"spaceId":"SPACE","text":"Begun and ended"}`, size: 5, text: "Begun and ended"},
		{name: "broken while it is written", input: `{"spaceId":"SPACE","text":"Bro" oops`, sent: `{"spaceId":"SPACE","text":"Broken no more"}`, size: 4, text: "Broken no more"},
		{name: "half a pair", input: `{"spaceId":"SPACE","text":"half \ud83d of it"}`, size: 1, text: "half \ufffd of it", shown: true, says: "surrogate"},
		{name: "a text twice", input: `{"spaceId":"SPACE","text":"one","text":"two"}`, says: "duplicate"},
		{name: "no text", input: `{"spaceId":"SPACE","text":""}`, size: 2, says: "text"},
		{name: "no space", input: `{"text":"To whom?"}`, size: 2, says: "spaceId"},
		{name: "a space that isn't there", input: `{"spaceId":"nowhere","text":"Hello?"}`, size: 2, says: "There is no space nowhere"},
		{name: "a space of others", input: `{"spaceId":"FOREIGN","text":"Hello?"}`, size: 2, says: "aren't a member of the space"},
		{name: "a wait that is no yes or no", input: `{"spaceId":"SPACE","text":"Hello?","wait":"yes"}`, size: 7, text: "Hello?", shown: true, says: "wait"},
		{name: "a member of another space", input: `{"spaceId":"SPACE","text":"Hello?","mention":"Stranger"}`, size: 6, text: "Hello?", says: `There is no member called "Stranger"`},
		{name: "a mention that is no name", input: `{"spaceId":"SPACE","text":"Hello?","mention":"@"}`, size: 6, text: "Hello?", says: `There is no member called ""`},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // they share the spaces
			to := a.reenter(t, from.folder, a.like(t, from).ID)
			defer to.st.close()
			in := strings.NewReplacer("SPACE", to.id, "FOREIGN", foreign.ID)
			said := from.follows(t, cutUp(in.Replace(c.input), in.Replace(c.sent), c.size)...)
			if c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("the agent read %.500q", said)
			}
			if c.text != "" {
				to.st.until(t, "the message ends", func(v *seen) bool { return v.message().EndedAt > 0 })
			}
			got := to.agentText()
			if got != c.text && (!c.last || !strings.HasSuffix(got, c.text)) {
				t.Errorf("there stands %.200q (%d bytes), want %.200q (%d)", got, len(got), c.text, len(c.text))
			}
			if marked := strings.Contains(strings.Join(partsOf(to.agentMessage()), "\n"), "written, but not sent"); marked != c.shown {
				t.Errorf("%q: %v", "not sent", marked)
			}
			to.kept(t)
		})
	}
	for _, m := range (&room{app: a, id: foreign.ID}).messages(t) {
		t.Errorf("in the space of others stands %q", m.Content())
	}
	from.check(t)
}

// TestInvalidDisplayAnswersAreRefused covers answers that come twice, too late, or are none.
func TestInvalidDisplayAnswersAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir(), "--stop=300ms") // the script does not hear of a stop
	from := a.scripted(t, "weaver")
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	defer to.st.close()
	for _, at := range []*room{from, to} {
		choice := weaveOp{Do: "send", Tool: "showChoice", Hide: true, Text: `{"question":"Which?","options":[{"id":"a","label":"A"}],"targetSpaceId":"` + at.id + `"}`}
		asked := func() conversation.AnswerDisplayRequest {
			from.st.reset()
			from.orders(t, choice)
			m, c := at.display(t, "the choice", isWaiting)
			return conversation.AnswerDisplayRequest{SpaceID: at.id, MessageID: m.ID, ToolCallID: c.ID, Answer: []byte(`{"choice":"a"}`)}
		}
		refused := func(req conversation.AnswerDisplayRequest, code string) {
			t.Helper()
			a.refused(t, "AnswerDisplay", req, code)
		}

		answer := asked()
		wrong := answer
		wrong.Answer = []byte(quote(strings.Repeat("x", 64<<10)))
		refused(wrong, "invalid")
		var parts transcript.CompositeMessage
		a.do(t, "MessageParts", ref.MessageRef{SpaceID: at.id, MessageID: answer.MessageID}, &parts) // it is in the rows as one that waits
		a.do(t, "AnswerDisplay", answer, nil)
		refused(answer, "not_waiting")
		from.ended(t, "end_turn")
		refused(answer, "not_waiting")

		wrong = asked() // it is not in the rows yet
		right := wrong
		wrong.ToolCallID = "another"
		refused(wrong, "not_waiting")
		a.do(t, "AnswerDisplay", right, nil)
		from.ended(t, "end_turn")

		cancelled := asked()
		cancelled.Cancel = true
		a.do(t, "AnswerDisplay", cancelled, nil)
		refused(cancelled, "not_waiting")
		cancelled.Cancel = false
		refused(cancelled, "not_waiting")
		from.ended(t, "end_turn")

		// Its run is stopped: there is nobody to answer to.
		stopped := asked()
		from.stop(t)
		at.display(t, "it is withdrawn", func(m *transcript.Message, c *transcript.ToolCall) bool {
			return m.ID == stopped.MessageID && c.Status == transcript.StatusCancelled
		})
		refused(stopped, "not_waiting")
		from.st.until(t, "the turn ends", func(v *seen) bool { return v.runs["cancelled"]+v.runs["end_turn"] > 0 })
		at.kept(t)
	}
	from.check(t)
}

// TestTokenOfAnEndedSession has a token that outlives its session, and the run of it.
func TestTokenOfAnEndedSession(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "weaver")
	r.follows(t, weaveOp{Do: "tell"})
	url, token, _ := strings.Cut(r.ctl.hear(t), " ")
	call := func() int {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
			req.Header.Set(name, value)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	if got := call(); got != http.StatusOK {
		t.Errorf("while its session is there it gets %d", got)
	}
	r.st.reset()
	a.do(t, "RestartAgent", ref.MemberRef{SpaceID: r.id}, nil)
	r.ended(t, "end_turn")
	if got := call(); got != http.StatusUnauthorized {
		t.Errorf("afterwards it gets %d", got)
	}
	r.check(t)
}

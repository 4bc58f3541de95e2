//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/runs"
	"weft/backend/service"
	"weft/backend/transcript"
)

func init() { scripts["caller"] = caller }

// wish is what a caller is prompted with: calls of the gateway, one after the other, which it shows as its own calls too.
type wish struct {
	Say   string         `json:"say"`
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
	Wait  bool           `json:"wait"`  // for the test, after Say
	Shown map[string]any `json:"shown"` // what is written instead of Args
	Delta int            `json:"delta"` // the input is written in fragments of so many bytes
}

// everyTool instead of a tool's name lets a caller say which tools it is offered.
const everyTool = "*"

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// gateway opens a session and connects to the gateway that it is handed.
func (a *scripted) gateway() (*sdk.ClientSession, error) {
	a.initialize(`{"loadSession":true,"mcpCapabilities":{"http":true}}`)
	m := a.next(func(m message) bool { return m.Method == "session/new" || m.Method == "session/load" })
	var p struct {
		Params struct {
			McpServers []struct {
				Name, URL string
				Headers   []struct{ Name, Value string }
			}
		}
	}
	_ = json.Unmarshal([]byte(m.line), &p) // what is missing fails the connection
	a.respond(m.ID, `{"sessionId":`+quote(a.session)+`}`)
	for _, s := range p.Params.McpServers {
		if s.Name == "weft" {
			a.url, a.token = s.URL, s.Headers[0].Value
		}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "caller", Version: "1"}, nil).
		Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: a.url, HTTPClient: &http.Client{Transport: bearer{a.token}}}, nil)
	if err == nil {
		_, _ = session.ListTools(context.Background(), nil) // as agents do it
	}
	return session, err
}

// caller is an agent that uses the gateway.
func caller(a *scripted) {
	session, err := a.gateway()
	if err != nil {
		a.prompt()
		a.say("cannot connect: " + err.Error())
		a.end("end_turn")
		return
	}
	for n := 0; ; n++ {
		text := a.prompt()
		if from, asked, ok := strings.Cut(text, " asks you in this space:\n\n"); ok && strings.HasPrefix(asked, "[") {
			_, text = from, asked
		}
		var wishes []wish
		if json.Unmarshal([]byte(text), &wishes) != nil {
			a.say("heard: " + text)
			a.end("end_turn")
			continue
		}
		for _, w := range wishes {
			n++
			a.wish(session, fmt.Sprint("w", n, w.Tool), w)
		}
		a.end("end_turn")
	}
}

func (a *scripted) wish(session *sdk.ClientSession, id string, w wish) {
	if w.Say != "" {
		a.say(w.Say)
	}
	if w.Wait {
		a.tell("waits")
		a.await()
	}
	switch w.Tool {
	case "":
		return
	case everyTool:
		for one, err := range session.Tools(context.Background(), nil) {
			if err != nil {
				a.say(" error: " + err.Error())
				return
			}
			a.say(" " + one.Name)
		}
		return
	}
	input, _ := json.Marshal(w.Args)
	a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote("mcp__weft__"+w.Tool) + `,"kind":"other","status":"pending"}`)
	written := input
	if w.Shown != nil {
		written, _ = json.Marshal(w.Shown)
	}
	for rest := string(written); w.Delta > 0 && rest != ""; {
		cut := min(w.Delta, len(rest))
		for cut < len(rest) && !utf8.RuneStart(rest[cut]) {
			cut++
		}
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"_meta":{"weft/inputDelta":` + quote(rest[:cut]) + `}}`)
		rest = rest[cut:]
	}
	if len(w.Args) > 0 {
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"status":"in_progress","rawInput":` + string(input) + `}`)
	}
	if w.Delta > 0 {
		a.tell("written")
		a.await()
	}
	got, failed := a.calls(session, w.Tool, w.Args)
	if failed && !strings.HasPrefix(got, "error: ") {
		got = "refused: " + got
	}
	a.callUpdate(id, "completed", content("raw result of "+w.Tool))
	a.say("{" + got + "}")
}

func wishes(list ...wish) string {
	b, _ := json.Marshal(list)
	return string(b)
}

// display is the last call of the kind in a room's conversation.
func (r *room) display(t testing.TB, what string, fits func(*transcript.Message, *transcript.ToolCall) bool) (m transcript.Message, c transcript.ToolCall) {
	t.Helper()
	r.st.until(t, what, func(v *seen) bool {
		for _, msg := range v.conv.Messages {
			for _, s := range msg.Segments {
				for _, it := range s.Items {
					if it.Call != nil && it.Call.Kind == "display" && fits(msg, it.Call) {
						m, c = *msg, *it.Call
						return true
					}
				}
			}
		}
		return false
	})
	return m, c
}

func isWaiting(_ *transcript.Message, c *transcript.ToolCall) bool {
	return c.Status == transcript.StatusWaiting
}

func (r *room) answers(t testing.TB, m transcript.Message, c transcript.ToolCall, answer string) {
	t.Helper()
	r.do(t, "AnswerDisplay", service.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(answer)}, nil)
}

// agentText is what the last message of an agent says.
func (r *room) agentText() (text string) {
	r.st.now(func(v *seen) { text = v.message().Content() })
	return text
}

func TestDisplaysInTheOwnSpace(t *testing.T) {
	a := launch(t, t.TempDir())
	r := a.scripted(t, "caller")
	r.turn(t, wishes(
		wish{Say: "Look: ", Tool: "showCard", Args: map[string]any{"title": "A card", "targetSpaceId": r.id}},
		wish{Tool: "listSpaces", Args: map[string]any{}},
	), "end_turn")
	_, card := r.display(t, "the card", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Status == transcript.StatusCompleted
	})
	if card.Name != "showCard" || !strings.Contains(string(card.Input), "A card") || strings.Contains(string(card.Input), "targetSpaceId") || !strings.Contains(string(card.Output), `"shown"`) {
		t.Errorf("%s %s %s", card.Name, card.Input, card.Output)
	}
	if text := r.agentText(); !strings.Contains(text, r.id) || !strings.HasPrefix(text, "Look: ") {
		t.Errorf("the agent heard %s", text)
	}

	r.st.reset()
	r.send(t, wishes(wish{Say: "Choose. ", Tool: "showChoice", Args: map[string]any{"question": "Which?", "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": r.id}}))
	m, c := r.display(t, "the choice", isWaiting)
	r.answers(t, m, c, `{"choice":"a"}`)
	r.ended(t, "end_turn")
	if text := r.agentText(); !strings.Contains(text, `{"choice":"a"}`) {
		t.Errorf("the agent heard %s", text)
	}
	_, c = r.display(t, "the answer", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Status == transcript.StatusCompleted && c.Name == "showChoice"
	})
	if !strings.Contains(string(c.Output), `"answered"`) {
		t.Errorf("%s", c.Output)
	}
	if err := r.try("AnswerDisplay", service.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(`{"choice":"a"}`)}, nil); err == nil {
		t.Error("it was answered twice")
	}
	calls := 0
	r.st.now(func(v *seen) {
		for _, s := range v.message().Segments {
			calls += len(s.Items)
		}
	})
	if calls != 1 {
		t.Errorf("the call is there %d times", calls)
	}
	r.check(t)
}

// The worked example: a form in the finance space, asked for from another one, answered there; each space has one message of the run.
func TestDisplaysAcrossSpaces(t *testing.T) {
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	finance := a.reenter(t, shop.folder, a.like(t, shop).ID)
	shop.send(t, wishes(
		wish{Say: "Asking for the budget. ", Tool: "showApprovalForm", Args: map[string]any{"title": "Budget", "targetSpaceId": finance.id}},
		wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": finance.id, "text": "Thank you."}},
		wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": "nowhere", "text": "x"}},
	))
	m, c := finance.display(t, "the form", isWaiting)
	if m.RunID == "" || m.Author.Kind != "agent" {
		t.Errorf("%+v", m.Author)
	}
	finance.answers(t, m, c, `{"approved":true}`)
	shop.ended(t, "end_turn")
	if text := shop.agentText(); !strings.Contains(text, `{"approved":true}`) || !strings.Contains(text, "refused: ") {
		t.Errorf("the agent heard %s", text)
	}
	finance.st.until(t, "the end of the message", func(v *seen) bool { return v.message().EndedAt > 0 })
	var texts []string
	finance.st.now(func(v *seen) {
		agents := 0
		for _, msg := range v.conv.Messages {
			if msg.Role == transcript.RoleAgent {
				agents++
				texts = append(texts, msg.Content())
			}
		}
		if agents != 1 {
			t.Errorf("%d messages of the run: %q", agents, texts)
		}
	})
	if len(texts) != 1 || texts[0] != "Thank you." {
		t.Errorf("%q", texts)
	}
	shop.check(t)
	finance.check(t)
}

// A text appears in the other space while it is written, and once.
func TestTextStreamsIntoAnotherSpace(t *testing.T) {
	a := launch(t, t.TempDir())
	from := a.scripted(t, "caller")
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	text := "A longer text — größe 日本 — that comes in pieces."
	from.send(t, wishes(wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": to.id, "text": text}, Delta: 5}))
	from.ctl.expect(t, "written")
	to.st.until(t, "the text before the call", func(v *seen) bool { return v.message().Content() == text })
	from.ctl.say(t, "go on")
	from.ended(t, "end_turn")
	to.st.until(t, "the end", func(v *seen) bool { return v.message().EndedAt > 0 })
	if got := to.agentText(); got != text {
		t.Errorf("%q", got)
	}
	to.check(t)
}

// An answer after a restart is the agent's next prompt.
func TestAnswerAfterARestart(t *testing.T) {
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "showChoice", Args: map[string]any{"question": "Which?", "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": r.id}}))
	m, c := r.display(t, "the choice", isWaiting)
	a.kill()
	a = launch(t, home)
	a.waiting(t, r.id, "Which?")                       // in the inbox, before anybody has opened the space
	again := &room{app: a, id: r.id, folder: r.folder} // not followed: its conversation began before the restart
	if kept := again.keptDisplay(t); kept.Status != transcript.StatusWaiting {
		t.Errorf("after the restart it is %s", kept.Status)
	}
	again.answers(t, m, c, `{"choice":"a"}`)
	if list := again.messages(t); !slices.ContainsFunc(list, func(m *transcript.Message) bool {
		return m.Role == transcript.RoleUser && strings.Contains(m.Content(), `{"choice":"a"}`)
	}) {
		t.Errorf("the answer is not the agent's next prompt:\n%s", dump(list))
	}
	if kept := again.keptDisplay(t); kept.Status != transcript.StatusCompleted || !strings.Contains(string(kept.Output), `"late":true`) {
		t.Errorf("%s %s", kept.Status, kept.Output)
	}
}

// waiting waits until the list of spaces tells that something of that title waits in a space.
func (a *app) waiting(t testing.TB, space, title string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		var list []service.Space
		a.do(t, "ListSpaces", service.ListSpacesRequest{}, &list)
		i := slices.IndexFunc(list, func(s service.Space) bool { return s.ID == space })
		if i >= 0 && slices.ContainsFunc(list[i].Waits, func(w runs.Wait) bool { return w.Title == title }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing waits: %+v", list)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// keptDisplay is the first display of the space as it is stored.
func (r *room) keptDisplay(t testing.TB) (c transcript.ToolCall) {
	t.Helper()
	for _, m := range r.messages(t) {
		for _, s := range m.Segments {
			for _, it := range s.Items {
				if it.Call != nil && it.Call.Kind == "display" {
					return *it.Call
				}
			}
		}
	}
	t.Fatal("there is no display")
	return c
}

// A tool of the person's own that acts is run only after the person has let it, and not in a read-only space.
func TestOwnToolsAskFirst(t *testing.T) {
	home := t.TempDir()
	tools := filepath.Join(home, "tools") // beside the settings
	if err := os.MkdirAll(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"greet.json":  `{"name":"greet","description":"Greets.","inputSchema":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]},"execution":{"mode":"command","command":"/bin/echo","args":["hello","{{who}}"]}}`,
		"broken.json": `{"name": `,
	} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := launch(t, home)
	a.problem(t, true, "tools")
	r := a.scripted(t, "caller")
	for _, c := range []struct{ answer, want string }{{`{"approved":true}`, "hello you; rm"}, {`{"approved":false}`, "refused: The person did not allow greet"}} {
		r.st.reset()
		r.send(t, wishes(wish{Tool: "greet", Args: map[string]any{"who": "you; rm"}}))
		m, ask := r.display(t, "the question", isWaiting)
		r.answers(t, m, ask, c.answer)
		r.ended(t, "end_turn")
		if text := r.agentText(); !strings.Contains(text, c.want) {
			t.Errorf("the agent heard %s", text)
		}
	}
	r.mode(t, "read-only")
	r.st.reset()
	r.turn(t, wishes(wish{Tool: "greet", Args: map[string]any{"who": "you"}}), "end_turn")
	if text := r.agentText(); !strings.Contains(text, "read-only") {
		t.Errorf("the agent heard %s", text)
	}
}

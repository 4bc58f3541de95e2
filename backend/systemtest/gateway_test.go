//go:build linux

package systemtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	"weft/backend/space/requests"
	stored "weft/backend/store/permissions"
)

func init() { addScript("caller", caller) }

// wish is what a caller is prompted with: calls of the gateway, one after the other, which it shows as its own calls too.
type wish struct {
	Say   string         `json:"say"`
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
	Wait  bool           `json:"wait"`  // for the test, after Say
	Asks  bool           `json:"asks"`  // for permission first
	Shown map[string]any `json:"shown"` // what is written instead of Args
	As    string         `json:"as"`    // what the agent calls it, mcp__weft__TOOL if empty
	Leave bool           `json:"leave"` // the agent gives up at once, and continues as if it had not
	Kind  string         `json:"kind"`  // that the agent gives it, other if empty
	Delta int            `json:"delta"` // the input is written in fragments of so many bytes
	Mute  bool           `json:"mute"`  // neither the input nor the end of the call is told
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
	a.respond(m.ID, `{"sessionId":`+quote(a.session)+`,`+askingModes+`}`)
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
		for i, w := range wishes {
			if id := fmt.Sprint("w", n-len(wishes)+1+i, w.Tool); w.Leave { // some tidy up behind their turn
				a.callUpdate(id, "failed", `,"kind":"other","title":"given up"`)
			}
		}
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
	a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(cmp.Or(w.As, "mcp__weft__"+w.Tool)) + `,"kind":` + quote(cmp.Or(w.Kind, "other")) + `,"status":"pending"}`)
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
	if len(w.Args) > 0 && !w.Mute {
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"status":"in_progress","rawInput":` + string(input) + `}`)
	}
	if w.Delta > 0 {
		a.tell("written")
		a.await()
	}
	if w.Asks {
		got := a.request("77", "session/request_permission", `{"sessionId":`+quote(a.session)+`,"toolCall":{"toolCallId":`+quote(id)+`,"title":`+
			quote(cmp.Or(w.As, "mcp__weft__"+w.Tool))+`,"kind":"other","rawInput":`+string(input)+`},"options":`+yesNo+`}`)
		if !strings.Contains(string(got.Result), `"yes"`) {
			a.callUpdate(id, "failed", content("not allowed"))
			a.say("{not allowed}")
			return
		}
	}
	ctx := context.Background()
	if w.Leave {
		limited, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	if w.Kind != "" { // it only pretends
		m := a.request("77", "session/request_permission", `{"sessionId":`+quote(a.session)+`,"toolCall":{"toolCallId":`+quote(id)+`,"kind":`+quote(w.Kind)+
			`},"options":[{"optionId":"display:answer","name":"Answer","kind":"allow_once"},{"optionId":"display:cancel","name":"Cancel","kind":"reject_once"}]}`)
		a.say("{" + outcome(m) + "}")
		return
	}
	got, failed := a.calls(ctx, session, w.Tool, w.Args)
	if failed && !strings.HasPrefix(got, "error: ") {
		got = "refused: " + got
	}
	if !w.Mute {
		a.callUpdate(id, "completed", content("raw result of "+w.Tool))
	}
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
	r.do(t, "AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(answer)}, nil)
}

// answersAtOnce gives the same answer from several windows: one is taken, and the others are told that nothing waits.
func (r *room) answersAtOnce(t testing.TB, m transcript.Message, c transcript.ToolCall, answer string) {
	t.Helper()
	const windows = 6
	errs := make(chan error, windows)
	for range windows {
		go func() {
			errs <- r.try("AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(answer)}, nil)
		}()
	}
	taken := 0
	for range windows {
		var e *refusal
		switch err := <-errs; {
		case err == nil:
			taken++
		case !errors.As(err, &e) || e.Code != "not_waiting":
			t.Errorf("%v, want not_waiting", err)
		}
	}
	if taken != 1 {
		t.Errorf("%d answers were taken", taken)
	}
}

// agentText is what the last message of an agent says.
func (r *room) agentText() (text string) {
	r.st.now(func(v *seen) { text = v.message().Content() })
	return text
}

func TestDisplaysInTheOwnSpace(t *testing.T) {
	t.Parallel()
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
	if err := r.try("AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(`{"choice":"a"}`)}, nil); err == nil {
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "showChoice", Args: map[string]any{"question": "Which?", "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": r.id}}))
	m, c := r.display(t, "the choice", isWaiting)
	a.kill()
	a = launch(t, home)
	a.waiting(t, r.id, "Which?")                       // in the inbox, before anyone has opened the space
	again := &room{app: a, id: r.id, folder: r.folder} // not followed: its conversation began before the restart
	if kept := again.keptDisplay(t); kept.Status != transcript.StatusWaiting {
		t.Errorf("after the restart it is %s", kept.Status)
	}
	again.answersAtOnce(t, m, c, `{"choice":"a"}`)
	var told int
	list := again.messages(t)
	for _, m := range list {
		if m.Role == transcript.RoleUser && strings.Contains(m.Content(), `{"choice":"a"}`) {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the answer is %d times the agent's next prompt:\n%s", told, dump(list))
	}
	if kept := again.keptDisplay(t); kept.Status != transcript.StatusCompleted || !strings.Contains(string(kept.Output), `"late":true`) {
		t.Errorf("%s %s", kept.Status, kept.Output)
	}
}

// waiting waits until the list of spaces tells that something of that title waits in a space.
func (a *app) waiting(t testing.TB, space, title string) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		var list []spaces.Space
		a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
		i := slices.IndexFunc(list, func(s spaces.Space) bool { return s.ID == space })
		if i >= 0 && slices.ContainsFunc(list[i].Waits, func(w requests.Wait) bool { return w.Title == title }) {
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

// ownTools are files of tools of the user's own, which are read when the app starts.
func ownTools(t testing.TB, home string, files map[string]string) {
	t.Helper()
	tools := filepath.Join(filepath.Dir(settingsPath(home)), "tools")
	if err := os.MkdirAll(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// calls are the calls of the agent's last message: displays, and rows.
func (r *room) calls() (displays, rows []transcript.ToolCall) {
	r.st.now(func(v *seen) {
		for _, s := range v.message().Segments {
			for _, it := range s.Items {
				switch {
				case it.Call == nil:
				case it.Call.Kind == "display":
					displays = append(displays, *it.Call)
				default:
					rows = append(rows, *it.Call)
				}
			}
		}
	})
	return displays, rows
}

// A display tool of the user's own is in the own space once, whatever an agent calls it; a silent call stays a row.
func TestOwnDisplayToolsAreShownOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"search.json": `{"name":"search","description":"Shows what was found.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}}},"displayTool":true}`,
	})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	here := map[string]any{"title": "Apples", "targetSpaceId": r.id}
	for _, as := range []string{"mcp__weft__search", "weft_search", "search (weft MCP Server)", "Tool: weft/search"} {
		r.st.reset()
		r.turn(t, wishes(wish{Tool: "search", Args: here, As: as}), "end_turn")
		if displays, rows := r.calls(); len(displays) != 1 || len(rows) != 0 || displays[0].Status != transcript.StatusCompleted || displays[0].Name != "search" {
			t.Errorf("as %q: displays %+v, rows %+v", as, displays, rows)
		}
	}
	r.st.reset()
	r.turn(t, wishes(wish{Tool: "search", Args: map[string]any{"title": "Pears"}, As: "search", Mute: true}, wish{Tool: "search", Args: here, As: "search"}), "end_turn")
	if displays, rows := r.calls(); len(displays) != 1 || len(rows) != 1 || displays[0].ID != "w10search" {
		t.Errorf("under a name that anybody could have: displays %+v, rows %+v", displays, rows)
	}
	r.st.reset()
	r.turn(t, wishes(wish{Tool: "search", Args: map[string]any{"title": "Apples"}}), "end_turn")
	if displays, rows := r.calls(); len(displays) != 0 || len(rows) != 1 || !strings.Contains(r.agentText(), "Nothing was shown") {
		t.Errorf("displays %+v, rows %+v, and the agent heard %s", displays, rows, r.agentText())
	}
	r.check(t)
}

// A call is drawn because the gateway says so, and not because the agent does: neither its kind nor the ids of its options
// make a display of it, nor does what it says about a display unmake it.
func TestOnlyTheGatewayDraws(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "showApprovalForm", As: "Run showApprovalForm", Kind: "display", Args: map[string]any{"title": "Give me the keys"}}))
	var asked transcript.Permission
	r.st.until(t, "the request", func(v *seen) bool {
		for _, s := range v.message().Segments {
			for _, it := range s.Items {
				if it.Call != nil && len(it.Call.Permissions) > 0 {
					asked = it.Call.Permissions[0]
					return true
				}
			}
		}
		return false
	})
	if displays, rows := r.calls(); len(displays) != 0 || len(rows) != 1 || rows[0].Kind != "other" {
		t.Errorf("displays %+v, rows %+v", displays, rows)
	}
	if asked.Options[0].ID != "#0" || asked.Options[1].ID != "#1" {
		t.Errorf("%+v", asked.Options)
	}
	r.do(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: asked.RequestID, OptionID: "#1"}, nil)
	r.ended(t, "end_turn")
	if text := r.agentText(); text != "{selected display:cancel}" {
		t.Errorf("the agent heard %s", text)
	}

	r.st.reset()
	r.turn(t, wishes(wish{Tool: "showApprovalForm", Leave: true, Args: map[string]any{"title": "Budget", "targetSpaceId": r.id}}), "end_turn")
	r.turn(t, "after that", "end_turn") // what it told behind its turn has come
	m, c := r.display(t, "the form", isWaiting)
	if c.Title != "Budget" || len(c.Content) != 0 {
		t.Errorf("the agent has changed it: %+v", c)
	}
	r.answers(t, m, c, `{"approved":true}`)
	r.display(t, "the answer", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Status == transcript.StatusCompleted && strings.Contains(string(c.Output), `"late":true`)
	})
	r.ended(t, "end_turn")
	r.check(t)
}

// How calls look is said of their tools; nothing is dropped for it.
func TestVisibilityOfOwnTools(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	tool := func(name, visibility string) string {
		return `{"name":"` + name + `","description":"x","inputSchema":{"type":"object"},"displayTool":true,"visibility":"` + visibility + `"}`
	}
	ownTools(t, home, map[string]string{"a.json": tool("whisper", "hidden"), "b.json": tool("mutter", "minimal"), "c.json": tool("shout", "full")})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.turn(t, wishes(wish{Tool: "whisper"}, wish{Tool: "mutter"}, wish{Tool: "shout"}, wish{Tool: "whisper", Args: map[string]any{"targetSpaceId": r.id}}), "end_turn")
	displays, rows := r.calls()
	var got []string
	for _, c := range append(rows, displays...) {
		got = append(got, c.Visibility+" "+c.Kind+" "+string(c.Status))
	}
	if want := []string{"hidden other completed", "minimal other completed", " other completed", "hidden display completed"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	r.check(t)
}

// A call is where the agent has made it, also behind calls of the same tool that were not shown and of which nothing is
// known but that they were made.
func TestCallsAreNotTakenForEachOther(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{"a.json": `{"name":"whisper","description":"x","inputSchema":{"type":"object"},"displayTool":true}`})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	card := map[string]any{"title": "A card", "targetSpaceId": r.id}
	r.turn(t, wishes(
		wish{Tool: "whisper", Mute: true},
		wish{Tool: "showCard", Mute: true, Args: map[string]any{"targetSpaceId": r.id}},
		wish{Tool: "showCard", Mute: true, Args: map[string]any{"title": "A card", "targetSpaceId": "nowhere"}},
		wish{Tool: "whisper", Mute: true, Args: map[string]any{"targetSpaceId": r.id}},
		wish{Tool: "showCard", Mute: true, Args: card},
		wish{Tool: "whisper"}, wish{Tool: "showCard", Args: card},
	), "end_turn")
	displays, rows := r.calls()
	ids := func(list []transcript.ToolCall) (ids []string) {
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		return ids
	}
	if got, want := ids(displays), []string{"w4whisper", "w5showCard", "w7showCard"}; !slices.Equal(got, want) {
		t.Errorf("displays %q", got)
	}
	if got, want := ids(rows), []string{"w1whisper", "w2showCard", "w3showCard", "w6whisper"}; !slices.Equal(got, want) {
		t.Errorf("rows %q", got)
	}
	r.check(t)
}

// A tool of the user's own that acts is run only after the user has let it, and not in a read-only space.
func TestOwnToolsAskFirst(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"greet.json":  `{"name":"greet","description":"Greets.","inputSchema":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]},"execution":{"mode":"command","command":"/bin/echo","args":["hello","{{who}}"]}}`,
		"broken.json": `{"name": `,
	})
	a := launch(t, home)
	a.problem(t, true, "tools")
	r := a.scripted(t, "caller")
	for _, c := range []struct{ answer, want string }{{"once", "hello you; rm"}, {"no", "refused: The user didn't allow greet"}} {
		r.st.reset()
		r.send(t, wishes(wish{Tool: "greet", Args: map[string]any{"who": "you; rm"}}))
		r.allow(t, 0, c.answer)
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
	sameLines(t, "the history", a.history(t, permissions.HistoryRequest{SpaceID: r.id}),
		"/bin/echo hello 'you; rm': allowed by person", "/bin/echo hello 'you; rm': refused by person", "/bin/echo hello you: refused by mode read-only")
	r.check(t)
}

// The user's rules decide about the tools of the gateway: those about the tool itself, about kinds, and, where one runs a command in the
// folder of the space, about commands; but not in a space that asks always.
func TestRulesAboutToolsOfTheGateway(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"greet.json": `{"name":"greet","description":"Greets.","inputSchema":{"type":"object","properties":{"who":{"type":"string"}}},"displayTool":true,"execution":{"mode":"command","command":"/bin/echo","args":["hello","{{who}}"]}}`,
	})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	greet := func(asked, want string, more map[string]any) {
		t.Helper()
		r.st.reset()
		args := map[string]any{"who": "you"}
		maps.Copy(args, more)
		r.send(t, wishes(wish{Tool: "greet", Args: args}))
		if asked != "" {
			r.allow(t, 0, asked)
		}
		r.ended(t, "end_turn")
		if text := r.agentText(); !strings.Contains(text, want) {
			t.Errorf("the agent heard %s, and not %s", text, want)
		}
	}
	rule := func(p stored.Rule) (id string) {
		t.Helper()
		p.Scope, p.Enabled = "everywhere", true
		var saved permissions.SavedRules
		a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: []stored.Rule{p}}, &saved)
		return saved.Rules[0].ID
	}
	const hello = "{hello you"
	kind := rule(stored.Rule{Effect: "allow", Kind: "execute"})
	greet("once", hello, nil) // it runs in the home folder: outside
	a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: kind}, nil)

	// From the card: the rule is about the tool, and answers what waits.
	r.st.reset()
	r.send(t, wishes(wish{Tool: "greet", Args: map[string]any{"who": "you", "targetSpaceId": r.id}}))
	request := ""
	r.st.until(t, "the question", func(v *seen) bool {
		if len(v.asks) > 0 {
			request = v.asks[0].id
		}
		return request != ""
	})
	var suggested permissions.RuleSuggestion
	a.do(t, "SuggestPermissionRules", permissions.RequestRef{SpaceID: r.id, RequestID: request}, &suggested)
	if suggested.Tool != "greet" {
		t.Errorf("%+v", suggested)
	}
	var saved permissions.SavedRules
	a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{SpaceID: r.id, RequestID: request, Rules: []stored.Rule{
		{Effect: "allow", Scope: "space", SpaceID: r.id, Tool: "greet", Enabled: true},
	}}, &saved)
	r.ended(t, "end_turn")
	if text := r.agentText(); saved.Answered != 1 || saved.Problem != "" || !strings.Contains(text, hello) {
		t.Errorf("%+v, and the agent heard %s", saved, text)
	}
	if displays, rows := r.calls(); len(displays) != 1 || len(rows) != 0 || displays[0].Status != transcript.StatusCompleted {
		t.Errorf("displays %+v, rows %+v", displays, rows)
	}
	greet("", hello, nil)
	greet("", hello, map[string]any{"targetSpaceId": r.id})
	r.mode(t, "ask")
	greet("once", hello, nil)
	r.mode(t, "rules")
	no := rule(stored.Rule{Effect: "reject", Command: "echo hello"})
	greet("", "refused: The user's rules reject greet", nil)
	a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: no}, nil)
	rule(stored.Rule{Effect: "reject", Tool: "greet"})
	greet("", "refused: The user's rules reject greet", nil)
	h := a.history(t, permissions.HistoryRequest{SpaceID: r.id})
	sameLines(t, "the history", h, "/bin/echo hello you: allowed by person", "/bin/echo hello you: allowed by rule greet", "/bin/echo hello you: allowed by rule greet",
		"/bin/echo hello you: allowed by rule greet", "/bin/echo hello you: allowed by person", "/bin/echo hello you: refused by rule echo hello", "/bin/echo hello you: refused by rule greet")
	r.check(t)
}

// Nobody is asked whether an agent may use Weft's own tools, which act on nothing, or ask by themselves; but of a call that only looks like one.
func TestWeftsOwnToolsNeedNoPermission(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "caller")
	card := map[string]any{"title": "A card", "targetSpaceId": r.id}
	for _, one := range []struct {
		mode  string
		as    string
		asked bool
	}{
		{"rules", "", false},
		{"rules", "showCard (weft MCP Server)", false},
		{"read-only", "", false},
		{"ask", "", false},
		{"rules", "Run showCard", true},
		{"rules", "weft_showCard" + strings.Repeat(" and more", 20), true},
	} {
		r.mode(t, one.mode)
		r.st.reset()
		r.send(t, wishes(wish{Tool: "showCard", Args: card, As: one.as, Asks: true}))
		if one.asked {
			r.allow(t, 0, "yes")
		}
		r.ended(t, "end_turn")
		if text := r.agentText(); !strings.Contains(text, `{"state":"shown"`) {
			t.Errorf("%+v: the agent heard %s", one, text)
		}
		asked := 0
		r.st.now(func(v *seen) {
			for _, s := range v.message().Segments {
				for _, it := range s.Items {
					if it.Call != nil {
						asked += len(it.Call.Permissions)
					}
				}
			}
		})
		if one.asked != (asked > 0) {
			t.Errorf("%+v: asked %d times", one, asked)
		}
	}
}

// A display is drawn while its input is written, taken over by the call that arrives, and a row again if none does.
func TestDisplaysAreDrawnWhileTheyAreWritten(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "caller")
	card := map[string]any{"targetSpaceId": r.id, "title": "A card", "text": "with words"}
	r.send(t, wishes(wish{Tool: "showCard", Args: card, Delta: 5}))
	r.ctl.expect(t, "written")
	_, c := r.display(t, "the card before the call", func(_ *transcript.Message, c *transcript.ToolCall) bool { return !c.Status.Ended() })
	if c.Name != "showCard" || c.Status == transcript.StatusWaiting {
		t.Errorf("%+v", c)
	}
	r.ctl.say(t, "go on")
	r.ended(t, "end_turn")
	if list, rows := r.calls(); len(list) != 1 || len(rows) != 0 || list[0].Status != transcript.StatusCompleted || list[0].Title != "A card" || strings.Contains(string(list[0].Input), "targetSpaceId") {
		t.Errorf("%+v %+v", list, rows)
	}

	r.mode(t, "ask")
	r.st.reset()
	r.send(t, wishes(wish{Tool: "showCard", Args: card, Asks: true, As: "mcp__weft__showCard: a card"}))
	r.allow(t, 0, "no")
	r.ended(t, "end_turn")
	if displays, list := r.calls(); len(displays) != 0 || len(list) != 1 || list[0].Kind != "other" || list[0].Status != transcript.StatusRejected || list[0].Title != "mcp__weft__showCard: a card" {
		t.Errorf("%+v", list)
	}
	r.check(t)
}

// In another space as well, where it does not stay if nothing comes of it; and where the space is another one in the end, it is there only.
func TestDisplaysAreDrawnElsewhereWhileTheyAreWritten(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	from := a.scripted(t, "caller")
	to, third := a.reenter(t, from.folder, a.like(t, from).ID), a.reenter(t, from.folder, a.like(t, from).ID)
	form := func(space string) map[string]any {
		return map[string]any{"title": "The budget", "description": strings.Repeat("How much — größe 日本? ", 50), "targetSpaceId": space}
	}
	card := func(space string) map[string]any {
		return map[string]any{"title": "A card", "text": strings.Repeat("words ", 50), "targetSpaceId": space}
	}
	drawn := func(_ *transcript.Message, c *transcript.ToolCall) bool { return !c.Status.Ended() }

	from.send(t, wishes(wish{Tool: "showApprovalForm", Args: form(to.id), Delta: 7}))
	from.ctl.expect(t, "written")
	m, c := to.display(t, "the form before the call", drawn)
	if c.Name != "showApprovalForm" || c.Status == transcript.StatusWaiting || c.Kind != "display" {
		t.Errorf("%+v", c)
	}
	from.ctl.say(t, "go on")
	_, asked := to.display(t, "the form", isWaiting)
	if asked.ID != c.ID || asked.Title != "The budget" || strings.Contains(string(asked.Input), "targetSpaceId") {
		t.Errorf("%+v after %+v", asked, c)
	}
	to.answers(t, m, asked, `{"approved":true}`)
	from.ended(t, "end_turn")
	to.st.until(t, "the end", func(v *seen) bool { return v.message().EndedAt > 0 })
	if displays, rows := to.calls(); len(displays) != 1 || len(rows) != 0 {
		t.Errorf("%+v %+v", displays, rows)
	}
	if displays, rows := from.calls(); len(displays) != 0 || len(rows) != 1 {
		t.Errorf("%+v %+v", displays, rows)
	}

	nothing := 0
	comesToNothing := func(what string) {
		t.Helper()
		nothing++
		to.st.until(t, what, func(v *seen) bool {
			failed := 0
			for _, msg := range v.conv.Messages {
				for _, s := range msg.Segments {
					for _, it := range s.Items {
						if it.Call != nil && it.Call.Kind == "display" && it.Call.Status == transcript.StatusFailed && it.Call.Error != "" {
							failed++
						}
					}
				}
			}
			return failed == nothing
		})
	}
	from.st.reset()
	bad := form(to.id)
	delete(bad, "title")
	bad["surplus"] = 1
	from.send(t, wishes(wish{Tool: "showApprovalForm", Args: bad, Delta: 7}))
	from.ctl.expect(t, "written")
	to.display(t, "what is not of the schema", drawn)
	from.ctl.say(t, "go on")
	from.ended(t, "end_turn")
	comesToNothing("the end of what was refused")

	for _, sent := range []*room{third, from} {
		from.st.reset()
		from.send(t, wishes(wish{Tool: "showCard", Args: card(sent.id), Shown: card(to.id), Delta: 7}))
		from.ctl.expect(t, "written")
		comesToNothing("the end of what goes elsewhere")
		from.ctl.say(t, "go on")
		from.ended(t, "end_turn")
		if _, c := sent.display(t, "the card", func(_ *transcript.Message, c *transcript.ToolCall) bool {
			return c.Name == "showCard" && c.Status.Ended()
		}); c.Status != transcript.StatusCompleted {
			t.Errorf("%+v", c)
		}
	}

	from.st.reset()
	from.send(t, wishes(wish{Tool: "showCard", Args: card("space_nowhere"), Delta: 7}, wish{Tool: "showCard", Args: card(to.id), Delta: 7}))
	from.ctl.expect(t, "written")
	from.ctl.say(t, "go on")
	from.ctl.expect(t, "written")
	a.do(t, "StopRun", from.ref(), nil)
	from.ctl.say(t, "go on")
	from.ended(t, "end_turn")
	comesToNothing("the end of what was stopped")
	from.check(t)
	to.check(t)
	third.check(t)
}

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent/mcp"

	"weft/backend/gateway/tools"
)

// house is a host with spaces: cook is a member of home and finance, and cellar is someone else's.
type house struct {
	fakeHost
	mu      sync.Mutex
	shown   map[string][]string // by space: what its people see; "" is what ran silently
	permits []string
	filled  []string
}

func newHouse() *house {
	h := &house{shown: map[string][]string{}}
	member := func(id string) error {
		switch id {
		case "home", "finance", "":
			return nil
		case "cellar":
			return &tools.Error{Code: "not_member", Message: "You are no member of the space cellar."}
		}
		return &tools.Error{Code: "no_space", Message: "There is no space " + id + "."}
	}
	h.spaces = func(Caller) ([]Space, error) {
		return []Space{{ID: "home", Name: "Home", You: "cook", Members: []string{}, Current: true}, {ID: "finance", Name: "Finance", You: "cook", Members: []string{}}}, nil
	}
	h.messages = func(_ Caller, space string, limit int, before string) (Page, error) {
		return Page{Messages: []Message{{ID: "m1", Author: "You", Text: before, At: int64(limit)}}, Before: "m1"}, member(space)
	}
	h.runs = func(c Caller) ([]Run, error) {
		return []Run{{ID: "r1", SpaceID: c.SpaceID, State: "completed", Messages: []RunMessage{{"home", "m1"}, {"finance", "m2"}}}}, nil
	}
	h.post = func(_ context.Context, _ Caller, p Post) (Posted, error) {
		if err := member(p.SpaceID); err != nil {
			return Posted{}, err
		}
		h.see(p.SpaceID, "text "+p.Text)
		posted := Posted{MessageID: "m-" + p.SpaceID}
		if p.Wait {
			posted.Reply = "reply of " + p.Mention
			if p.Mention == "" {
				posted.From = "the user"
			}
		}
		return posted, nil
	}
	h.show = func(_ context.Context, c Caller, s Show) (Shown, error) {
		if err := member(s.SpaceID); err != nil {
			return Shown{}, err
		}
		if c != caller || strings.Contains(string(s.Input), tools.TargetName) || s.SpaceID != "" && !strings.Contains(string(s.Sent), tools.TargetName) {
			return Shown{}, errors.New("the host was told something wrong: " + string(s.Input) + " of " + string(s.Sent))
		}
		h.see(s.SpaceID, s.Tool.Name+" "+string(s.Input))
		shown := Shown{State: StateShown, Done: func(result json.RawMessage, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if err != nil {
				h.filled = append(h.filled, "error "+err.Error())
				return
			}
			h.filled = append(h.filled, string(result))
		}}
		if s.Await {
			shown.State, shown.Answer = StateAnswered, json.RawMessage(`{"approved":true}`)
		}
		return shown, nil
	}
	h.permit = func(_ context.Context, _ Caller, p Permit) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.permits = append(h.permits, p.Tool.Name+" "+string(p.Input))
		if (p.Tool.Execution.Mode == tools.ModeCommand) != (len(p.Command) == 4) || p.Tool.Execution == tools.Proxied != strings.Contains(p.Key, "/") {
			return errors.New("the host was told something wrong: " + p.Key + " " + strings.Join(p.Command, " "))
		}
		if strings.Contains(string(p.Input), "forbidden") {
			return &tools.Error{Code: "denied", Message: "The user said no."}
		}
		return nil
	}
	return h
}

func (h *house) see(space, what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown[space] = append(h.shown[space], what)
}

func definition(name string, display bool, e *tools.Execution) tools.Definition {
	return tools.Definition{
		Name: name, Description: "Does " + name, DisplayTool: display, Execution: e,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`),
	}
}

// The routing table of the design, row by row: what the tool gets, what each space sees, and what the agent reads.
func TestRouting(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var reached []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		reached = append(reached, string(body))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"found":1}`))
	}))
	t.Cleanup(web.Close)
	remote := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return orchard() }, nil))
	t.Cleanup(remote.Close)
	post := &tools.Execution{Mode: tools.ModeHTTP, Method: "POST", URL: web.URL}
	tell := &tools.Execution{Mode: tools.ModeCommand, Command: os.Args[0], Args: []string{"command", "tell", "{{q}}"}}
	definitions := []tools.Definition{
		definition("webInternal", false, post), definition("webDisplay", true, post),
		definition("runInternal", false, tell), definition("runDisplay", true, tell),
		definition("drawn", true, nil), definition("asked", true, &tools.Execution{Mode: tools.ModeClient}),
	}
	server := func(name string, display bool) ProxiedServer {
		return ProxiedServer{Name: name, Others: ToolSwitch{Off: true}, Tools: map[string]ToolSwitch{"echo": {Display: display}}, Server: func(context.Context) (mcp.Server, error) {
			return mcp.Server{Name: name, Type: "http", URL: remote.URL}, nil
		}}
	}
	const stripped = `{"q":"a"}`
	result := func(s string) string { return `{"content":[{"type":"text","text":` + s + `}]` }
	for _, c := range []struct {
		name, tool, arguments string
		executed              string            // what the tool that Weft executes was given
		shown                 map[string]string // by space
		permitted             string
		filled                string // the beginning of the display's result
		says                  string
		failed                bool
	}{
		{name: "false, no target", tool: "webInternal", arguments: `{"q":"a"}`, executed: stripped, permitted: "webInternal " + stripped, says: `{"found":1}`},
		{name: "false, with target: not of the schema", tool: "webInternal", arguments: `{"targetSpaceId":"home","q":"a"}`, says: "targetSpaceId", failed: true},
		{name: "true, no target: silent", tool: "webDisplay", arguments: `{"q":"a"}`, executed: stripped, permitted: "webDisplay " + stripped, shown: map[string]string{"": "webDisplay " + stripped}, filled: result(`"{\"found\":1}"`), says: `{"found":1}`},
		{name: "true, null: silent", tool: "webDisplay", arguments: `{"targetSpaceId":null,"q":"a"}`, executed: stripped, permitted: "webDisplay " + stripped, shown: map[string]string{"": "webDisplay " + stripped}, filled: result(`"{\"found\":1}"`), says: `{"found":1}`},
		{name: "true, own space", tool: "webDisplay", arguments: `{"targetSpaceId":"home","q":"a"}`, executed: stripped, permitted: "webDisplay " + stripped, shown: map[string]string{"home": "webDisplay " + stripped}, filled: result(`"{\"found\":1}"`), says: `{"found":1}`},
		{name: "true, other space, target last", tool: "webDisplay", arguments: `{"q":"a","targetSpaceId":"finance"}`, executed: stripped, permitted: "webDisplay " + stripped, shown: map[string]string{"finance": "webDisplay " + stripped}, filled: result(`"{\"found\":1}"`), says: `{"found":1}`},
		{name: "true, no member", tool: "webDisplay", arguments: `{"targetSpaceId":"cellar","q":"a"}`, says: "no member of the space cellar", failed: true},
		{name: "true, unknown space", tool: "webDisplay", arguments: `{"targetSpaceId":"moon","q":"a"}`, says: "no space moon", failed: true},
		{name: "true, a number for a space", tool: "webDisplay", arguments: `{"targetSpaceId":5,"q":"a"}`, says: "must be the id of a space", failed: true},
		{name: "denied", tool: "webDisplay", arguments: `{"targetSpaceId":"home","q":"forbidden"}`, permitted: `webDisplay {"q":"forbidden"}`, shown: map[string]string{"home": `webDisplay {"q":"forbidden"}`}, filled: "error The user said no.", says: "The user said no.", failed: true},
		{name: "denied, internal", tool: "runInternal", arguments: `{"q":"forbidden"}`, permitted: `runInternal {"q":"forbidden"}`, says: "The user said no.", failed: true},
		{name: "command, internal", tool: "runInternal", arguments: `{"q":"$(id) 'x'; \"y\""}`, permitted: `runInternal {"q":"$(id) 'x'; \"y\""}`, says: `{"args":["$(id) 'x'; \"y\""],"stdin":"{\"q\":\"$(id) 'x'; \\\"y\\\"\"}"}`},
		{name: "command, display", tool: "runDisplay", arguments: `{"q":"a","targetSpaceId":"home"}`, permitted: "runDisplay " + stripped, shown: map[string]string{"home": "runDisplay " + stripped}, filled: result(`"{\"args\":[\"a\"],\"stdin\":\"{\\\"q\\\":\\\"a\\\"}\"}"`), says: `{"args":["a"],"stdin":"{\"q\":\"a\"}"}`},
		{name: "proxied, internal", tool: "echo", arguments: `{"q":"a"}`, permitted: "echo " + stripped, says: stripped},
		{name: "proxied, internal, with its own argument", tool: "echo", arguments: `{"targetSpaceId":"home"}`, permitted: `echo {"targetSpaceId":"home"}`, says: `{"targetSpaceId":"home"}`},
		{name: "proxied, display", tool: "shown_echo", arguments: `{"q":"a","targetSpaceId":"finance"}`, permitted: "shown_echo " + stripped, shown: map[string]string{"finance": "shown_echo " + stripped}, filled: result(`"{\"q\":\"a\"}"`), says: stripped},
		{name: "proxied, display, silent", tool: "shown_echo", arguments: `{"q":"a"}`, permitted: "shown_echo " + stripped, shown: map[string]string{"": "shown_echo " + stripped}, filled: result(`"{\"q\":\"a\"}"`), says: stripped},
		{name: "drawn", tool: "drawn", arguments: `{"targetSpaceId":"finance","q":"a"}`, shown: map[string]string{"finance": "drawn " + stripped}, says: `"state":"shown"`},
		{name: "drawn, silent", tool: "drawn", arguments: `{"q":"a"}`, shown: map[string]string{"": "drawn " + stripped}, says: "Nothing was shown"},
		{name: "asked", tool: "asked", arguments: `{"targetSpaceId":"finance","q":"a"}`, shown: map[string]string{"finance": "asked " + stripped}, says: `{"approved":true}`},
		{name: "asked, silent", tool: "asked", arguments: `{"q":"a"}`, says: "Pass targetSpaceId", failed: true},
		{name: "asked, no member", tool: "asked", arguments: `{"targetSpaceId":"cellar","q":"a"}`, says: "no member", failed: true},
		{name: "a card with buttons that doesn't wait", tool: "showCard", arguments: `{"targetSpaceId":"home","title":"a","actions":[{"id":"x","label":"X"}]}`, shown: map[string]string{"home": `showCard {"title":"a","actions":[{"id":"x","label":"X"}]}`}, says: `"state":"shown"`},
		{name: "a card without buttons that would wait", tool: "showCard", arguments: `{"targetSpaceId":"home","title":"a","wait":true}`, shown: map[string]string{"home": `showCard {"title":"a","wait":true}`}, says: `"state":"shown"`},
		{name: "a card that waits", tool: "showCard", arguments: `{"targetSpaceId":"home","title":"a","actions":[{"id":"x","label":"X"}],"wait":true}`, shown: map[string]string{"home": `showCard {"title":"a","actions":[{"id":"x","label":"X"}],"wait":true}`}, says: `{"approved":true}`},
		{name: "a card that waits, silent", tool: "showCard", arguments: `{"title":"a","actions":[{"id":"x","label":"X"}],"wait":true}`, says: "Pass targetSpaceId", failed: true},
		{name: "text", tool: "sendSpaceMessage", arguments: `{"spaceId":"finance","text":"hello"}`, shown: map[string]string{"finance": "text hello"}, says: `{"messageId":"m-finance"}`},
		{name: "text with a target", tool: "sendSpaceMessage", arguments: `{"spaceId":"finance","text":"hello","targetSpaceId":"home"}`, says: "targetSpaceId", failed: true},
		{name: "text, no member", tool: "sendSpaceMessage", arguments: `{"spaceId":"cellar","text":"hello"}`, says: "no member", failed: true},
		{name: "text and reply", tool: "sendSpaceMessage", arguments: `{"spaceId":"home","text":"hello","mention":"baker","wait":true}`, shown: map[string]string{"home": "text hello"}, says: `{"messageId":"m-home","reply":"reply of baker"}`},
		{name: "text and any reply", tool: "sendSpaceMessage", arguments: `{"spaceId":"home","text":"hello","wait":true}`, shown: map[string]string{"home": "text hello"}, says: `{"messageId":"m-home","reply":"reply of ","from":"the user"}`},
		{name: "reading", tool: "readSpaceMessages", arguments: `{"spaceId":"home","before":"m9"}`, says: `{"messages":[{"id":"m1","author":"You","text":"m9","at":20}],"before":"m1"}`},
		{name: "reading, no member", tool: "readSpaceMessages", arguments: `{"spaceId":"cellar","limit":5}`, says: "no member", failed: true},
		{name: "reading too much", tool: "readSpaceMessages", arguments: `{"spaceId":"home","limit":5000}`, says: `"limit" must be a whole number from 1 to 100.`, failed: true},
		{name: "spaces", tool: "listSpaces", arguments: `{}`, says: `{"spaces":[{"id":"home","name":"Home","folder":"","you":"cook","members":[],"current":true},{"id":"finance","name":"Finance","folder":"","you":"cook","members":[],"current":false}]}`},
		{name: "history", tool: "searchHistory", arguments: `{"query":"a","limit":3,"next":7,"scope":"folder"}`, says: `{"note":"","scope":"folder","results":[{"link":"weft://space/home#m1","space":"","folder":"","author":"","kind":"","time":"","excerpt":"a 3 7"}]}`},
		{name: "history, no query", tool: "searchHistory", arguments: `{"scope":"space"}`, says: "query", failed: true},
		{name: "a conversation", tool: "readConversation", arguments: `{"link":"weft://space/home#m1"}`, says: `{"note":"","space":"Home","folder":"","messages":[{"link":"weft://space/home#m1","author":"","time":"","text":"2"}]}`},
		{name: "runs", tool: "getMyRuns", arguments: ``, says: `{"runs":[{"id":"r1","spaceId":"home","state":"completed","startedAt":0,"messages":[{"spaceId":"home","messageId":"m1"},{"spaceId":"finance","messageId":"m2"}]}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse()
			g := open(t, Options{
				Host: h, Definitions: func() []tools.Definition { return definitions },
				Proxied: func() []ProxiedServer { return []ProxiedServer{server("plain", false), server("shown", true)} },
			})
			client, _ := dial(t, g, nil)
			listed(t, client) // as agents do; it waits for the servers
			mu.Lock()
			reached = nil
			mu.Unlock()
			got, failed := calls(t.Context(), t, client, c.tool, c.arguments)
			if failed != c.failed || !strings.Contains(got, c.says) || !failed && strings.HasPrefix(c.says, "{") && got != c.says {
				t.Errorf("%q, failed: %v", got, failed)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			shown := map[string]string{}
			for space, list := range h.shown {
				shown[space] = strings.Join(list, "; ")
			}
			if c.shown == nil {
				c.shown = map[string]string{}
			}
			if !reflect.DeepEqual(shown, c.shown) {
				t.Errorf("seen: %q", shown)
			}
			if got := strings.Join(h.permits, "; "); got != c.permitted {
				t.Errorf("permitted: %q", got)
			}
			if got := strings.Join(h.filled, "; "); !strings.HasPrefix(got, c.filled) || c.filled == "" && got != "" {
				t.Errorf("filled: %q", got)
			}
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(reached, "; "); got != c.executed {
				t.Errorf("executed: %q", got)
			}
		})
	}
}

// Agents see targetSpaceId in display tools, before all else, and nowhere else.
func TestInjection(t *testing.T) {
	t.Parallel()
	definitions := []tools.Definition{
		definition("web", false, &tools.Execution{Mode: tools.ModeHTTP, URL: "http://x.example/"}), definition("drawn", true, nil),
		{Name: "bare", Description: "b", DisplayTool: true, InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Name: "taken", Description: "b", DisplayTool: true, InputSchema: json.RawMessage(`{"type":"object","properties":{"targetSpaceId":{}}}`)},
	}
	g := open(t, Options{Definitions: func() []tools.Definition { return definitions }})
	client, _ := dial(t, g, nil)
	offered := listed(t, client)
	displays := map[string]bool{"drawn": true, "bare": true}
	for _, d := range tools.Builtins() {
		displays[d.Name] = true
	}
	if len(displays) != 12 || len(offered) != 6+10+3 {
		t.Errorf("%d displays, %d tools", len(displays), len(offered))
	}
	for name, one := range offered {
		raw, err := json.Marshal(one.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), tools.TargetName) != displays[name] {
			t.Errorf("%s: %s", name, raw)
		}
	}
	if offered["taken"] != nil {
		t.Error("a tool with a property of that name is offered")
	}
	problems := g.Catalog().Problems()
	if len(problems) != 1 || problems[0].File != "taken" || !strings.Contains(problems[0].Message, "already has a property targetSpaceId") {
		t.Errorf("%v", problems)
	}
	for _, d := range definitions[:3] {
		schema, err := tools.WithTarget(d.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Compile(schema); err != nil {
			t.Error(err)
		}
		if at := strings.Index(string(schema), `"properties":{"targetSpaceId":`); at < 0 {
			t.Errorf("%s", schema)
		}
	}
}

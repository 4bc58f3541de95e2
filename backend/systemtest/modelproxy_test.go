//go:build linux

package systemtest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent/sandbox"
	"weft/backend/api/service/agents"
	"weft/backend/api/service/ref"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
)

func init() { addScript("thinker", thinker) }

const thinkersKey = "sk-only-for-the-model-4711"

// thinking is what a thinker is prompted with.
type thinking struct {
	Shows  string `json:"shows"`  // when it shows the call: early (as the model begins it), midway (with the third fragment), late (once it is complete), never
	ID     string `json:"id"`     // its id of the call: %s is the provider's
	Title  string `json:"title"`  // what it calls the tool
	Parts  bool   `json:"parts"`  // it also tells the input so far, now and then
	Before string `json:"before"` // what it says once the model writes the call
}

// thinker is an agent with a model of Anthropic's kind, which tells nothing of inputs while they are written.
func thinker(a *scripted) {
	session, err := a.gateway()
	if err != nil {
		return
	}
	for {
		var how thinking
		if json.Unmarshal([]byte(a.prompt()), &how) != nil {
			a.end("end_turn")
			continue
		}
		a.think(session, how)
		a.end("end_turn")
	}
}

func (a *scripted) think(session *sdk.ClientSession, how thinking) {
	req, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, cmp.Or(os.Getenv("ANTHROPIC_BASE_URL"), os.Getenv("THINKERS_MODEL"))+"/v1/messages", strings.NewReader(`{}`))
	req.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.say("no model: " + err.Error())
		return
	}
	defer res.Body.Close()
	var id, name, input string
	deltas := 0
	lines := bufio.NewScanner(res.Body)
	for n := 0; lines.Scan(); n++ {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Block struct{ ID, Name string } `json:"content_block"`
			Delta struct {
				Partial string `json:"partial_json"`
			}
		}
		_ = json.Unmarshal([]byte(data), &e)
		switch e.Type {
		case "content_block_start":
			id, name = strings.ReplaceAll(how.ID, "%s", e.Block.ID), e.Block.Name
			if how.Before != "" {
				a.tell("before")
				a.await()
				a.say(how.Before)
			}
			if how.Shows == "early" {
				a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(how.Title) + `,"kind":"other","status":"pending","rawInput":{}}`)
			}
		case "content_block_delta":
			if deltas++; how.Shows == "midway" && deltas == 3 {
				a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(how.Title) + `,"kind":"other","status":"pending","rawInput":{}}`)
			}
			if input += e.Delta.Partial; how.Parts && how.Shows == "early" && len(input) > 12 {
				a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"rawInput":{"path":"a"}}`)
			}
		}
	}
	if lines.Err() != nil {
		a.say("the model broke off")
		return
	}
	a.tell("written")
	a.await()
	if how.Shows == "late" {
		a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(how.Title) + `,"kind":"other","status":"pending","rawInput":` + input + `}`)
	} else {
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"status":"in_progress","rawInput":` + input + `}`)
	}
	if tool, ours := strings.CutPrefix(name, "mcp__weft__"); ours {
		_, err = session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(input)})
	}
	status := "completed"
	if err != nil {
		status = "failed"
	}
	a.callUpdate(id, status, content("done"))
}

// model is the model of a thinker: it writes one call, as the test lets it.
type model struct {
	*httptest.Server
	out  chan string // what it writes next; closed at the end of the answer
	keys chan string
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{out: make(chan string), keys: make(chan string, 10)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		m.keys <- r.Header.Get("X-Api-Key")
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case text, more := <-m.out:
				if !more {
					return
				}
				if text == "BREAK" {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, text)
				_ = http.NewResponseController(w).Flush()
				if strings.Contains(text, "message_stop") {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(func() { m.CloseClientConnections(); m.Close() })
	return m
}

func (m *model) begin(t *testing.T, id, tool string) {
	t.Helper()
	m.say(t, `{"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":10,"cache_read_input_tokens":300,"output_tokens":1}}}`)
	m.say(t, fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}}`, id, tool))
}

func (m *model) say(t *testing.T, event string) {
	t.Helper()
	select {
	case m.out <- "data: " + event + "\n\n":
	case <-t.Context().Done():
		t.Fatal("the model was not asked")
	}
}

func (m *model) write(t *testing.T, fragment string) {
	t.Helper()
	m.say(t, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+quote(fragment)+`}}`)
}

func (m *model) end(t *testing.T) {
	t.Helper()
	m.say(t, `{"type":"content_block_stop","index":0}`)
	m.say(t, `{"type":"message_delta","usage":{"output_tokens":40}}`)
	m.say(t, `{"type":"message_stop"}`)
}

// thinkerIn makes a space with a thinker behind the model proxy.
func (a *app) thinkerIn(t *testing.T, m *model, box *settings.Sandbox) *room {
	t.Helper()
	r, saved := a.thinkerAs(t, agents.SaveAgentRequest{ModelProxy: &settings.ModelProxy{}, Sandbox: box, Env: map[string]string{"ANTHROPIC_BASE_URL": m.URL, "ANTHROPIC_API_KEY": thinkersKey}})
	if saved.ModelProxy == nil {
		t.Fatal("the choice was not saved")
	}
	return r
}

// thinkerAs makes a space with a thinker that is set up in a way.
func (a *app) thinkerAs(t *testing.T, as agents.SaveAgentRequest) (*room, agents.Agent) {
	t.Helper()
	ctl := listen(t)
	as.Name, as.Command, as.Args, as.Cwd = "Thinker", scriptedProgram, []string{"scripted", "thinker"}, "space"
	as.Env[controlVariable] = ctl.l.Addr().String()
	var saved agents.Agent
	a.do(t, "SaveAgent", as, &saved)
	r := a.enter(t, t.TempDir(), saved.ID)
	r.steer(ctl)
	t.Cleanup(r.st.close)
	return r, saved
}

func (r *room) thinks(t *testing.T, how thinking) {
	t.Helper()
	text, err := json.Marshal(how)
	if err != nil {
		t.Fatal(err)
	}
	r.st.reset()
	r.send(t, string(text))
}

// TestModelProxyIsOnWhereAKeyOrAnAddressIsShown: nobody has to switch it on; else it is offered once, the first time that a message comes in one
// piece. The user's word holds.
func TestModelProxyIsOnWhereAKeyOrAnAddressIsShown(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	address := map[string]string{"ANTHROPIC_BASE_URL": m.URL}
	hidden := map[string]string{"THINKERS_MODEL": m.URL}
	for name, c := range map[string]struct {
		proxy   *settings.ModelProxy
		env     map[string]string
		streams bool
		offered bool
		leads   string
	}{
		"an address":                    {nil, address, true, false, "ANTHROPIC_BASE_URL"},
		"an address, switched off":      {&settings.ModelProxy{Off: true}, address, false, false, "ANTHROPIC_BASE_URL"},
		"nothing, as in a subscription": {nil, hidden, false, true, ""},
		"nothing, switched off":         {&settings.ModelProxy{Off: true}, hidden, false, false, ""},
		"a name, switched on":           {&settings.ModelProxy{Variables: []string{"THINKERS_MODEL"}}, hidden, true, false, "THINKERS_MODEL"},
	} {
		t.Run(name, func(t *testing.T) {
			a := launch(t, t.TempDir())
			from, saved := a.thinkerAs(t, agents.SaveAgentRequest{ModelProxy: c.proxy, Env: maps.Clone(c.env)})
			if got := strings.Join(saved.Leads, " "); got != c.leads {
				t.Errorf("led by %q, want %q", got, c.leads)
			}
			to := a.reenter(t, from.folder, a.like(t, from).ID)
			offer := func() string {
				var list []agents.Agent
				a.do(t, "ListAgents", struct{}{}, &list)
				return list[slices.IndexFunc(list, func(one agents.Agent) bool { return one.ID == saved.ID })].WholeFrom
			}
			for i := range 2 {
				to.st.reset()
				from.thinks(t, thinking{Shows: "early", ID: "%s", Title: "mcp__weft__sendSpaceMessage"})
				m.begin(t, fmt.Sprintf("toolu_%d", i), "mcp__weft__sendSpaceMessage")
				m.write(t, `{"spaceId": `+quote(to.id)+`, "text": "`)
				m.write(t, "The first half. ")
				if c.streams {
					to.st.until(t, "the first half", func(v *seen) bool { return v.message().Content() == "The first half. " })
				}
				m.write(t, strings.Repeat("And more of it. ", 10)+`"}`)
				m.end(t)
				from.ctl.expect(t, "written")
				if !c.streams && i == 0 && to.agentText() != "" {
					t.Errorf("%q was read along", to.agentText())
				}
				from.ctl.say(t, "go on")
				from.ended(t, "end_turn")
				if want := map[bool]string{true: from.id}[c.offered && i == 0]; offer() != want {
					t.Errorf("message %d: offered in %q, want %q", i, offer(), want)
				}
				a.do(t, "DeclineModelProxy", ref.AgentRef{AgentID: saved.ID}, nil)
				if offer() != "" {
					t.Error("it is offered although the user doesn't want it")
				}
			}
		})
	}
}

// TestMessageStreamsFromTheModelThroughTheProxy: the model writes the next words only when those before are in the target space, and its agent
// tells nothing meanwhile.
func TestMessageStreamsFromTheModelThroughTheProxy(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	m := newModel(t)
	from := a.thinkerIn(t, m, nil)
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	words := []string{"A longer ", "text — größe \\\"日本\\\" ", "that comes ", "in pieces."}
	want := strings.ReplaceAll(strings.Join(words, ""), "\\", "")
	for i, how := range []thinking{
		{Shows: "early", ID: "%s", Title: "mcp__weft__sendSpaceMessage"},                                  // claude, opencode
		{Shows: "late", ID: "mcp_weft_sendSpaceMessage__%s", Title: "sendSpaceMessage (weft MCP Server)"}, // gemini
		{Shows: "late", ID: "17", Title: "weft/sendSpaceMessage"},
		{Shows: "never", ID: "%s"},
		{Shows: "midway", ID: "own-%s", Title: "weft/sendSpaceMessage"},
		{Shows: "midway", ID: "23", Title: "weft/sendSpaceMessage"},
	} {
		to.st.reset()
		from.thinks(t, how)
		m.begin(t, fmt.Sprintf("toolu_0000%d", i), "mcp__weft__sendSpaceMessage")
		m.write(t, `{"spaceId": `+quote(to.id)+`, "text": "`)
		shown := ""
		for _, word := range words {
			m.write(t, word)
			shown += strings.ReplaceAll(word, "\\", "")
			to.st.until(t, "the text until now", func(v *seen) bool { return v.message().Content() == shown })
		}
		m.write(t, `"}`)
		m.end(t)
		from.ctl.expect(t, "written")
		from.ctl.say(t, "go on")
		from.ended(t, "end_turn")
		to.st.until(t, "the end", func(v *seen) bool { return v.message().EndedAt > 0 })
		if got := to.agentText(); got != want {
			t.Errorf("%+v: %q, want %q", how, got, want)
		}
		var ends []transcript.TextEnd
		to.st.now(func(v *seen) {
			for _, end := range v.ends {
				if end.MessageID == v.message().ID {
					ends = append(ends, end)
				}
			}
		})
		model := fmt.Sprintf("toolu_0000%d", i)
		own := strings.ReplaceAll(how.ID, "%s", model)
		if len(ends) != 1 || ends[0].Segment != 0 || ends[0].Unsent {
			t.Fatalf("%+v: the ends of texts are %+v", how, ends)
		}
		// The gateway may have been called before the agent has shown its call.
		if id := ends[0].ToolCallID; id != own && (how.Shows != "late" || id != model) {
			t.Errorf("%+v: the text is told to be of the call %q", how, id)
		}
		rows := 0
		from.st.now(func(v *seen) {
			for _, s := range v.message().Segments {
				rows += len(s.Items)
			}
		})
		if wantRows := 1; rows != wantRows {
			t.Errorf("%+v: the call is there %d times", how, rows)
		}
		if key := <-m.keys; key != thinkersKey {
			t.Errorf("the model got the key %q", key)
		}
	}
	from.check(t)
	to.check(t)
	a.keepsNothingOf(t, thinkersKey)
}

// keepsNothingOf looks through all that Weft has written, but for the settings.
func (a *app) keepsNothingOf(t *testing.T, secret string) {
	t.Helper()
	_ = filepath.WalkDir(a.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Base(path) == "settings.json" {
			return nil //nolint:nilerr // files come and go while Weft runs
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s has the key", path)
		}
		return nil
	})
}

// TestMessageToTheOwnSpaceKeepsItsPlace: the model is read before what the agent passes on of it arrives.
func TestMessageToTheOwnSpaceKeepsItsPlace(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	m := newModel(t)
	a.keepsItsPlace(t, m, a.thinkerIn(t, m, nil))
}

// TestSandboxedAgentReachesTheProxy: a sandbox that leaves the network alone leaves the proxy alone, too.
func TestSandboxedAgentReachesTheProxy(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	a := launch(t, t.TempDir())
	m := newModel(t)
	a.keepsItsPlace(t, m, a.thinkerIn(t, m, &settings.Sandbox{}))
}

func (a *app) keepsItsPlace(t *testing.T, m *model, r *room) {
	t.Helper()
	r.thinks(t, thinking{Shows: "early", ID: "%s", Title: "mcp__weft__sendSpaceMessage", Before: "First this. "})
	m.begin(t, "toolu_00001", "mcp__weft__sendSpaceMessage")
	m.write(t, `{"spaceId":`+quote(r.id)+`,"text":"Then`)
	r.ctl.expect(t, "before")
	r.ctl.say(t, "go on")
	r.st.until(t, "both texts", func(v *seen) bool { return v.message().Content() == "First this. Then" })
	m.write(t, ` that."}`)
	m.end(t)
	r.ctl.expect(t, "written")
	r.ctl.say(t, "go on")
	r.ended(t, "end_turn")
	if got := r.agentText(); got != "First this. Then that." {
		t.Errorf("%q", got)
	}
	r.check(t)
}

// TestInterruptedMessageIsMarkedUnsent covers text that is shown before the agent knows that there is no call.
func TestInterruptedMessageIsMarkedUnsent(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	m := newModel(t)
	from := a.thinkerIn(t, m, nil)
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	from.thinks(t, thinking{Shows: "late", ID: "%s", Title: "mcp__weft__sendSpaceMessage"})
	m.begin(t, "toolu_00001", "mcp__weft__sendSpaceMessage")
	m.write(t, `{"spaceId":`+quote(to.id)+`,"text":"Half a sen`)
	to.st.until(t, "the text", func(v *seen) bool { return v.message().Content() == "Half a sen" })
	m.out <- "BREAK"
	from.ended(t, "end_turn")
	to.st.until(t, "the end", func(v *seen) bool { return v.message().EndedAt > 0 })
	to.st.now(func(v *seen) {
		if text := dump(v.conv.Messages); !strings.Contains(text, "was written, but not sent") {
			t.Errorf("nothing says that it was not sent:\n%s", text)
		}
	})
	from.check(t)
	to.check(t)
}

// TestInputOfAnyToolStreamsThroughTheProxy: an agent that tells only parts of an input does not get in between.
func TestInputOfAnyToolStreamsThroughTheProxy(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	m := newModel(t)
	r := a.thinkerIn(t, m, nil)
	r.thinks(t, thinking{Shows: "early", ID: "%s", Title: "Write", Parts: true})
	m.begin(t, "toolu_00001", "Write")
	written := ""
	for _, fragment := range []string{`{"path":"a.txt",`, `"content":"one `, `two `, `three"}`} {
		m.write(t, fragment)
		written += fragment
		r.st.until(t, "the input until now", func(v *seen) bool {
			c := v.call("toolu_00001")
			return c != nil && c.InputText == written
		})
	}
	m.end(t)
	r.ctl.expect(t, "written")
	r.ctl.say(t, "go on")
	r.ended(t, "end_turn")
	r.st.now(func(v *seen) {
		if c := v.call("toolu_00001"); c == nil || string(c.Input) != written || c.Status != transcript.StatusCompleted {
			t.Errorf("%+v", c)
		}
		var usage struct {
			Input  int64 `json:"inputTokens"`
			Cached int64 `json:"cachedReadTokens"`
			Output int64 `json:"outputTokens"`
			Total  int64 `json:"totalTokens"`
			Count  int   `json:"requestCount"`
		}
		if err := json.Unmarshal(v.message().Usage, &usage); err != nil || usage.Input != 10 || usage.Cached != 300 || usage.Output != 40 || usage.Total != 350 || usage.Count != 1 {
			t.Errorf("%s %v", v.message().Usage, err)
		}
	})
	r.check(t)
}

// Where the user has switched the model proxy off, an agent has the address of its model as it was set.
func TestModelProxyThatIsOffLeadsNoAgent(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const address = "https://models.example/v1"
	for _, proxy := range []*settings.ModelProxy{nil, {}, {Off: true}} {
		ctl := listen(t)
		var saved agents.Agent
		a.do(t, "SaveAgent", agents.SaveAgentRequest{
			Name: "Shells", Command: scriptedProgram, Args: []string{"scripted", "shells"}, Cwd: "space", ModelProxy: proxy,
			Env: map[string]string{controlVariable: ctl.l.Addr().String(), "ANTHROPIC_BASE_URL": address},
		}, &saved)
		r := a.enter(t, t.TempDir(), saved.ID)
		r.steer(ctl)
		t.Cleanup(r.st.close)
		r.send(t, `echo "$ANTHROPIC_BASE_URL"`)
		if got, off := r.ctl.hear(t), proxy != nil && proxy.Off; (got == address+"|") != off {
			t.Errorf("with the proxy %+v, its model is at %q", proxy, got)
		}
		r.ended(t, "end_turn")
	}
}

package builtin

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/llm"
	"weft/backend/llm/llmtest/scripted"
	"weft/backend/llm/provider"
)

var rewrite = flag.Bool("update", false, "write the transcripts anew")

// wire is a provider's API, as the agent is started with it.
type wire struct {
	name, provider, api, path string
	wholeInputs               bool // inputs aren't streamed, and are JSON objects
}

var wires = []wire{
	{name: "openai chat", provider: provider.OpenAI, api: "chat", path: "/v1"},
	{name: "openai responses", provider: provider.OpenAI, api: "responses", path: "/v1"},
	{name: "anthropic", provider: provider.Anthropic},
	{name: "google", provider: provider.Google, wholeInputs: true},
	{name: "ollama", provider: provider.Ollama, wholeInputs: true},
}

// begin starts the agent with a scripted model behind a provider's real API.
func (w wire) begin(t *testing.T, data string, steps ...scripted.Step) (*client, *scripted.Server) {
	t.Helper()
	server := scripted.New(t, steps...)
	set := settings{mode: modeAsk, data: data, model: "test-model", baseURL: server.URL + w.path, api: w.api}
	set.provider, _ = provider.ByID(w.provider)
	t.Setenv(set.provider.KeyEnv, "sk-test-0123456789abcdef")
	return startSet(t, set, nil), server
}

func reading(path string) scripted.Call {
	return scripted.Call{Name: "read", Input: fmt.Sprintf(`{"path":%q}`, path)}
}

func using(name string, input map[string]any) scripted.Call {
	raw, _ := json.Marshal(input)
	return scripted.Call{Name: name, Input: string(raw)}
}

// scenario is a conversation that must look the same with every provider.
type scenario struct {
	name    string
	prompts []string
	steps   []scripted.Step
	answers map[string]string // option by title of the call; others are rejected
	cancel  string            // cancel the turn at the first update that contains this
	broken  bool              // needs a wire with inputs that may be invalid JSON
}

var scenarios = []scenario{
	{name: "text", steps: []scripted.Step{{Thinking: "Let me think.\n", Text: "Hello, größe 日本 🙂.", Fragment: 3}}},
	{name: "three tools", steps: []scripted.Step{
		{Text: "Three looks at once.", Calls: []scripted.Call{reading("README.md"), using("search", map[string]any{"pattern": "TODO"}), reading("src/tide.js")}, Fragment: 4},
		{Text: "All read."},
	}},
	{name: "failing tools", steps: []scripted.Step{
		{Text: "A file that isn't there.", Calls: []scripted.Call{reading("missing.txt")}},
		{Text: "A tool that isn't there.", Calls: []scripted.Call{using("no_such_tool", map[string]any{"a": 1})}},
		{Text: "Wrong fields.", Calls: []scripted.Call{using("read", map[string]any{"nonsense": 42})}},
		{Text: "Outside.", Calls: []scripted.Call{reading("../../etc/passwd")}},
		{Text: "A broken pattern.", Calls: []scripted.Call{using("search", map[string]any{"pattern": "(unclosed", "regex": true})}},
		{Text: "None of it worked."},
	}},
	{name: "input that is no JSON", broken: true, steps: []scripted.Step{
		{Calls: []scripted.Call{{Name: "read", Input: `{"path": "READ`}}, Fragment: 5},
		{Text: "Sorry."},
	}},
	{name: "changes", answers: map[string]string{"Edit src/tide.js": "allow-once", "Run exit 3": "allow-once"}, steps: []scripted.Step{
		{Text: "First I read it.", Calls: []scripted.Call{reading("src/tide.js")}},
		{Calls: []scripted.Call{using("edit", map[string]any{"path": "src/tide.js", "old_string": "return 1", "new_string": "return 2"})}, Fragment: 7},
		{Text: "Now a file that you will not want.", Calls: []scripted.Call{using("write", map[string]any{"path": "new.txt", "content": "line\n"})}},
		{Text: "And a command.", Calls: []scripted.Call{using("shell", map[string]any{"command": "exit 3", "description": "Fail"})}},
		{Text: "Done."},
	}},
	{name: "a plan", steps: []scripted.Step{
		{Calls: []scripted.Call{using("todo", map[string]any{"todos": []any{
			map[string]any{"content": "Look", "status": "completed", "priority": "high"}, map[string]any{"content": "Change", "status": "in_progress", "priority": "low"},
		}})}},
		{Text: "Planned."},
	}},
	{name: "overloaded twice", steps: []scripted.Step{
		{Status: 503, Header: map[string]string{"retry-after-ms": "20"}}, {Status: 429, Header: map[string]string{"retry-after-ms": "20"}}, {Text: "Recovered."},
	}},
	{name: "broken off", prompts: []string{"go", "go on"}, steps: []scripted.Step{{Text: "This answer will break off in the mid", Fragment: 8, Drop: true}, {Text: "Here I am again."}}},
	{name: "refused", steps: []scripted.Step{{Text: "I can't help with that.", Stop: llm.StopRefusal}}},
	{name: "out of tokens", steps: []scripted.Step{{Text: "This answer stops because the token limit was rea", Stop: llm.StopLength}}},
	{name: "an empty answer", steps: []scripted.Step{{}}},
	{name: "wrong key", steps: []scripted.Step{{Status: 401}}},
	{name: "wrong model", steps: []scripted.Step{{Status: 404}}},
	{name: "a web page", steps: []scripted.Step{{Body: "<!DOCTYPE html><html><body>Sign in to the proxy</body></html>", Header: map[string]string{"Content-Type": "text/html"}}}},
	{name: "cancelled while the server hangs", cancel: "Half", prompts: []string{"go", "again"}, steps: []scripted.Step{{Text: "Half of it", Hang: true}, {Text: "Whole."}}},
	{name: "cancelled in a tool", cancel: `"status":"in_progress"`, prompts: []string{"go", "again"}, answers: map[string]string{"Run sleep 60": "allow-once"}, steps: []scripted.Step{
		{Text: "This takes a while.", Calls: []scripted.Call{using("shell", map[string]any{"command": "sleep 60"})}}, {Text: "On we go."},
	}},
}

// Every scenario looks the same over every wire. The transcripts are in testdata/scenarios.
func TestScenarios(t *testing.T) {
	for _, sc := range scenarios {
		for _, w := range wires {
			if sc.broken && w.wholeInputs || sc.name == "refused" && w.provider == provider.Ollama { // its API has no refusals
				continue
			}
			t.Run(sc.name+"/"+w.name, func(t *testing.T) {
				got := sc.play(t, w)
				golden(t, filepath.Join("testdata", "scenarios", strings.ReplaceAll(sc.name, " ", "-")+".txt"), got)
			})
		}
	}
}

func (sc scenario) play(t *testing.T, w wire) string {
	c, server := w.begin(t, t.TempDir(), sc.steps...)
	c.answer = sc.permit
	dir := jsProject(t)
	session := c.open(dir, nil)
	var out bytes.Buffer
	prompts := sc.prompts
	if prompts == nil {
		prompts = []string{"go"}
	}
	for i, p := range prompts {
		from := len(c.seen)
		id := c.request("session/prompt", promptOf(session, p))
		if sc.cancel != "" && i == 0 {
			c.until(sc.cancel, func(m message) bool { return strings.Contains(string(m.Params.Update), sc.cancel) })
			c.notify("session/cancel", map[string]any{"sessionId": session})
		}
		m := c.response(id)
		fmt.Fprintf(&out, "%s%s\n", c.plain(from), ending(m))
	}
	if server.Left() > 0 {
		t.Errorf("%d steps weren't asked for", server.Left())
	}
	for _, m := range c.seen {
		if raw, _ := json.Marshal(m); bytes.Contains(raw, []byte("sk-test")) {
			t.Errorf("the key stands in %s", raw)
		}
	}
	return strings.ReplaceAll(out.String(), dir, "DIR")
}

func (sc scenario) permit(m message) any {
	option := "reject-once"
	var call struct{ Title string }
	if json.Unmarshal(m.Params.ToolCall, &call) == nil {
		for title, chosen := range sc.answers {
			if strings.HasPrefix(call.Title, title) {
				option = chosen
			}
		}
	}
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
}

func ending(m message) string {
	if m.Error == nil {
		return "end: " + stopReason(m)
	}
	var data struct {
		Data struct {
			Code                  string
			Retryable, WasRetried bool
			Said                  fault.Said
		}
	}
	_ = json.Unmarshal(m.Raw, &struct{ Error any }{&data})
	if data.Data.Said.String() != m.Error.Message {
		return fmt.Sprintf("end: %q has the template %s", m.Error.Message, data.Data.Said)
	}
	return fmt.Sprintf("end: error %d %s retryable=%v retried=%v", m.Error.Code, data.Data.Code, data.Data.Retryable, data.Data.WasRetried)
}

// plain returns a transcript with joined chunks. All updates of a call are at the position where it began, because
// concurrent calls end in any order.
func (c *client) plain(from int) string {
	var lines []*strings.Builder
	calls := map[string]*strings.Builder{}
	add := func(format string, args ...any) *strings.Builder {
		b := &strings.Builder{}
		fmt.Fprintf(b, format, args...)
		lines = append(lines, b)
		return b
	}
	last := ""
	for _, m := range c.seen[from:] {
		if m.Method == "session/request_permission" {
			var call struct{ ToolCallID string }
			_ = json.Unmarshal(m.Params.ToolCall, &call)
			calls[call.ToolCallID].WriteString(", asked")
			continue
		}
		u := m.update()
		switch u.Kind {
		case "agent_message_chunk", "agent_thought_chunk":
			if last != u.Kind {
				add("%s: ", map[string]string{"agent_message_chunk": "text", "agent_thought_chunk": "thought"}[u.Kind])
			}
			lines[len(lines)-1].WriteString(strings.ReplaceAll(unpaced(u.text()), "\n", "⏎"))
		case "tool_call":
			calls[u.ID] = add("%s", u.ID)
		case "tool_call_update":
			if u.Status != "" {
				fmt.Fprintf(calls[u.ID], ", %s", u.Status)
			}
			if s := u.Meta.Weft["summary"]; s != nil {
				fmt.Fprintf(calls[u.ID], ": %v", s)
			}
			continue
		case "plan":
			b := add("plan:")
			for _, e := range u.Entries {
				fmt.Fprintf(b, " %s=%s", e.Content, e.Status)
			}
		default:
			continue
		}
		last = u.Kind
	}
	var out strings.Builder
	for _, b := range lines {
		out.WriteString(b.String() + "\n")
	}
	return out.String()
}

// unpaced removes what differs between providers from a note.
func unpaced(s string) string {
	if _, rest, ok := strings.Cut(s, "Trying again in"); ok {
		return "(passing failure) Trying again in" + rest
	}
	return s
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if string(want) != got && strings.HasSuffix(t.Name(), "openai_chat") || os.IsNotExist(err) {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, _ = os.ReadFile(path)
	}
	if string(want) != got {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Deltas aren't buffered: the server sends each delta only after the client has received the previous one.
func TestDeltasAreSentAsTheyArrive(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			const words, slack = 40, 2 // a call's name and its end carry no fragment
			content := strings.Repeat("0123456789", 30)
			seen := make(chan int, 1000)
			got := 0
			wait := func(want int) {
				for got < want {
					select {
					case got = <-seen:
					case <-time.After(20 * time.Second):
						t.Errorf("delta %d didn't arrive", got+1)
						return
					}
				}
			}
			c, _ := w.begin(t, t.TempDir(),
				scripted.Step{
					Text: strings.Repeat("word ", words), Calls: []scripted.Call{using("write", map[string]any{"path": "a.txt", "content": content})}, Fragment: 5,
					Before: func(n int) {
						if n > words {
							n -= slack
						}
						wait(n)
					},
				},
				scripted.Step{Text: "ok"})
			session := c.open(t.TempDir(), nil)
			id := c.request("session/prompt", promptOf(session, "go"))
			came := 0
			var input strings.Builder
			c.until("the end", func(m message) bool {
				u := m.update()
				fragment, isInput := u.Meta.Delta.(string)
				if u.Kind == "agent_message_chunk" || isInput {
					input.WriteString(fragment)
					came++
					seen <- came
				}
				return m.Method == "" && string(m.ID) == id
			})
			var whole struct{ Content string }
			if err := json.Unmarshal([]byte(input.String()), &whole); err != nil || whole.Content != content {
				t.Errorf("%v: %q", err, input.String())
			}
			if !w.wholeInputs && came < words+60 {
				t.Errorf("only %d deltas came", came)
			}
		})
	}
}

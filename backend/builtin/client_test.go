package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// client is a small JSON-RPC client that sends and reads raw lines, to test the wire format.
type client struct {
	t      *testing.T
	in     io.WriteCloser
	lines  chan message
	nextID int
	ended  chan struct{} // closed when the agent has returned

	seen []message // all messages that were read, in order
	// answer replies to requests of the agent; nil declines permissions. A nil result leaves the request open.
	answer func(m message) any
}

type message struct {
	Raw    json.RawMessage `json:"-"`
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string          `json:"sessionId"`
		Update    json.RawMessage `json:"update"`
		ToolCall  json.RawMessage `json:"toolCall"`
		Path      string          `json:"path"`
		Content   string          `json:"content"`
		Options   []struct{ OptionID, Name, Kind string }
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

// update has the fields of a session update that tests check.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"`
	ID      string          `json:"toolCallId"`
	Title   string          `json:"title"`
	Status  string          `json:"status"`
	Raw     map[string]any  `json:"rawOutput"`
	Meta    struct {
		Weft  map[string]any `json:"weft"`
		Delta any            `json:"weft/inputDelta"`
	} `json:"_meta"`
	Entries []struct{ Content, Status string }
}

func (m message) update() update {
	var u update
	if m.Method == "session/update" {
		_ = json.Unmarshal(m.Params.Update, &u)
	}
	return u
}

func (u update) text() string {
	var c struct{ Text string }
	_ = json.Unmarshal(u.Content, &c)
	return c.Text
}

// start runs the offline guide on in-memory pipes.
func start(t *testing.T, data string) *client { return startWith(t, data, nil) }

// startWith runs an agent with a model, or with the offline guide if model is nil.
func startWith(t *testing.T, data string, model llm.Model) *client {
	t.Helper()
	guide, _ := provider.ByID(provider.Guide)
	set := settings{provider: guide, mode: modeAsk, data: data}
	if model != nil {
		set.provider, set.model = provider.Provider{ID: "test", Name: "Test"}, "test-model"
	}
	return startSet(t, set, model)
}

// startSet runs an agent with these settings. If model isn't nil, it replaces the provider's.
func startSet(t *testing.T, set settings, model llm.Model, own ...tool.Tool) *client {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &client{t: t, in: in, lines: make(chan message), ended: make(chan struct{})}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	a := newAgent(set, newKeys(set.provider, &secret.Redactor{}), quiet)
	if model != nil {
		a.brain.create = func(string, llm.Options) (llm.Model, error) { return model, nil }
	}
	if own != nil {
		a.tools = func() []tool.Tool { return own }
	}
	go func() {
		defer close(c.ended)
		serve(context.Background(), a, fromClient, toClient)
		toClient.Close()
	}()
	go func() {
		defer close(c.lines)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			m := message{Raw: line}
			if err := json.Unmarshal(line, &m); err != nil {
				panic(fmt.Sprintf("the agent wrote %q: %v", line, err))
			}
			c.lines <- m
		}
	}()
	t.Cleanup(func() {
		in.Close()
		for range c.lines {
		}
		<-c.ended
	})
	return c
}

func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) send(v any) {
	c.t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(line))
}

// request sends a request and returns its id.
func (c *client) request(method string, params any) string {
	c.t.Helper()
	c.nextID++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.nextID, "method": method, "params": params})
	return strconv.Itoa(c.nextID)
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// until reads messages until one satisfies done, and responds to the agent's requests meanwhile.
func (c *client) until(what string, done func(message) bool) message {
	c.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case m, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("the agent ended while waiting for %s", what)
			}
			c.seen = append(c.seen, m)
			if m.Method != "" && len(m.ID) > 0 {
				c.reply(m)
			}
			if done(m) {
				return m
			}
		case <-deadline:
			c.t.Fatalf("no %s", what)
		}
	}
}

func (c *client) reply(m message) {
	var result any = map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": "reject-once"}}
	if c.answer != nil {
		result = c.answer(m)
	}
	if result != nil {
		c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

func (c *client) response(id string) message {
	c.t.Helper()
	return c.until("response to "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// call sends a request and returns its response, which must not be an error.
func (c *client) call(method string, params any) message {
	c.t.Helper()
	m := c.response(c.request(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return m
}

// open initializes the agent and creates a session.
func (c *client) open(cwd string, capabilities map[string]any) string {
	c.t.Helper()
	c.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": capabilities})
	var created struct{ SessionID string }
	if err := json.Unmarshal(c.call("session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}}).Result, &created); err != nil {
		c.t.Fatal(err)
	}
	return created.SessionID
}

func promptOf(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// prompt runs one turn and returns its stop reason.
func (c *client) prompt(session, text string) string {
	c.t.Helper()
	return stopReason(c.call("session/prompt", promptOf(session, text)))
}

func stopReason(m message) string {
	var r struct{ StopReason string }
	_ = json.Unmarshal(m.Result, &r)
	return r.StopReason
}

// transcript returns the updates since message number from as readable text. It joins neighboring chunks, and names
// calls by their title at that time.
func (c *client) transcript(from int) string {
	var b strings.Builder
	last, titles := "", map[string]string{}
	for _, m := range c.seen[from:] {
		u := m.update()
		if u.Title != "" {
			titles[u.ID] = u.Title
		}
		head := map[string]string{"user_message_chunk": "user: ", "agent_message_chunk": "text: ", "agent_thought_chunk": "thought: "}[u.Kind]
		switch {
		case head != "":
			if last != u.Kind {
				b.WriteString("\n" + head)
			}
			b.WriteString(u.text())
		case u.Kind == "tool_call":
			fmt.Fprintf(&b, "\ncall %s", u.ID)
		case u.Kind == "tool_call_update" && u.Status != "" && u.Status != "in_progress":
			fmt.Fprintf(&b, "\ncall %s %s: %s: %v", u.ID, u.Status, titles[u.ID], u.Meta.Weft["summary"])
		case u.Kind == "plan":
			b.WriteString("\nplan:")
			for _, e := range u.Entries {
				fmt.Fprintf(&b, " %s=%s", e.Content, e.Status)
			}
		default:
			continue
		}
		last = u.Kind
	}
	return strings.TrimPrefix(b.String()+"\n", "\n")
}

// said returns the text of the answer since message number from.
func (c *client) said(from int) string {
	var b strings.Builder
	for _, m := range c.seen[from:] {
		if u := m.update(); u.Kind == "agent_message_chunk" {
			b.WriteString(u.text())
		}
	}
	return b.String()
}

func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// jsProject returns a small project for the guide.
func jsProject(t *testing.T) string {
	t.Helper()
	return workspace(t, map[string]string{
		"package.json":     `{"name": "tide", "version": "0.3.1", "scripts": {"test": "vitest run", "build": "vite build"}}`,
		"README.md":        "# Tide clock\n\nTells the tide. It has no database.\n",
		"src/index.js":     "// Starts the server.\nimport { tideAt } from './tide.js'\n// TODO: read the port\ntideAt()\n",
		"src/tide.js":      "export function tideAt() {\n  return 1\n}  \n",
		"src/tide.test.js": "import { tideAt } from './tide.js'\n",
		".gitignore":       "ignored.js\n",
		"ignored.js":       "tideAt() // TODO: never seen\n",
	})
}

// script is a model that is a function.
type script func(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error)

func (s script) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	return s(ctx, req, emit)
}

func (script) Models(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{{ID: "test-model", Context: 1000}, {ID: "other-model"}}, nil
}

// obeys is a model that makes the calls in a prompt: one per line, the name of a tool and its input. Then it says what
// the last call returned.
func obeys(_ context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	at := len(req.Messages) - 1
	made := 0
	for at >= 2 && len(req.Messages[at-1].Calls()) > 0 {
		at, made = at-2, made+1
	}
	calls := strings.Split(req.Messages[at].Text(), "\n")
	if made == len(calls) {
		result := req.Messages[len(req.Messages)-1].Parts[0].(llm.ToolResult)
		text := llm.Message{Parts: result.Parts}.Text()
		emit(llm.Delta{Kind: llm.DeltaText, Text: text})
		return say(text), nil
	}
	name, input, _ := strings.Cut(calls[made], " ")
	c := llm.ToolCall{ID: fmt.Sprintf("call-%d-%d", at, made), Name: name, Input: json.RawMessage(input)}
	emit(llm.Delta{Kind: llm.DeltaCallStart, ID: c.ID, Name: c.Name})
	emit(llm.Delta{Kind: llm.DeltaCallInput, Text: input})
	return llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: []llm.Part{c}}, Stop: llm.StopTools}, nil
}

// say returns an answer with one text.
func say(text string) llm.Response {
	return llm.Response{Message: llm.ModelText(text), Stop: llm.StopEnd}
}

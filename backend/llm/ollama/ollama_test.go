package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
)

func newModel(url string) llm.Model {
	return New(llm.Options{BaseURL: url, Key: "test-key"})
}

// sent maps a request and returns the body that went out.
func sent(t testing.TB, s *scripted.Server, req llm.Request) []byte {
	t.Helper()
	s.Add(scripted.Step{Text: "ok"})
	if _, err := newModel(s.URL).Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	all := s.Requests()
	return all[len(all)-1].Body
}

// The exact requests of the shared conversations are in testdata. What Ollama has no form for is refused.
func TestRequests(t *testing.T) {
	for _, c := range llmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			s := scripted.New(t)
			var log []string
			c.Request.Log = func(s string) { log = append(log, s) }
			if c.Name == "a file" {
				_, err := newModel(s.URL).Stream(t.Context(), c.Request, nil)
				var f *llm.Error
				if !errors.As(err, &f) || f.Code != llm.CodeUnmappable || !strings.Contains(f.Message, "paper.pdf") {
					t.Errorf("got %v", err)
				}
				return
			}
			llmtest.Golden(t, c.Name, sent(t, s, c.Request))
			for _, r := range s.Requests() {
				if r.Header.Get("Authorization") != "Bearer test-key" {
					t.Errorf("%s has the header %q", r.Path, r.Header.Get("Authorization"))
				}
			}
			for _, line := range log { // the bounds of numbers, and closed objects, are in descriptions
				if !strings.Contains(line, "“minimum”") && !strings.Contains(line, "“additionalProperties”") {
					t.Errorf("lost: %s", line)
				}
			}
		})
	}
}

func TestReducedSchemaIsLogged(t *testing.T) {
	req := hello
	req.Tools = []llm.Tool{{Name: "t", Schema: json.RawMessage(`{"type":"object","properties":{"o":{"type":"object","properties":{"b":{},"a":{"type":"array","items":{"properties":{"z":{},"y":{}}}}},"required":["a"],"minProperties":1}}}`)}, {Name: "u", Schema: json.RawMessage(`{}`)}}
	var log []string
	req.Log = func(s string) { log = append(log, s) }
	out := string(sent(t, scripted.New(t), req))
	if len(log) != 1 || !strings.HasPrefix(log[0], "Tool t: ") || !strings.Contains(log[0], "minProperties") {
		t.Errorf("told %q", log)
	}
	if !strings.Contains(out, `"properties":{"b":{},"a":{"type":"array","items":{"properties":{"z":{},"y":{}}}}},"required":["a"]`) {
		t.Errorf("the order was lost: %s", out)
	}
	if !strings.Contains(out, `"parameters":{"type":"object","properties":{}}`) {
		t.Errorf("a tool without input has no properties: %s", out)
	}
}

// told writes what came of a request for a reader: the deltas, then the message, then how it ended.
func told(t testing.TB, model llm.Model, req llm.Request) string {
	t.Helper()
	var out strings.Builder
	r, err := model.Stream(t.Context(), req, func(d llm.Delta) {
		switch d.Kind {
		case llm.DeltaText:
			fmt.Fprintf(&out, "text %q\n", d.Text)
		case llm.DeltaThinking:
			fmt.Fprintf(&out, "think %q\n", d.Text)
		case llm.DeltaCallStart:
			fmt.Fprintf(&out, "call %d %s(%s)\n", d.Call, d.Name, d.ID)
		case llm.DeltaCallInput:
			fmt.Fprintf(&out, "input %d %s\n", d.Call, d.Text)
		}
	})
	for _, p := range r.Message.Parts {
		b, _ := json.Marshal(p)
		fmt.Fprintf(&out, "= %T %s\n", p, b)
	}
	fmt.Fprintf(&out, "%s", r.Stop)
	if r.Usage != (llm.Usage{}) {
		fmt.Fprintf(&out, " %d in, %d out", r.Usage.Input, r.Usage.Output)
	}
	if err != nil {
		fmt.Fprintf(&out, " ! %s", err)
		if llm.Retryable(err) {
			out.WriteString(" [retryable]")
		}
	}
	return strings.ReplaceAll(out.String(), "llm.", "")
}

var hello = llm.Request{Model: "test-model", Messages: []llm.Message{llm.UserText("Hello.")}, Tools: llmtest.Tools()}

func check(t *testing.T, url, want string) {
	t.Helper()
	got := strings.ReplaceAll(told(t, newModel(url), hello), strings.TrimPrefix(url, "http://"), "HOST")
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		step scripted.Step
		want string
	}{
		{
			"thinking, text and two calls", scripted.Step{
				Thinking: "hm hm", Text: "größe", Fragment: 3, Usage: llm.Usage{Input: 10, Output: 7},
				Calls: []scripted.Call{{Name: "read", Input: `{"path":"a","n":9007199254740993}`}, {Name: "list", Input: `{}`}},
			}, `
think "hm "
think "hm"
text "grö"
text "ße"
call 0 read(call_0_0)
input 0 {"path":"a","n":9007199254740993}
call 1 list(call_0_1)
input 1 {}
= Thinking {"text":"hm hm","sealed":{"provider":"ollama","data":{}}}
= Text {"text":"größe"}
= ToolCall {"id":"call_0_0","name":"read","input":{"path":"a","n":9007199254740993}}
= ToolCall {"id":"call_0_1","name":"list","input":{}}
tools 10 in, 7 out`,
		},
		{"cut at the limit", scripted.Step{Text: "A", Stop: llm.StopLength}, "text \"A\"\n= Text {\"text\":\"A\"}\nlength"},
		{"nothing", scripted.Step{}, "end"},
		{"an error in the stream", scripted.Step{Text: "A", Error: "an error was encountered while running the model"}, "text \"A\"\n= Text {\"text\":\"A\"}\nend ! Ollama failed or is overloaded (500): an error was encountered while running the model. Try again later. [retryable]"},
		{"too long", scripted.Step{Error: "the input length exceeds the context length"}, "end ! The conversation is too long for this model (400): the input length exceeds the context length."},
		{"broken off", scripted.Step{Text: "A", Drop: true}, "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The connection to Ollama was interrupted. Try again. [retryable]"},
		{"an end without its last line", scripted.Step{Body: `{"message":{"role":"assistant","content":"A"},"done":false}` + "\n"}, "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of Ollama was interrupted. Try again. [retryable]"},
		{"an end in a line", scripted.Step{Body: `{"message":{"role":"assistant","content":"A"},"done":false}` + "\n" + `{"mess`}, "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of Ollama was interrupted. Try again. [retryable]"},
		{"no id, no input", scripted.Step{Body: `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"list","arguments":null}},{"function":{"name":"list","arguments":{"a":1}}}]},"done":true,"done_reason":"stop"}`}, "call 0 list()\ncall 1 list()\ninput 1 {\"a\":1}\n= ToolCall {\"id\":\"call_1_0\",\"name\":\"list\",\"input\":{}}\n= ToolCall {\"id\":\"call_1_1\",\"name\":\"list\",\"input\":{\"a\":1}}\ntools"},
		{"a web page", scripted.Step{Body: "<html>Welcome</html>"}, "end ! HOST answered with a web page (200), not as an API. Check the base URL, and any proxy in between."},
		{"no JSON", scripted.Step{Body: "data: {}\n\n"}, "end ! The response from HOST can't be read: invalid character 'd' looking for beginning of value. Check the base URL, and any proxy in between."},
		{"overloaded", scripted.Step{Status: http.StatusServiceUnavailable, Header: map[string]string{"Retry-After": "2"}, Body: `{"error":"server busy, please try again. maximum pending requests exceeded"}`}, "end ! Ollama failed or is overloaded (503): server busy, please try again. maximum pending requests exceeded. Try again later. [retryable]"},
		{"a wrong key", scripted.Step{Status: http.StatusUnauthorized, Body: `{"error":"unauthorized: test-key"}`}, "end ! Ollama doesn't accept the key (401): unauthorized: [key]. Check the key and the base URL."},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, scripted.New(t, c.step).URL, c.want) })
	}
}

func TestUnsupportedCapabilitiesAreRefused(t *testing.T) {
	picture := llm.Request{Model: "plain", Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Image{MIME: "image/png", Data: llmtest.Pixel}}}}}
	for name, c := range map[string]struct {
		req  llm.Request
		says string
	}{
		"tools":   {llm.Request{Model: "plain", Messages: hello.Messages, Tools: hello.Tools}, "can't use tools"},
		"vision":  {picture, "can't see pictures"},
		"missing": {llm.Request{Model: "missing", Messages: hello.Messages}, "ollama pull missing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted.New(t)
			_, err := newModel(s.URL).Stream(t.Context(), c.req, nil)
			var f *llm.Error
			if !errors.As(err, &f) || f.Code != llm.CodeModel || !strings.Contains(f.Message, c.says) || f.Retryable {
				t.Errorf("got %v", err)
			}
			for _, r := range s.Requests() {
				if r.Path == "/api/chat" {
					t.Error("the request was sent")
				}
			}
		})
	}
}

func TestCapabilitiesAreRequestedOnce(t *testing.T) {
	s := scripted.New(t, scripted.Step{Text: "1"}, scripted.Step{Text: "2"})
	m := newModel(s.URL)
	for range 2 {
		if _, err := m.Stream(t.Context(), hello, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for _, r := range s.Requests() {
		paths = append(paths, r.Path)
	}
	if got := strings.Join(paths, " "); got != "/api/show /api/chat /api/chat" {
		t.Errorf("asked %s", got)
	}
}

func TestThinkingAndContext(t *testing.T) {
	long := strings.Repeat("word ", 20_000)
	for name, c := range map[string]struct {
		req   llm.Request
		think string
		ctx   int64
	}{
		"default":             {llm.Request{Model: "scripted"}, `null`, 16384},
		"on":                  {llm.Request{Model: "scripted", Effort: "high"}, `true`, 16384},
		"off":                 {llm.Request{Model: "scripted", Effort: "none"}, `false`, 16384},
		"levels":              {llm.Request{Model: "gpt-oss", Effort: "high"}, `"high"`, 16384},
		"never off":           {llm.Request{Model: "gpt-oss:20b", Effort: "none"}, `"low"`, 16384},
		"doesn't think":       {llm.Request{Model: "plain", Effort: "high"}, `null`, 16384},
		"a long one":          {llm.Request{Model: "scripted", Messages: []llm.Message{llm.UserText(long)}}, `null`, 65536},
		"one that is over":    {llm.Request{Model: "scripted", Messages: []llm.Message{llm.UserText(strings.Repeat(long, 9))}}, `null`, 131072},
		"much to be answered": {llm.Request{Model: "scripted", MaxTokens: 20000}, `null`, 32768},
	} {
		t.Run(name, func(t *testing.T) {
			if c.req.Messages == nil {
				c.req.Messages = hello.Messages
			}
			var body struct {
				Think   json.RawMessage `json:"think"`
				Options struct {
					Context int64 `json:"num_ctx"`
				} `json:"options"`
			}
			if err := json.Unmarshal(sent(t, scripted.New(t), c.req), &body); err != nil {
				t.Fatal(err)
			}
			if body.Think == nil {
				body.Think = json.RawMessage(`null`)
			}
			if string(body.Think) != c.think || body.Options.Context != c.ctx {
				t.Errorf("think %s with a context of %d", body.Think, body.Options.Context)
			}
		})
	}
}

func TestModels(t *testing.T) {
	s := scripted.New(t)
	list, err := newModel(s.URL + "/v1/").Models(t.Context())
	if err != nil || fmt.Sprint(list) != "[{scripted:latest  131072} {plain:latest  131072}]" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := newModel("http://127.0.0.1:1").Models(t.Context()); err == nil || !strings.Contains(err.Error(), "No answer from 127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
	if _, err := newModel("localhost:11434").Models(t.Context()); err == nil || !strings.Contains(err.Error(), "base URL") {
		t.Errorf("got %v", err)
	}
}

package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

const empty = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

// send is the body of the request that the SDK really makes.
func send(t testing.TB, req llm.Request) []byte {
	t.Helper()
	s := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(empty))
	})
	if _, err := New(llm.Options{Key: "k", BaseURL: s.URL}).Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	return s.Sent()[0].Body
}

func TestRequests(t *testing.T) {
	for _, c := range llmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) { llmtest.Golden(t, c.Name, send(t, c.Request)) })
	}
	t.Run("newest model", func(t *testing.T) {
		req := llmtest.Cases()[2].Request
		req.Model, req.Effort, req.MaxTokens = "claude-sonnet-5-5", "high", 0
		llmtest.Golden(t, "newest model", send(t, req))
	})
}

func TestHeaders(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from the environment")
	s := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(empty))
	})
	for _, base := range []string{s.URL, s.URL + "/v1/"} {
		if _, err := New(llm.Options{Key: "k", BaseURL: base}).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	for _, sent := range s.Sent() {
		if sent.Path != "/v1/messages" || sent.Header.Get("X-Api-Key") != "k" || sent.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", sent.Path, sent.Header)
		}
	}
}

// The parts of every conversation are in the request, once and in their order. Draw puts results first, as clean messages do.
func TestNothingIsLostOrMoved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		req := llmtest.Draw(rt)
		p, err := request(req)
		if err != nil {
			rt.Fatal(err)
		}
		body, err := json.Marshal(p)
		if err != nil {
			rt.Fatal(err)
		}
		if len(p.Messages) != len(req.Messages) {
			rt.Fatalf("%d messages of %d", len(p.Messages), len(req.Messages))
		}
		at := bytes.Index(body, []byte(`"messages"`))
		for _, m := range req.Messages {
			for _, needle := range needles(m.Parts) {
				i := bytes.Index(body[at:], needle)
				if i < 0 {
					rt.Fatalf("%s isn't behind byte %d of %s", needle, at, body)
				}
				at += i + len(needle)
			}
		}
	})
}

// needles are what the parts look like in JSON.
func needles(parts []llm.Part) (list [][]byte) {
	quoted := func(s string) []byte {
		b, _ := json.Marshal(s)
		return bytes.Trim(b, `"`)
	}
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			list = append(list, quoted(p.Text))
		case llm.Thinking:
			list = append(list, quoted(p.Text))
		case llm.ToolCall:
			list = append(list, []byte(`"id":"`+p.ID+`","input":`+string(p.Input)))
		case llm.Image:
			b, _ := json.Marshal(p.Data)
			list = append(list, b)
		case llm.ToolResult:
			list = append(list, []byte(`"tool_use_id":"`+p.CallID+`"`))
			if p.Failed {
				list = append(list, []byte(`"is_error":true`))
			}
			list = append(list, needles(p.Parts)...)
		}
	}
	return list
}

var marked = regexp.MustCompile(`,?"cache_control":\{"type":"ephemeral"\}`)

// What one request marked for the cache, the next one of the conversation begins with, byte for byte.
func TestThePrefixOfTheNextRequestIsTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		req := llmtest.Draw(rt)
		var before []byte
		for n := 1; n <= len(req.Messages); n += 2 {
			turn := req
			turn.Messages = req.Messages[:n]
			p, err := request(turn)
			if err != nil {
				rt.Fatal(err)
			}
			prefix, marks := []byte{}, 0
			for _, part := range []any{p.Tools, p.System, p.Messages} {
				b, err := json.Marshal(part)
				if err != nil {
					rt.Fatal(err)
				}
				marks += len(marked.FindAll(b, -1))
				prefix = append(prefix, bytes.TrimSuffix(marked.ReplaceAll(b, nil), []byte("]"))...)
			}
			if marks > 4 || marks < 3 {
				rt.Fatalf("%d marks", marks)
			}
			if !bytes.HasPrefix(prefix, before) {
				rt.Fatalf("turn %d begins with\n%s\nnot with\n%s", n, prefix, before)
			}
			last, _ := json.Marshal(p.Messages[n-1]) // was encoded above
			if !strings.Contains(string(last), `"cache_control"`) {
				rt.Fatalf("the last message has no mark: %s", last)
			}
			before = prefix
		}
	})
}

func TestThinkingGoesBackToItsModelOnly(t *testing.T) {
	sealed := func(provider, data string) *llm.Sealed {
		return &llm.Sealed{Provider: provider, Data: json.RawMessage(data)}
	}
	for _, c := range []struct {
		name string
		part llm.Part
		want string
	}{
		{"its own", llm.Thinking{Text: "a", Sealed: sealed(Provider, `{"model":"claude-x","signature":"s"}`)}, `{"signature":"s","thinking":"a","type":"thinking"}`},
		{"without a text", llm.Thinking{Sealed: sealed(Provider, `{"model":"claude-x","signature":"s"}`)}, `{"signature":"s","thinking":"","type":"thinking"}`},
		{"redacted", llm.Thinking{Sealed: sealed(Provider, `{"model":"claude-x","redacted":"r"}`)}, `{"data":"r","type":"redacted_thinking"}`},
		{"of another Claude", llm.Thinking{Text: "a", Sealed: sealed(Provider, `{"model":"claude-y","signature":"s"}`)}, `{"text":"\u003cthinking\u003e\na\n\u003c/thinking\u003e","type":"text"}`},
		{"of somebody else", llm.Thinking{Text: "a", Sealed: sealed("google", `{"signature":"s"}`)}, `{"text":"\u003cthinking\u003e\na\n\u003c/thinking\u003e","type":"text"}`},
		{"that broke off", llm.Thinking{Text: "a"}, `{"text":"\u003cthinking\u003e\na\n\u003c/thinking\u003e","type":"text"}`},
		{"sealed with something else", llm.Thinking{Text: "a", Sealed: sealed(Provider, `[1]`)}, `{"text":"\u003cthinking\u003e\na\n\u003c/thinking\u003e","type":"text"}`},
		{"of another Claude, without a text", llm.Thinking{Sealed: sealed(Provider, `{"model":"claude-y","signature":"s"}`)}, `{"text":"(nothing)","type":"text"}`},
		{"a blank text", llm.Text{Text: " \n"}, `{"text":"(nothing)","type":"text"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := message(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{c.part}}, "claude-x")
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(m.Content[0])
			if !sameJSON(t, got, c.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func sameJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatalf("%s or %s is no JSON", got, want)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func TestEffort(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		max           int
		want          string
	}{
		{"claude-3-5-sonnet-20241022", "high", 0, `8192 null null`},
		{"claude-3-7-sonnet-20250219", "high", 0, `64000 {"budget_tokens":24000,"type":"enabled"} null`},
		{"claude-sonnet-4-20250514", "", 0, `64000 null null`},
		{"claude-opus-4-1", "low", 1000, `5096 {"budget_tokens":4072,"type":"enabled"} null`},
		{"claude-haiku-4-5-20251001", "medium", 1500, `13500 {"budget_tokens":12000,"type":"enabled"} null`},
		{"claude-haiku-4-5-20251001", "none", 0, `64000 null null`},
		{"claude-opus-4-6", "", 0, `64000 null null`},
		{"claude-opus-4-8", "high", 0, `64000 {"display":"summarized","type":"adaptive"} {"effort":"high"}`},
		{"claude-sonnet-5", "none", 0, `64000 {"type":"disabled"} null`},
		{"claude-sonnet-5-5", "", 0, `64000 {"display":"summarized","type":"adaptive"} null`},
		{"claude-sonnet-5-5", "none", 0, `64000 {"type":"between_tools"} null`},
		{"claude-haiku-5-5", "none", 0, `64000 {"type":"disabled"} null`},
		{"claude-opus-5-5", "none", 0, `64000 {"display":"summarized","type":"adaptive"} {"effort":"low"}`},
		{"claude-fable-5", "medium", 0, `64000 {"display":"summarized","type":"adaptive"} {"effort":"medium"}`},
		{"us.anthropic.claude-opus-4-5-v1:0", "low", 0, `64000 {"budget_tokens":4096,"type":"enabled"} null`},
		{"some-other-model", "low", 0, `16000 {"budget_tokens":4096,"type":"enabled"} null`},
	} {
		req := llm.Request{Model: c.model, Effort: c.effort, MaxTokens: c.max, Messages: []llm.Message{llm.UserText("x")}}
		var sent struct {
			MaxTokens int64           `json:"max_tokens"`
			Thinking  json.RawMessage `json:"thinking"`
			Output    json.RawMessage `json:"output_config"`
		}
		if err := json.Unmarshal(send(t, req), &sent); err != nil {
			t.Fatal(err)
		}
		if sent.Thinking == nil {
			sent.Thinking = json.RawMessage("null")
		}
		if sent.Output == nil {
			sent.Output = json.RawMessage("null")
		}
		if got := fmt.Sprintf("%d %s %s", sent.MaxTokens, sent.Thinking, sent.Output); got != c.want {
			t.Errorf("%s, effort %q: %s, want %s", c.model, c.effort, got, c.want)
		}
	}
}

// With a budget, the API refuses to think in a turn that someone else began.
func TestForeignTurnIsContinuedWithoutThinkingBudget(t *testing.T) {
	req := llmtest.Cases()[1].Request
	req.Model, req.Effort = "claude-haiku-4-5", "high"
	var told []string
	req.Log = func(s string) { told = append(told, s) }
	p, err := request(req)
	if err != nil || p.Thinking.OfEnabled != nil || len(told) != 1 {
		t.Errorf("%v, %v, %q", err, p.Thinking, told)
	}
}

// Thinking that the API does not accept any more is left out by it, where it can be asked to.
func TestRejectedThinkingIsLeftOut(t *testing.T) {
	for _, c := range []struct {
		base, model, effort string
		want                bool
	}{
		{"", "claude-sonnet-5-5", "", true},
		{"", "claude-fable-5-1", "none", true},
		{"", "claude-opus-5", "high", false},
		{"", "claude-fable-5", "", false},
		{"", "claude-sonnet-5-5", "none", false},
		{"http://127.0.0.1:1", "claude-sonnet-5-5", "", false},
	} {
		p, err := request(llm.Request{Model: c.model, Effort: c.effort, Messages: []llm.Message{llm.UserText("x")}})
		if err != nil {
			t.Fatal(err)
		}
		opts := New(llm.Options{Key: "k", BaseURL: c.base}).(*model).lenient(&p)
		body, _ := json.Marshal(p.Thinking)
		if got := strings.Contains(string(body), `"block_binding":{"prefix_mismatch_behavior":"drop_block"}`); got != c.want || len(opts) > 0 != c.want {
			t.Errorf("%+v: %s", c, body)
		}
	}
}

func TestUnsupportedContentIsRefused(t *testing.T) {
	for _, p := range []llm.Part{
		llm.Image{MIME: "image/svg+xml"},
		llm.File{Name: "a.zip", MIME: "application/zip"},
		llm.ToolResult{CallID: "a", Parts: []llm.Part{llm.Image{MIME: "image/bmp"}}},
	} {
		_, err := New(llm.Options{Key: "k", BaseURL: "http://127.0.0.1:1"}).Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{p}}}}, nil)
		if f, ok := errors.AsType[*llm.Error](err); !ok || f.Code != llm.CodeUnmappable {
			t.Errorf("%T: %v", p, err)
		}
	}
	req := llmtest.Cases()[0].Request
	req.Output = &llm.Output{Schema: json.RawMessage(`{"type":"string"}`)}
	if _, err := request(req); err == nil {
		t.Error("an answer that is no object was asked for")
	}
}

func TestIDsOfOthers(t *testing.T) {
	ok := regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	for _, id := range []string{"call_1", "functions.read:0", "日本", strings.Repeat("x", 200), ""} {
		if got := callID(id); !ok.MatchString(got) || got != callID(id) || id == "call_1" && got != id {
			t.Errorf("%q became %q", id, got)
		}
	}
}

func TestReducedSchemaIsLogged(t *testing.T) {
	req := llmtest.Cases()[0].Request
	req.Tools = []llm.Tool{
		{Name: "one", Schema: json.RawMessage(`{"anyOf":[{"properties":{"a":{}}}]}`)},
		{Name: "two", Schema: json.RawMessage(`nonsense`)},
	}
	var told []string
	req.Log = func(s string) { told = append(told, s) }
	p, err := request(req)
	if err != nil || len(told) != 2 || !slices.IsSortedFunc(told, strings.Compare) {
		t.Fatalf("%v %q", err, told)
	}
	for i, want := range []string{`{"type":"object","properties":{"a":{}}}`, `{"type":"object"}`} {
		if got, _ := json.Marshal(p.Tools[i].OfTool.InputSchema); string(got) != want {
			t.Errorf("got %s", got)
		}
	}
}

package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
)

func scriptedModel(s *scripted.Server, api string) llm.Model {
	return New(llm.Options{Key: "my-secret", KeyFrom: "TEST_KEY", BaseURL: s.URL + "/v1", API: api})
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name      string
		step      scripted.Step
		code      llm.Code
		retryable bool
		after     time.Duration
		says      string
	}{
		{"a wrong key", scripted.Step{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: my-secret","code":"invalid_api_key"}}`}, llm.CodeAuth, false, 0, "Incorrect API key provided: [key] (invalid_api_key). Sign in with a valid key, or set TEST_KEY."},
		{"a wrong model", scripted.Step{Status: 404, Body: `{"error":{"message":"The model doesn't exist","code":"model_not_found"}}`}, llm.CodeModel, false, 0, "The model doesn't exist"},
		{"a limit", scripted.Step{Status: 429, Header: map[string]string{"Retry-After": "2"}}, llm.CodeLimit, true, 2 * time.Second, "rate_limit_error"},
		{"no credit", scripted.Step{Status: 429, Body: `{"error":{"message":"You exceeded it","code":"insufficient_quota"}}`}, llm.CodeLimit, false, 0, "insufficient_quota"},
		{"overloaded", scripted.Step{Status: 503}, llm.CodeServer, true, 0, "Service Unavailable"},
		{"too long", scripted.Step{Status: 400, Body: `{"error":{"message":"too much","code":"context_length_exceeded"}}`}, llm.CodeContext, false, 0, "too long"},
		{"not in OpenAI's form", scripted.Step{Status: 422, Body: `{"detail":[{"loc":["body"],"msg":"field required"}]}`}, llm.CodeRequest, false, 0, "field required"},
		{"in words", scripted.Step{Status: 400, Body: `{"error":"no model loaded"}`}, llm.CodeRequest, false, 0, "no model loaded"},
		{"what stands behind a router", scripted.Step{Status: 502, Body: `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"no GPU\"}}"}}}`}, llm.CodeServer, true, 0, "Provider returned error: no GPU"},
		{"a list", scripted.Step{Status: 400, Body: `[{"error":{"code":400,"message":"API key not valid"}}]`}, llm.CodeRequest, false, 0, "API key not valid"},
		{"a web page", scripted.Step{Status: 404, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>nginx</html>"}, llm.CodeUnreachable, false, 0, "web page"},
		{"a redirect to elsewhere", scripted.Step{Status: 302, Header: map[string]string{"Location": "http://example.invalid/"}, Body: "moved"}, llm.CodeRequest, false, 0, "302"},
		{"errors in errors", scripted.Step{Status: 400, Body: strings.Repeat(`{"error":`, 5000) + `1` + strings.Repeat(`}`, 5000)}, llm.CodeRequest, false, 0, "400"},
	} {
		for api := range wires {
			t.Run(c.name+"/"+api, func(t *testing.T) {
				r, err := scriptedModel(scripted.New(t, c.step), api).Stream(t.Context(), hello, nil)
				var f *llm.Error
				if !errors.As(err, &f) || f.Code != c.code || f.Retryable != c.retryable || f.After != c.after || !strings.Contains(f.Message, c.says) {
					t.Errorf("got %#v", err)
				}
				if strings.Contains(err.Error(), "my-secret") || len(err.Error()) > 700 || r.Message.Role != llm.RoleModel {
					t.Errorf("got %q", err)
				}
			})
		}
	}
}

func TestBeforeAnythingIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		opt  llm.Options
		says string
	}{
		"no key":     {llm.Options{KeyFrom: "OPENAI_API_KEY"}, "set OPENAI_API_KEY"},
		"no address": {llm.Options{BaseURL: "localhost:1234"}, "base URL"},
		"nobody":     {llm.Options{BaseURL: "http://127.0.0.1:1/v1"}, "No answer from 127.0.0.1:1"},
	} {
		t.Setenv("OPENAI_API_KEY", "of the environment, which isn't ours to take")
		if _, err := New(c.opt).Stream(t.Context(), hello, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := New(c.opt).Models(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingOfTheEnvironmentIsSent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("OPENAI_ORG_ID", "org")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	s := scripted.New(t, scripted.Step{Text: "ok"})
	if _, err := New(llm.Options{BaseURL: s.URL + "/v1"}).Stream(t.Context(), hello, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	if h := s.Requests()[0].Header; h.Get("Authorization") != "" || h.Get("OpenAI-Organization") != "" {
		t.Errorf("sent %v", h)
	}
}

// What came before a failure is kept, and every delta of it was emitted.
func TestPartialAnswerIsKeptAfterAFailure(t *testing.T) {
	for api := range wires {
		for name, c := range map[string]struct {
			step scripted.Step
			code llm.Code
		}{
			"dropped": {scripted.Step{Text: "one two", Fragment: 4, Calls: []scripted.Call{{Name: "read", Input: `{"path":"a`}}, Drop: true}, llm.CodeBroken},
			"failed":  {scripted.Step{Text: "one two", Fragment: 4, Calls: []scripted.Call{{Name: "read", Input: `{"path":"a`}}, Error: "boom"}, llm.CodeServer},
		} {
			t.Run(api+"/"+name, func(t *testing.T) {
				var text, input string
				r, err := scriptedModel(scripted.New(t, c.step), api).Stream(t.Context(), hello, func(d llm.Delta) {
					switch d.Kind {
					case llm.DeltaText:
						text += d.Text
					case llm.DeltaCallInput:
						input += d.Text
					default:
					}
				})
				var f *llm.Error
				if !errors.As(err, &f) || f.Code != c.code || !f.Retryable {
					t.Fatalf("got %v", err)
				}
				calls := r.Message.Calls()
				if text != "one two" || r.Message.Text() != text || len(calls) != 1 || calls[0].Raw != input || input != `{"path":"a` {
					t.Errorf("emitted %q and %q, kept %v", text, input, r.Message)
				}
			})
		}
	}
}

func TestCancel(t *testing.T) {
	for api := range wires {
		t.Run(api, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough")
			s := scripted.New(t, scripted.Step{Text: "one two", Fragment: 4, Hang: true})
			r, err := scriptedModel(s, api).Stream(ctx, hello, func(d llm.Delta) {
				if d.Text == "two" {
					cancel(why)
				}
			})
			if !errors.Is(err, why) || r.Message.Text() != "one two" {
				t.Errorf("got %v, %v", err, r.Message)
			}
		})
	}
}

func TestASilentServer(t *testing.T) {
	for api := range wires {
		s := scripted.New(t, scripted.Step{Text: "one", Hang: true})
		m := New(llm.Options{BaseURL: s.URL + "/v1", API: api, Client: llm.NewClient(llmtest.Silence)})
		r, err := m.Stream(t.Context(), hello, func(llm.Delta) {})
		if !errors.Is(err, llm.ErrSilent) || !llm.Retryable(err) || r.Message.Text() != "one" {
			t.Errorf("%s: %v, %v", api, err, r.Message)
		}
	}
}

// Each delta is passed on before the next one is sent.
func TestDeltasAreSentAsTheyArrive(t *testing.T) {
	for api := range wires {
		t.Run(api, func(t *testing.T) {
			got := make(chan struct{}, 1)
			step := scripted.Step{Thinking: "think", Text: "text", Fragment: 1, Calls: []scripted.Call{{Name: "read", Input: `{"path":"a"}`}, {Name: "read", Input: `{}`}}}
			step.Before = func(delta int) {
				if delta > 0 {
					<-got // the one before has arrived
				}
			}
			n := 0
			r, err := scriptedModel(scripted.New(t, step), api).Stream(t.Context(), hello, func(d llm.Delta) {
				if d.Kind != llm.DeltaCallStart {
					n++
					got <- struct{}{}
				}
			})
			if want := len("think") + len("text") + len(`{"path":"a"}`) + 2; err != nil || n != want || r.Stop != llm.StopTools {
				t.Errorf("%d deltas, want %d, %v", n, want, err)
			}
		})
	}
}

// What a server says it does not accept is left out, once and for all.
func TestQuirks(t *testing.T) {
	refuse := func(message string) scripted.Step {
		return scripted.Step{Status: 400, Body: `{"error":{"message":"` + message + `","type":"invalid_request_error"}}`}
	}
	s := scripted.New(t,
		refuse("Unsupported parameter: 'max_tokens' isn't supported with this model. Use 'max_completion_tokens' instead."),
		refuse("Unknown field: stream_options"),
		refuse("Unsupported value: 'reasoning_effort' doesn't support 'high' with this model."),
		refuse("response_format isn't supported"),
		scripted.Step{Text: "{}"}, scripted.Step{Text: "{}"},
	)
	m, req := scriptedModel(s, "chat"), hello
	var log []string
	req.MaxTokens, req.Effort, req.Output = 10, "high", &llm.Output{Name: "x", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	req.Log = func(s string) { log = append(log, s) }
	for range 2 {
		if _, err := m.Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	all := s.Requests()
	var last map[string]any
	if err := json.Unmarshal(all[len(all)-1].Body, &last); err != nil || len(all) != 6 {
		t.Fatalf("%d requests, %v", len(all), err)
	}
	if last["max_tokens"] != nil || last["max_completion_tokens"] != 10.0 || last["stream_options"] != nil || last["reasoning_effort"] != nil || last["response_format"].(map[string]any)["type"] != "json_object" {
		t.Errorf("sent %s", all[len(all)-1].Body)
	}
	if len(log) != 3 {
		t.Errorf("told %q", log)
	}

	s = scripted.New(t, refuse("Your organization must be verified to generate reasoning summaries."), refuse("Encrypted content isn't supported with this model."), scripted.Step{Text: "ok"})
	if _, err := scriptedModel(s, "responses").Stream(t.Context(), hello, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	if b := string(s.Requests()[2].Body); strings.Contains(b, "summary") || strings.Contains(b, "include") {
		t.Errorf("sent %s", b)
	}

	s = scripted.New(t, refuse("max_tokens is unsupported"), refuse("max_completion_tokens is unsupported"))
	req = hello
	req.MaxTokens = 1
	if _, err := scriptedModel(s, "chat").Stream(t.Context(), req, nil); err == nil || s.Left() != 0 {
		t.Errorf("%v, %d left", err, s.Left())
	}
}

func TestWireDependsOnServerAndModel(t *testing.T) {
	for _, c := range []struct{ base, api, model, want string }{
		{"", "", "gpt-5.2", "responses"},
		{"", "", "o4-mini", "responses"},
		{"", "", "gpt-5-chat-latest", "chat"},
		{"", "", "gpt-4o", "chat"},
		{"", "responses", "gpt-4o", "responses"},
		{"https://openrouter.ai/api/v1", "", "openai/gpt-5", "chat"},
		{"http://localhost:1234/v1", "responses", "x", "responses"},
	} {
		if got := New(llm.Options{BaseURL: c.base, API: c.api}).(*model).wire(c.model); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func TestModels(t *testing.T) {
	list := `{"object":"list","data":[{"id":"gpt-5"},{"id":"text-embedding-3-large"},{"id":"gpt-image-1"},{"id":"whisper-1"},{"id":"omni-moderation-latest"},
		{"id":"x/y","name":"Y","context_length":1000,"architecture":{"output_modalities":["text"]}},{"id":"x/gemini-image","architecture":{"output_modalities":["image","text"]}},
		{"id":"x/draws","architecture":{"output_modalities":["image"]}},{"id":"vllm","max_model_len":8192},{"id":"mistral-ocr","capabilities":{"completion_chat":false}},{"id":"llama","meta":{"n_ctx_train":4096}},{"name":"no id"}]}`
	for name, c := range map[string]struct{ body, want string }{
		"a list":     {list, "[{gpt-5  0} {x/y Y 1000} {x/gemini-image  0} {vllm  8192} {llama  4096}]"},
		"a bare one": {`[{"id":"m","context_length":7}]`, "[{m  7}]"},
		"none":       {`{"data":[]}`, "[]"},
	} {
		s := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) })
		got, err := newModel(s, "").Models(t.Context())
		if err != nil || sprint(got) != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for body, says := range map[string]string{"<html>": "web page", "nonsense": "can't be read"} {
		s := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		if _, err := newModel(s, "").Models(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

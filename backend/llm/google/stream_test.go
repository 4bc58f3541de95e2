package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
)

func events(data ...string) string {
	return "data: " + strings.Join(data, "\r\n\r\ndata: ") + "\r\n\r\n"
}

func parts(parts string) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]}}],"modelVersion":"g-1"}`, parts)
}

func finish(reason string) string {
	return fmt.Sprintf(`{"candidates":[{"finishReason":%q,"finishMessage":"why"}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2},"modelVersion":"g-1"}`, reason)
}

func TestStreams(t *testing.T) {
	sealedAs := func(data string) string { return `"sealed":{"provider":"google","data":` + data + `}` }
	for _, c := range []struct {
		name, body, deltas, parts string
		stop                      llm.Stop
		code                      llm.Code
		retryable                 bool
	}{
		{
			"thoughts, text, calls with their signatures", events(
				parts(`{"text":"h","thought":true}`), parts(`{"text":"m","thought":true}`), parts(`{"text":"a"}`), parts(`{"text":"b"},{"text":"c"}`),
				parts(`{"functionCall":{"name":"f","args":{"b": 1.0,"a":9007199254740993}},"thoughtSignature":"AA_-"},{"functionCall":{"id":"x","name":"g"}}`), finish("STOP")),
			`thinking(h) thinking(m) text(a) text(b) text(c) call0( f) input0({"b": 1.0,"a":9007199254740993}) call1(x g)`,
			`[{"type":"thinking","text":"hm",` + sealedAs(`{"thought":true}`) + `},{"type":"text","text":"abc"},` +
				`{"type":"tool_call","id":"call_1_0","name":"f","input":{"b":1.0,"a":9007199254740993},` + sealedAs(`{"signature":"AA_-"}`) + `},` +
				`{"type":"tool_call","id":"x","name":"g","input":{},` + sealedAs(`{"id":"x"}`) + `}]`, llm.StopTools, "", false,
		},
		{
			"signatures of texts", events(parts(`{"text":"a"}`), parts(`{"text":"b","thoughtSignature":"Qg=="}`), parts(`{"text":"c"}`), parts(`{"text":"","thoughtSignature":"Qw=="}`), finish("STOP")),
			`text(a) text(b) text(c)`,
			`[{"type":"text","text":"a"},{"type":"text","text":"b",` + sealedAs(`{"signature":"Qg=="}`) + `},{"type":"text","text":"c"},{"type":"thinking","text":"",` + sealedAs(`{"signature":"Qw=="}`) + `}]`, llm.StopEnd, "", false,
		},
		{
			"one id twice, null arguments, arguments that are no object", events(parts(`{"functionCall":{"id":"x","name":"f","args":null}}`), parts(`{"functionCall":{"id":"x","name":"f","args":[1]}}`), finish("STOP")),
			`call0(x f) call1(x f) input1([1])`,
			`[{"type":"tool_call","id":"x","name":"f","input":{},` + sealedAs(`{"id":"x"}`) + `},{"type":"tool_call","id":"x_2","name":"f","input":{},"raw":"[1]",` + sealedAs(`{"id":"x"}`) + `}]`, llm.StopTools, "", false,
		},
		{"an empty answer", events(finish("STOP")), "", `[]`, llm.StopEnd, "", false},
		{"too long", events(parts(`{"text":"a"}`), finish("MAX_TOKENS")), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopLength, "", false},
		{"unsafe", events(finish("SAFETY")), "", `[]`, llm.StopRefusal, "", false},
		{"recited", events(parts(`{"text":"a"}`), finish("RECITATION")), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopRefusal, "", false},
		{"a new reason", events(parts(`{"text":"a"}`), finish("WHIM")), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, "", false},
		{"a prompt that is blocked", events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2},"modelVersion":"g-1"}`), "", `[]`, llm.StopRefusal, "", false},
		{"counts behind the finish", events(parts(`{"text":"a"}`), finish("STOP"), `{"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2}}`, `{"x":`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, "", false},
		{"unknown things", events(`{}`, `{"candidates":[]}`, `{"candidates":[{}]}`, parts(`{"hologram":{}}`), finish("STOP")), "", `[]`, llm.StopEnd, "", false},
		{"a call that can't be read", events(parts(`{"text":"a"}`), finish("MALFORMED_FUNCTION_CALL")), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeBroken, true},
		{"cut in the middle", events(parts(`{"text":"a"}`)), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeBroken, true},
		{"cut in an event", events(parts(`{"text":"a"}`)) + `data: {"candidates":[{"con`, "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeBroken, true},
		{"an event that is no JSON", events(parts(`{"text":"a"}`), `oops`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeBroken, false},
		{"an event of another kind", events(parts(`{"text":"a"}`), `{"candidates":7}`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeBroken, false},
		{"overloaded in the middle", events(parts(`{"text":"a"}`), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeServer, true},
		{"a web page", "<html><body>Sign in</body></html>", "", "null", "", llm.CodeUnreachable, false},
		{"something else", `[{"candidates":[]}]`, "", "null", "", llm.CodeUnreachable, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			step := scripted.Step{Body: c.body}
			if strings.HasPrefix(c.body, "data:") {
				step.Header = map[string]string{"Content-Type": "text/event-stream"}
			}
			s := scripted.New(t, step)
			var deltas []llm.Delta
			res, err := New(llm.Options{Key: "k", BaseURL: s.URL}).Stream(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{llm.UserText("x")}}, func(d llm.Delta) { deltas = append(deltas, d) })
			llmtest.Failed(t, err, c.code, c.retryable)
			if got := llmtest.Told(deltas); got != c.deltas {
				t.Errorf("deltas: %s\nwant:   %s", got, c.deltas)
			}
			stored, _ := json.Marshal(res.Message)
			if got := string(stored); c.parts != "null" && !strings.Contains(got, `"parts":`+c.parts+"}") || res.Stop != c.stop {
				t.Errorf("parts: %s\nwant:  %s\nstop %q, want %q", got, c.parts, res.Stop, c.stop)
			}
			if c.code == "" && (res.Usage != llm.Usage{Input: 10, CacheRead: 4, Output: 7, Thinking: 2} || res.Model != "g-1") {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name      string
		step      scripted.Step
		code      llm.Code
		says      string
		retryable bool
		after     time.Duration
	}{
		{"wrong key", scripted.Step{Status: 400, Body: `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`}, llm.CodeAuth, "GEMINI_API_KEY", false, 0},
		{"a list", scripted.Step{Status: 404, Body: `[{"error":{"code":404,"message":"models/x isn't found","status":"NOT_FOUND"}}]`}, llm.CodeModel, ": models/x isn't found. ", false, 0},
		{"limit, by the header", scripted.Step{Status: 429, Header: map[string]string{"Retry-After": "7"}}, llm.CodeLimit, "429", true, 7 * time.Second},
		{"limit, by the details", scripted.Step{Status: 429, Body: `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","details":[{"@type":"x"},{"retryDelay":"31s"}]}}`}, llm.CodeLimit, "quota", true, 31 * time.Second},
		{"no credit", scripted.Step{Status: 429, Body: `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details."}}`}, llm.CodeLimit, "quota", false, 0},
		{"overloaded", scripted.Step{Status: 503}, llm.CodeServer, "503", true, 0},
		{"too long", scripted.Step{Status: 400, Body: `{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`}, llm.CodeContext, "(9)", false, 0},
		{"a page of a proxy", scripted.Step{Status: 502, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>Bad gateway"}, llm.CodeServer, "502", true, 0},
		{"dropped", scripted.Step{Text: "abc", Drop: true}, llm.CodeBroken, "was interrupted", true, 0},
		{"an error in the stream", scripted.Step{Text: "abc", Error: "overloaded"}, llm.CodeServer, "overloaded", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scripted.New(t, c.step)
			res, err := New(llm.Options{Key: "AIzaSecretSecret", KeyFrom: "GEMINI_API_KEY", BaseURL: s.URL}).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) {})
			f, ok := errors.AsType[*llm.Error](err)
			if !ok || f.Code != c.code || !strings.Contains(f.Message, c.says) || f.Retryable != c.retryable || f.After != c.after {
				t.Fatalf("%+v", err)
			}
			if strings.Contains(fmt.Sprintf("%+v %#v %v", f, f, f.Err), "SecretSecret") {
				t.Errorf("the key is in %+v", f)
			}
			if res.Message.Text() != c.step.Text {
				t.Errorf("kept %q", res.Message.Text())
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
	_, err := New(llm.Options{KeyFrom: "GEMINI_API_KEY"}).Stream(t.Context(), llm.Request{}, nil)
	llmtest.Failed(t, err, llm.CodeAuth, false)
	_, err = New(llm.Options{Key: "AIzaSecretSecret", BaseURL: "http://127.0.0.1:1"}).Stream(t.Context(), llmtest.Cases()[0].Request, nil)
	llmtest.Failed(t, err, llm.CodeUnreachable, false)
	_, err = New(llm.Options{Key: "AIzaSecretSecret", BaseURL: "::nonsense"}).Stream(t.Context(), llmtest.Cases()[0].Request, nil)
	if err == nil || strings.Contains(err.Error(), "SecretSecret") {
		t.Errorf("%v", err)
	}
}

func TestCancel(t *testing.T) {
	s := scripted.New(t, scripted.Step{Text: "abc", Hang: true})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	res, err := New(llm.Options{BaseURL: s.URL}).Stream(ctx, llmtest.Cases()[0].Request, func(llm.Delta) { cancel(why) })
	if !errors.Is(err, why) || res.Message.Text() != "abc" {
		t.Errorf("%v, %q", err, res.Message.Text())
	}
}

func TestSilence(t *testing.T) {
	s := scripted.New(t, scripted.Step{Text: "abc", Hang: true})
	res, err := New(llm.Options{BaseURL: s.URL, Client: llm.NewClient(llmtest.Silence)}).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) {})
	llmtest.Failed(t, err, llm.CodeServer, true)
	if res.Message.Text() != "abc" {
		t.Errorf("kept %q", res.Message.Text())
	}
}

// Whatever is streamed, what came of it can be stored.
func FuzzStream(f *testing.F) {
	f.Add([]byte(events(parts(`{"text":"a","thoughtSignature":"QQ=="},{"functionCall":{"id":"x","name":"f","args":{"a":1}}}`), finish("STOP"))))
	f.Add([]byte(events(parts(`{"text":"a","thought":true}`), `{"error":{"code":503}}`)))
	m := New(llm.Options{}).(*model)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := newReader(llm.Request{}, func(llm.Delta) {})
		err := r.read(bytes.NewReader(body), m)
		if _, stored := json.Marshal(r.response().Message); stored != nil {
			t.Errorf("%v, after %v", stored, err)
		}
	})
}

// Each delta is passed on before the next one is sent.
func TestDeltasAreSentAsTheyArrive(t *testing.T) {
	passed := make(chan struct{}, 100)
	held := 0
	s := scripted.New(t, scripted.Step{
		Thinking: "thinking", Text: "some text", Calls: []scripted.Call{{Name: "read", Input: `{"path":"a.txt"}`}}, Fragment: 3,
		Before: func(n int) {
			if n == 0 {
				return
			}
			select {
			case <-passed:
			case <-time.After(time.Minute):
				held++
			}
		},
	})
	res, err := New(llm.Options{BaseURL: s.URL}).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) { passed <- struct{}{} })
	if err != nil || held > 0 || len(res.Message.Parts) != 3 {
		t.Errorf("%v, %d were held back, %d parts", err, held, len(res.Message.Parts))
	}
}

// What came goes back as it was: stored, read, and mapped again.
func TestSignaturesGoRound(t *testing.T) {
	call := `{"functionCall":{"args":{"b":9007199254740993,"a":1.0},"id":"fc1","name":"f"},"thoughtSignature":"AA_-"}`
	all := `{"text":"größe \u003cb\u003e","thought":true},{"text":"a","thoughtSignature":"QQ=="},{"text":"b"},` + call + `,{"functionCall":{"args":{},"name":"f"}},{"text":"","thoughtSignature":"Qw=="}`
	s := scripted.New(t, scripted.Step{Header: map[string]string{"Content-Type": "text/event-stream"}, Body: events(parts(all), finish("STOP"))}, scripted.Step{Text: "Done."})
	model := New(llm.Options{BaseURL: s.URL})
	req := llm.Request{Model: "gemini-3-pro", Messages: []llm.Message{llm.UserText("x")}}
	res, err := model.Stream(t.Context(), req, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(res.Message)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	results := llm.Message{Role: llm.RoleUser}
	for _, c := range back.Calls() {
		results.Parts = append(results.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text{Text: c.ID}}})
	}
	req.Messages = append(req.Messages, back, results)
	if _, err := model.Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	body := string(s.Requests()[1].Body)
	for _, want := range []string{
		`{"parts":[` + all + `],"role":"model"}`,
		`{"functionResponse":{"id":"fc1","name":"f","response":{"output":"fc1"}}},{"functionResponse":{"name":"f","response":{"output":"call_1_1"}}}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s\nis not in\n%s", want, body)
		}
	}
}

func TestModels(t *testing.T) {
	s := scripted.New(t)
	list, err := New(llm.Options{Key: "k", BaseURL: s.URL}).Models(t.Context())
	if err != nil || len(list) != 1 || list[0] != (llm.ModelInfo{ID: "test-model", Name: "Test model", Context: 1000000}) {
		t.Errorf("%+v %v", list, err)
	}
	nothing := llmtest.Serve(t, http.NotFound)
	_, err = New(llm.Options{Key: "k", BaseURL: nothing.URL}).Models(t.Context())
	llmtest.Failed(t, err, llm.CodeModel, false)
	endless := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[],"nextPageToken":"x"}`))
	})
	if _, err := New(llm.Options{Key: "k", BaseURL: endless.URL}).Models(t.Context()); err == nil || len(endless.Sent()) > maxPages {
		t.Errorf("%v after %d pages", err, len(endless.Sent()))
	}
	page := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello")) })
	_, err = New(llm.Options{Key: "k", BaseURL: page.URL}).Models(t.Context())
	llmtest.Failed(t, err, llm.CodeBroken, false)
}

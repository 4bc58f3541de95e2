package anthropic

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
	var b strings.Builder
	for _, d := range data {
		var e struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal([]byte(d), &e) // what is no JSON has no type
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e.Type, d)
	}
	return b.String()
}

const (
	begin = `{"type":"message_start","message":{"model":"claude-x-1","usage":{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":1}}}`
	end   = `{"type":"message_stop"}`
)

func start(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func delta(i int, d string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d)
}

func stopped(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func because(reason string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":9}}`, reason)
}

func TestStreams(t *testing.T) {
	call := func(i int, id string) string {
		return start(i, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"read","input":{}}`, id))
	}
	piece := func(i int, s string) string {
		return delta(i, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, s))
	}
	text := func(i int, s string) string { return delta(i, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s)) }
	broken := llm.CodeBroken
	for _, c := range []struct {
		name, body, deltas, parts string
		stop                      llm.Stop
		code                      llm.Code
		retryable                 bool
	}{
		{
			"thinking, text, calls side by side", events(begin,
				start(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"h"}`), delta(0, `{"type":"thinking_delta","thinking":"m"}`),
				delta(0, `{"type":"signature_delta","signature":"si"}`), delta(0, `{"type":"signature_delta","signature":"g"}`), stopped(0),
				start(1, `{"type":"redacted_thinking","data":"secret"}`), stopped(1), start(2, `{"type":"text","text":""}`), text(2, "a"), text(2, "b"), stopped(2),
				call(3, "x"), piece(3, `{"a":`), call(4, "y"), piece(4, `{"b":2}`), piece(3, `1.0}`), stopped(3), stopped(4), because("tool_use"), end),
			`thinking(h) thinking(m) text(a) text(b) call0(x read) input0({"a":) call1(y read) input1({"b":2}) input0(1.0})`,
			`[{"type":"thinking","text":"hm","sealed":{"provider":"anthropic","data":{"model":"m","signature":"sig"}}},` +
				`{"type":"thinking","text":"","sealed":{"provider":"anthropic","data":{"model":"m","redacted":"secret"}}},{"type":"text","text":"ab"},` +
				`{"type":"tool_call","id":"x","name":"read","input":{"a":1.0}},{"type":"tool_call","id":"y","name":"read","input":{"b":2}}]`, llm.StopTools, "", false,
		},
		{
			"one id twice, no arguments, arguments that are no JSON", events(begin, call(0, "x"), stopped(0), call(1, "x"), piece(1, ""), piece(1, `{"path": "a`), stopped(1), because("tool_use"), end),
			`call0(x read) call1(x read) input1({"path": "a)`,
			`[{"type":"tool_call","id":"x","name":"read","input":{}},{"type":"tool_call","id":"x_2","name":"read","input":{},"raw":"{\"path\": \"a"}]`, llm.StopTools, "", false,
		},
		{
			"a compatible server: no names of events, input at the start, text in the block", "data: " + begin + "\n\ndata: " + start(0, `{"type":"text","text":"hi"}`) + "\n\ndata: " + start(1, `{"type":"tool_use","id":"x","name":"read","input":{"a": 1}}`) + "\n\ndata: " + because("tool_use") + "\n\ndata: " + end + "\n\n",
			`text(hi) call0(x read) input0({"a": 1})`, `[{"type":"text","text":"hi"},{"type":"tool_call","id":"x","name":"read","input":{"a":1}}]`, llm.StopTools, "", false,
		},
		{"an empty answer", events(begin, because("end_turn"), end), "", `[]`, llm.StopEnd, "", false},
		{"a refusal", events(begin, because("refusal"), end), "", `[]`, llm.StopRefusal, "", false},
		{"too long", events(begin, start(0, `{"type":"text","text":"a"}`), because("max_tokens"), end), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopLength, "", false},
		{"the window is full", events(begin, because("model_context_window_exceeded"), end), "", `[]`, llm.StopLength, "", false},
		{"paused", events(begin, because("pause_turn"), end), "", `[]`, llm.StopEnd, "", false},
		{"unknown things", events(begin, `{"type":"ping"}`, `{"type":"news"}`, start(0, `{"type":"hologram"}`), delta(0, `{"type":"text_delta","text":"x"}`), delta(7, `{"type":"text_delta","text":"y"}`), because("whim"), end), "", `[]`, llm.StopEnd, "", false},
		{"cut in the middle", events(begin, start(0, `{"type":"text","text":""}`), text(0, "a")), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, broken, true},
		{"cut in an event", events(begin, start(0, `{"type":"text","text":"a"}`)) + "event: content_block_delta\ndata: {\"type\":\"cont", "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, broken, true},
		{"an event that is no JSON", events(begin, start(0, `{"type":"text","text":"a"}`), `oops`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, broken, false},
		{"an event whose JSON is cut off", events(begin, start(0, `{"type":"text","text":"a"}`), `{"type":`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, broken, true},
		{"overloaded in the middle", events(begin, start(0, `{"type":"text","text":"a"}`), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "text(a)", `[{"type":"text","text":"a"}]`, llm.StopEnd, llm.CodeServer, true},
		{"a limit in the middle", events(begin, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`), "", `[]`, llm.StopEnd, llm.CodeLimit, true},
		{"a web page", "<html><body>Sign in</body></html>", "", "null", "", llm.CodeUnreachable, false},
		{"something else", `{"hello":1}`, "", "null", "", llm.CodeUnreachable, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			step := scripted.Step{Body: c.body}
			if strings.HasPrefix(c.body, "event:") {
				step.Header = map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}
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
			if c.code == "" && (res.Usage != llm.Usage{Input: 28, CacheRead: 20, CacheWrite: 3, Output: 9} || res.Model != "claude-x-1") {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		step scripted.Step
		code llm.Code
		says string
	}{
		{"wrong key", scripted.Step{Status: 401, Body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key sk-ant-secretsecret"}}`}, llm.CodeAuth, "invalid x-api-key"},
		{"wrong model", scripted.Step{Status: 404, Body: `{"type":"error","error":{"type":"not_found_error","message":"model: claude-0"}}`}, llm.CodeModel, "model: claude-0"},
		{"limit", scripted.Step{Status: 429, Header: map[string]string{"Retry-After": "7"}}, llm.CodeLimit, "429"},
		{"overloaded", scripted.Step{Status: 529}, llm.CodeServer, "529"},
		{"too long", scripted.Step{Status: 400, Body: `{"error":{"message":"prompt is too long: 9 > 8"}}`}, llm.CodeContext, "9 > 8"},
		{"a page of a proxy", scripted.Step{Status: 502, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>Bad gateway"}, llm.CodeServer, "502"},
		{"dropped", scripted.Step{Text: "abc", Drop: true}, llm.CodeBroken, "was interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scripted.New(t, c.step)
			res, err := New(llm.Options{Key: "sk-ant-secretsecret", KeyFrom: "ANTHROPIC_API_KEY", BaseURL: s.URL}).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) {})
			f, ok := errors.AsType[*llm.Error](err)
			if !ok || f.Code != c.code || !strings.Contains(f.Message, c.says) {
				t.Fatalf("%v", err)
			}
			if strings.Contains(fmt.Sprintf("%+v %#v %v", f, f, f.Err), "secretsecret") {
				t.Errorf("the key is in %+v", f)
			}
			if c.step.Status == 429 && f.After != 7*time.Second {
				t.Errorf("after %v", f.After)
			}
			if c.step.Text != "" && res.Message.Text() != c.step.Text {
				t.Errorf("kept %q", res.Message.Text())
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
	_, err := New(llm.Options{KeyFrom: "ANTHROPIC_API_KEY"}).Stream(t.Context(), llm.Request{}, nil)
	llmtest.Failed(t, err, llm.CodeAuth, false)
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
	f.Add([]byte(events(begin, start(0, `{"type":"thinking","thinking":"a","signature":"s"}`), start(1, `{"type":"tool_use","id":"x","name":"f","input":{"a":1}}`), because("tool_use"), end)))
	f.Add([]byte(events(start(0, `{"type":"redacted_thinking","data":"a"}`), delta(0, `{"type":"signature_delta","signature":"s"}`), `{"type":"error","error":{"type":"api_error"}}`)))
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
			// The signature is a delta on the wire, but none that is passed on.
			if n == 0 || n == 4 {
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
func TestThinkingGoesRound(t *testing.T) {
	s := scripted.New(t, scripted.Step{Thinking: "größe <b>\n", Text: "Looking.", Calls: []scripted.Call{{Name: "read", Input: `{"b": 9007199254740993, "a":1.0}`}}}, scripted.Step{Text: "Done."})
	model := New(llm.Options{BaseURL: s.URL})
	req := llm.Request{Model: "claude-opus-5-5", Tools: llmtest.Tools(), Messages: []llm.Message{llm.UserText("x")}}
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
	c := back.Calls()[0]
	req.Messages = append(req.Messages, back, llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text{Text: "r"}}}}})
	if _, err := model.Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	body := string(s.Requests()[1].Body)
	for _, want := range []string{
		`{"signature":"c2lnbmF0dXJl","thinking":"größe \u003cb\u003e\n","type":"thinking"},{"text":"Looking.","type":"text"},{"id":"` + c.ID + `"`,
		`"input":{"b":9007199254740993,"a":1.0}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s isn't in %s", want, body)
		}
	}
}

func TestModels(t *testing.T) {
	s := scripted.New(t)
	list, err := New(llm.Options{Key: "k", BaseURL: s.URL}).Models(t.Context())
	if err != nil || len(list) != 1 || list[0] != (llm.ModelInfo{ID: "test-model", Name: "Test model", Context: 200000}) {
		t.Errorf("%+v %v", list, err)
	}
	nothing := llmtest.Serve(t, http.NotFound)
	_, err = New(llm.Options{Key: "k", BaseURL: nothing.URL}).Models(t.Context())
	llmtest.Failed(t, err, llm.CodeModel, false)
}

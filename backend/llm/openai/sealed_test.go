package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
)

func sprint(v any) string { return fmt.Sprint(v) }

// answered continues with a conversation: what the model said, then a result for each of its calls.
func answered(req llm.Request, r llm.Response) llm.Request {
	user := llm.Message{Role: llm.RoleUser}
	for _, c := range r.Message.Calls() {
		user.Parts = append(user.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text{Text: "result of " + c.ID}}})
	}
	if user.Parts == nil {
		user.Parts = []llm.Part{llm.Text{Text: "Go on."}}
	}
	req.Messages = append(append([]llm.Message{}, req.Messages...), r.Message, user)
	return req
}

// What a server sealed goes back to it as it came, and to another server as text. It also does when the conversation
// was stored in between.
func TestSealedDataReturnsToItsServer(t *testing.T) {
	step := scripted.Step{Thinking: "deep thoughts", Text: "Looking.", Calls: []scripted.Call{{Name: "read", Input: `{"path":"a"}`}}}
	for api, want := range map[string]string{
		"chat":      `"reasoning_content":"deep thoughts"`,
		"responses": `{"encrypted_content":"sealed deep thoughts","id":"rs_0","summary":[{"text":"deep thoughts","type":"summary_text"}],"type":"reasoning"}`,
	} {
		t.Run(api, func(t *testing.T) {
			s := scripted.New(t, step, scripted.Step{Text: "Done."})
			r, err := scriptedModel(s, api).Stream(t.Context(), hello, func(llm.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			stored, err := json.Marshal(r.Message)
			if err != nil {
				t.Fatal(err)
			}
			r.Message = llm.Message{}
			if err := json.Unmarshal(stored, &r.Message); err != nil {
				t.Fatal(err)
			}
			next := answered(hello, r)
			if _, err := scriptedModel(s, api).Stream(t.Context(), next, func(llm.Delta) {}); err != nil {
				t.Fatal(err)
			}
			if body := string(s.Requests()[1].Body); !strings.Contains(body, want) || strings.Contains(body, "<thinking>") {
				t.Errorf("%s doesn't stand in\n%s", want, body)
			}
			elsewhere := llmtest.Serve(t, body(wires[api]))
			out := string(sent(t, elsewhere, api, next))
			if strings.Contains(out, want) || strings.Contains(out, "rs_0") || strings.Contains(out, "msg_0") || !strings.Contains(out, "<thinking>deep thoughts</thinking>") {
				t.Errorf("another server was sent\n%s", out)
			}
		})
	}
}

// Details of thinking and signatures of calls go back in the fields they came in.
func TestRouterFieldsAreReturned(t *testing.T) {
	stream := `data: {"choices":[{"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"t"}}}]},"finish_reason":"tool_calls"}]}

`
	s := llmtest.Serve(t, body(stream))
	r, err := newModel(s, "chat").Stream(t.Context(), hello, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	out := string(sent(t, s, "chat", answered(hello, r)))
	for _, want := range []string{`"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0}]`, `"extra_content":{"google":{"thought_signature":"t"}}`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s doesn't stand in\n%s", want, out)
		}
	}
	if strings.Contains(out, `"reasoning":`) {
		t.Errorf("the thinking was sent twice:\n%s", out)
	}
}

// Ids that are too long for OpenAI are replaced, the same in the call and its result.
func TestLongIDs(t *testing.T) {
	id := "chatcmpl-tool-" + strings.Repeat("a", 60)
	req := answered(hello, llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "read", Input: json.RawMessage(`{}`)}}}})
	for api, ok := range wires {
		out := string(sent(t, llmtest.Serve(t, body(ok)), api, req))
		short := shortID(id, 64)
		if strings.Contains(out, `"`+id+`"`) || strings.Count(out, `"`+short+`"`) != 2 || len(short) > 40 {
			t.Errorf("%s: %s", api, out)
		}
	}
}

// What has no form is refused before anything is sent.
func TestUnsupportedContentIsRefused(t *testing.T) {
	user := func(p llm.Part) llm.Message { return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{p}} }
	for name, c := range map[string]struct {
		req  llm.Request
		says string
		wire string
	}{
		"a picture of another type": {llm.Request{Messages: []llm.Message{user(llm.Image{MIME: "image/tiff"})}}, "image/tiff", ""},
		"a film":                    {llm.Request{Messages: []llm.Message{user(llm.File{Name: "a.mp4", MIME: "video/mp4"})}}, "video/mp4", "chat"},
		"a picture by a model":      {llm.Request{Messages: []llm.Message{hello.Messages[0], {Role: llm.RoleModel, Parts: []llm.Part{llm.Image{MIME: "image/png"}}}, hello.Messages[0]}}, "a model created", ""},
		"a form that is none":       {llm.Request{Messages: hello.Messages, Output: &llm.Output{Name: "x", Schema: json.RawMessage(`{"type":"array"}`)}}, "answer format", ""},
	} {
		for api := range wires {
			if c.wire != "" && c.wire != api {
				continue
			}
			s := llmtest.Serve(t, body(wires[api]))
			_, err := newModel(s, api).Stream(t.Context(), c.req, nil)
			var f *llm.Error
			if !errors.As(err, &f) || f.Code != llm.CodeUnmappable || !strings.Contains(f.Message, c.says) || len(s.Sent()) > 0 {
				t.Errorf("%s over %s: %v", name, api, err)
			}
		}
	}
}

// What of a schema is not accepted is told.
func TestReducedSchemaIsLogged(t *testing.T) {
	req := hello
	req.Tools = []llm.Tool{{Name: "t", Schema: json.RawMessage(`{"oneOf":[{"type":"object","properties":{"a":{"type":"array"}}},{"type":"object","properties":{"b":{}}}]}`)}}
	var log []string
	req.Log = func(s string) { log = append(log, s) }
	out := string(sent(t, llmtest.Serve(t, body(chatOK)), "chat", req))
	if len(log) == 0 || !strings.HasPrefix(log[0], "Tool t: ") || strings.Contains(out, "oneOf") || !strings.Contains(out, `"a":{"type":"array","items":{}}`) {
		t.Errorf("told %q, sent %s", log, out)
	}
}

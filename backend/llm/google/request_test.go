package google

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

const empty = "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n"

func serve(t testing.TB) *llmtest.Server {
	return llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(empty))
	})
}

// send is the body of the request that is really made.
func send(t testing.TB, req llm.Request) []byte {
	t.Helper()
	s := serve(t)
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
		req.Model, req.Effort, req.MaxTokens = "gemini-3.8-flash", "high", 0
		llmtest.Golden(t, "newest model", send(t, req))
	})
	t.Run("images, older model", func(t *testing.T) {
		req := llmtest.Cases()[8].Request
		req.Model = "gemini-2.5-flash"
		llmtest.Golden(t, "images, older model", send(t, req))
	})
}

func TestWhereRequestsGo(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "from the environment")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	s := serve(t)
	for _, o := range []llm.Options{{Key: "k", BaseURL: s.URL}, {Key: "k", BaseURL: s.URL + "/v1beta/"}, {BaseURL: s.URL}} {
		if _, err := New(o).Stream(t.Context(), llmtest.Cases()[0].Request, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	for i, sent := range s.Sent() {
		if sent.Path != "/v1beta/models/test-model:streamGenerateContent?alt=sse" || sent.Header.Get("X-Goog-Api-Key") != []string{"k", "k", ""}[i] {
			t.Errorf("%s %v", sent.Path, sent.Header)
		}
	}
}

// The parts of every conversation are in the request, once and in their order; pictures of results are behind all results for
// models before Gemini 3. Draw puts results first, as clean messages do.
func TestNothingIsLostOrMoved(t *testing.T) {
	s := serve(t)
	for _, model := range []string{"gemini-2.5-flash", "gemini-3-flash"} {
		m := New(llm.Options{Key: "k", BaseURL: s.URL})
		rapid.Check(t, func(rt *rapid.T) {
			req := llmtest.Draw(rt)
			req.Model = model
			if _, err := m.Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
				rt.Fatal(err)
			}
			sent := s.Sent()
			body := sent[len(sent)-1].Body
			at := bytes.Index(body, []byte(`"contents"`))
			for _, m := range req.Messages {
				needles, behind := needles(m.Parts, model == "gemini-3-flash")
				results := 0
				for _, p := range m.Parts {
					if _, ok := p.(llm.ToolResult); ok {
						results++
					}
				}
				all := append(append(append([][]byte{}, needles[:results]...), behind...), needles[results:]...)
				for _, needle := range all {
					i := bytes.Index(body[at:], needle)
					if i < 0 {
						rt.Fatalf("%s isn't behind byte %d of %s", needle, at, body)
					}
					if bytes.HasPrefix(needle, []byte(`"functionResponse"`)) {
						continue // what is in it is looked for as well, after the pictures
					}
					at += i + len(needle)
				}
			}
		})
	}
}

// needles are what the parts look like in JSON: one each, and the pictures that are behind the results.
func needles(parts []llm.Part, inside bool) (list, behind [][]byte) {
	quoted := func(s string) []byte {
		b, _ := json.Marshal(s)
		return bytes.Trim(b, `"`)
	}
	picture := func(i llm.Image) []byte {
		b, _ := json.Marshal(i.Data)
		return b
	}
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			list = append(list, quoted(p.Text))
		case llm.Thinking:
			list = append(list, quoted(p.Text))
		case llm.ToolCall:
			list = append(list, []byte(`{"args":`+string(p.Input)+`,"name":"`+p.Name+`"}`))
		case llm.Image:
			list = append(list, picture(p))
		case llm.ToolResult:
			key, pictures := "output", ""
			if p.Failed {
				key = "error"
			}
			for _, in := range p.Parts[1:] {
				if i := in.(llm.Image); inside {
					pictures += fmt.Sprintf(`"parts":[{"inlineData":{"data":%s,"mimeType":"image/png"}}],`, picture(i))
				} else {
					behind = append(behind, []byte(fmt.Sprintf("From result %d, of the tool read:", len(list)+1)), picture(i))
				}
			}
			list = append(list, []byte(fmt.Sprintf(`{"functionResponse":{"name":"read",%s"response":{"%s":"%s"}}}`, pictures, key, quoted(p.Parts[0].(llm.Text).Text))))
		}
	}
	return list, behind
}

func sealed(data string) *llm.Sealed {
	return &llm.Sealed{Provider: Provider, Data: json.RawMessage(data)}
}

func TestSeals(t *testing.T) {
	call := func(id, seal string) llm.Part {
		c := llm.ToolCall{ID: id, Name: "f", Input: json.RawMessage(`{"b":1,"a":9007199254740993}`)}
		if seal != "" {
			c.Sealed = sealed(seal)
		}
		return c
	}
	result := func(id string) llm.Part {
		return llm.ToolResult{CallID: id, Parts: []llm.Part{llm.Text{Text: "r"}}}
	}
	args := `"args":{"b":1,"a":9007199254740993}`
	for _, c := range []struct {
		name, model  string
		said, result []llm.Part
		want         string
	}{
		{
			"ids and signatures of the API", "gemini-3-flash",
			[]llm.Part{call("fc1", `{"id":"fc1","signature":"AA_-"}`), call("fc2", `{"id":"fc2"}`)},
			[]llm.Part{result("fc1"), result("fc2")},
			`{"parts":[{"functionCall":{` + args + `,"id":"fc1","name":"f"},"thoughtSignature":"AA_-"},{"functionCall":{` + args + `,"id":"fc2","name":"f"}}],"role":"model"},` +
				`{"parts":[{"functionResponse":{"id":"fc1","name":"f","response":{"output":"r"}}},{"functionResponse":{"id":"fc2","name":"f","response":{"output":"r"}}}],"role":"user"}`,
		},
		{
			"ids that are ours", "gemini-2.5-flash",
			[]llm.Part{call("call_0_0", `{}`), call("x_2", `{"id":"x"}`)},
			[]llm.Part{result("call_0_0"), result("x_2")},
			`{"parts":[{"functionCall":{` + args + `,"name":"f"}},{"functionCall":{` + args + `,"name":"f"}}],"role":"model"},` +
				`{"parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}},{"functionResponse":{"name":"f","response":{"output":"r"}}}],"role":"user"}`,
		},
		{
			"calls of somebody else", "gemini-flash-latest",
			[]llm.Part{llm.Text{Text: "t"}, call("a", ""), call("b", "")},
			[]llm.Part{result("a"), result("b")},
			`{"parts":[{"text":"t"},{"functionCall":{` + args + `,"name":"f"},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{` + args + `,"name":"f"}}],"role":"model"},` +
				`{"parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}},{"functionResponse":{"name":"f","response":{"output":"r"}}}],"role":"user"}`,
		},
		{
			"texts and thoughts", "gemini-3-flash",
			[]llm.Part{
				llm.Thinking{Text: "a", Sealed: sealed(`{"thought":true}`)}, llm.Text{Text: "b", Sealed: sealed(`{"signature":"Qg=="}`)}, llm.Thinking{Sealed: sealed(`{"signature":"Qw=="}`)}, llm.Text{Text: " "},
			},
			[]llm.Part{llm.Text{}},
			`{"parts":[{"text":"a","thought":true},{"text":"b","thoughtSignature":"Qg=="},{"text":"","thoughtSignature":"Qw=="}],"role":"model"},{"parts":[{"text":"(nothing)"}],"role":"user"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := send(t, llm.Request{Model: c.model, Messages: []llm.Message{{Role: llm.RoleModel, Parts: c.said}, {Role: llm.RoleUser, Parts: c.result}}})
			if !strings.Contains(string(body), `"contents":[`+c.want+`]`) {
				t.Errorf("got  %s\nwant %s", body, c.want)
			}
		})
	}
}

func TestEffort(t *testing.T) {
	for _, c := range []struct{ model, effort, want string }{
		{"gemini-2.0-flash", "high", ``},
		{"gemma-3-27b-it", "", ``},
		{"gemini-2.5-flash", "", `{"includeThoughts":true}`},
		{"gemini-2.5-flash", "none", `{"thinkingBudget":0}`},
		{"gemini-2.5-pro", "none", `{"includeThoughts":true,"thinkingBudget":128}`},
		{"gemini-2.5-pro", "high", `{"includeThoughts":true,"thinkingBudget":24576}`},
		{"gemini-3-pro-preview", "medium", `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-3.8-flash", "medium", `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		{"models/gemini-flash-latest", "none", `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
	} {
		var sent struct {
			Config struct {
				Thinking json.RawMessage `json:"thinkingConfig"`
			} `json:"generationConfig"`
		}
		if err := json.Unmarshal(send(t, llm.Request{Model: c.model, Effort: c.effort, Messages: []llm.Message{llm.UserText("x")}}), &sent); err != nil {
			t.Fatal(err)
		}
		if got := string(sent.Config.Thinking); got != c.want {
			t.Errorf("%s, effort %q: %s, want %s", c.model, c.effort, got, c.want)
		}
	}
}

// Before Gemini 3, tools and a form of the answer exclude each other.
func TestFormOfTheAnswerBesideTools(t *testing.T) {
	req := llmtest.Cases()[11].Request
	for model, want := range map[string]string{"gemini-3-flash": `"responseJsonSchema":{"type":"object","properties":{"files"`, "gemini-2.5-flash": `must be JSON of this schema`} {
		req.Model = model
		if body := string(send(t, req)); !strings.Contains(body, want) || strings.Contains(body, "responseMimeType") != (model == "gemini-3-flash") {
			t.Errorf("%s: %s", model, body)
		}
	}
}

func TestUnsupportedContentIsRefused(t *testing.T) {
	for _, p := range []llm.Part{
		llm.Image{MIME: "image/svg+xml"},
		llm.Image{MIME: "image/gif", Data: []byte("GIF89a")},
		llm.File{Name: "a.zip", MIME: "application/zip"},
		llm.ToolResult{CallID: "a", Parts: []llm.Part{llm.Image{MIME: "image/bmp"}}},
	} {
		_, err := New(llm.Options{Key: "k", BaseURL: "http://127.0.0.1:1"}).Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{p}}}}, nil)
		if f, ok := errors.AsType[*llm.Error](err); !ok || f.Code != llm.CodeUnmappable {
			t.Errorf("%T: %v", p, err)
		}
	}
}

func TestGIFsBecomePNGs(t *testing.T) {
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	var told []string
	r, err := newRequest(llm.Request{Log: func(s string) { told = append(told, s) }, Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Image{MIME: "image/gif", Data: b.Bytes()}}}}})
	if err != nil || len(told) != 1 {
		t.Fatalf("%v %q", err, told)
	}
	if got := r.body.Contents[0].Parts[0].Data; got.MIME != "image/png" || !bytes.HasPrefix(got.Data, []byte("\x89PNG")) {
		t.Errorf("%+v", got)
	}
}

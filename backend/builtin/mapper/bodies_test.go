package mapper_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"weft/backend/builtin/mapper"
	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/provider"
)

const page = "../../../docs/providers.md"

// The page shows what is really sent for a turn with three tools, by each provider.
func TestProvidersPageShowsTheRequests(t *testing.T) {
	var turn llm.Request
	for _, c := range llmtest.Cases() {
		if c.Name == "three tools" {
			turn = c.Request
		}
	}
	clean, err := json.MarshalIndent(turn.Messages, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "### The clean messages\n\n```json\n%s\n```\n", clean)
	for _, w := range []struct{ title, provider, api, path string }{
		{"OpenAI, chat completions", provider.OpenAI, "chat", "/v1"},
		{"OpenAI, Responses", provider.OpenAI, "responses", "/v1"},
		{"Anthropic, Messages", provider.Anthropic, "", ""},
		{"Google, Gemini API", provider.Google, "", ""},
		{"Ollama", provider.Ollama, "", ""},
	} {
		server := llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/api/show") {
				fmt.Fprint(w, `{"capabilities":["completion","tools"]}`)
				return
			}
			http.Error(w, `{}`, http.StatusBadRequest)
		})
		model, err := mapper.New(w.provider, llm.Options{Key: "k", BaseURL: server.URL + w.path, API: w.api})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.Stream(t.Context(), turn, func(llm.Delta) {}); err == nil {
			t.Errorf("%s: no error for a request that was refused", w.title)
		}
		sent := server.Sent()
		last := sent[len(sent)-1]
		var body bytes.Buffer
		if err := json.Indent(&body, last.Body, "", "  "); err != nil {
			t.Fatalf("%s: %v in %s", w.title, err, last.Body)
		}
		fmt.Fprintf(&out, "\n### %s\n\n`%s %s`\n\n```json\n%s\n```\n", w.title, last.Method, last.Path, strings.TrimSpace(body.String()))
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- bodies: go test ./backend/builtin/mapper -update -->\n", "<!-- end of bodies -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the bodies", page)
	}
	want := head + begin + "\n" + out.String() + "\n" + end + tail
	if llmtest.Updating() {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s doesn't show what is sent; run the test with -update and read the difference", page)
	}
}

package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"weft/backend/llm"
)

// askModels runs weft-agent models with a request. It keeps stdin open until there is an answer.
func askModels(t *testing.T, request string) (answer llm.Listed, code int, stderr string) {
	t.Helper()
	in, write := io.Pipe()
	defer write.Close()
	go func() { _, _ = io.WriteString(write, request) }()
	var out, said bytes.Buffer
	code = Main(t.Context(), []string{"models"}, in, &out, &said)
	if code == 0 {
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%q: %v", &out, err)
		}
	}
	return answer, code, said.String()
}

func listing(t *testing.T, of llm.Listing) string {
	t.Helper()
	raw, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}

func TestModelsAreListedForAProgram(t *testing.T) {
	t.Parallel()
	const key = "fig-tree-key-8812"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided"}}`)
			return
		}
		var ids []string
		for i := range llm.ListMost + 20 {
			ids = append(ids, fmt.Sprintf(`{"id":"m%d","object":"model"}`, i))
		}
		_, _ = io.WriteString(w, `{"object":"list","data":[`+strings.Join(ids, ",")+`]}`)
	}))
	t.Cleanup(srv.Close)
	answer, code, said := askModels(t, listing(t, llm.Listing{Provider: "openai", Key: key, BaseURL: srv.URL + "/v1"}))
	if code != 0 || answer.Error != nil || len(answer.Models) != llm.ListMost || answer.Models[1].ID != "m1" || said != "" {
		t.Errorf("%d models, %+v, exit code %d: %s", len(answer.Models), answer.Error, code, said)
	}
	for name, of := range map[string]llm.Listing{
		"auth":        {Provider: "openai", Key: "wrong-key-77121", BaseURL: srv.URL + "/v1"},
		"unreachable": {Provider: "anthropic", Key: "wrong-key-77121", BaseURL: "http://127.0.0.1:9"},
		"model":       {Provider: "nobody", Key: "wrong-key-77121"},
	} {
		answer, code, said := askModels(t, listing(t, of))
		if code != 0 || answer.Error == nil || string(answer.Error.Code) != name || len(answer.Models) != 0 {
			t.Errorf("%s: %+v, exit code %d", name, answer.Error, code)
		} else if strings.Contains(answer.Error.Message+said, of.Key) {
			t.Errorf("%s: the key is in %q", name, answer.Error.Message+said)
		}
	}
}

func TestBadRequestsForModelsAreRefusedWithoutTheirText(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"no JSON":  "fig-tree-key-8812\n",
		"not one":  `{"provider":"openai","key":fig-tree-key-8812}` + "\n",
		"other":    `["fig-tree-key-8812"]` + "\n",
		"too long": `{"provider":"openai","key":"fig-tree-key-8812` + strings.Repeat("x", listingMost) + "\"}\n",
	} {
		if _, code, said := askModels(t, request); code != 2 || !strings.HasPrefix(said, "weft agent: ") || strings.Contains(said, "fig") {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
	}
	var said bytes.Buffer
	if code := Main(t.Context(), []string{"models"}, strings.NewReader(`{"provider":"openai"`), io.Discard, &said); code != 2 {
		t.Errorf("a request without an end: exit code %d: %s", code, &said)
	}
}

// A client that goes away must not leave a process behind that waits for a provider.
func TestRequestForModelsEndsWithItsClient(t *testing.T) {
	t.Parallel()
	asked, gone := make(chan struct{}), make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		gone <- r.Context().Err()
	}))
	t.Cleanup(srv.Close)
	in, write := io.Pipe()
	ended := make(chan llm.Listed, 1)
	go func() {
		var out bytes.Buffer
		Main(context.Background(), []string{"models"}, in, &out, io.Discard) //nolint:usetesting // outlives nothing: the client ends it
		var answer llm.Listed
		_ = json.Unmarshal(out.Bytes(), &answer)
		ended <- answer
	}()
	if _, err := io.WriteString(write, listing(t, llm.Listing{Provider: "ollama", BaseURL: srv.URL})); err != nil {
		t.Fatal(err)
	}
	<-asked
	write.Close()
	if answer := <-ended; answer.Error == nil {
		t.Errorf("%+v", answer)
	}
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

package service

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/secrets"
	"weft/backend/settings"
)

const fakeKey = "fig-tree-key-8812"

// modelServer lists models to whoever has the key, in OpenAI's form.
func modelServer(t *testing.T, ids ...string) (baseURL string, keys *[]string) {
	t.Helper()
	keys = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		*keys = append(*keys, key)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if key != fakeKey {
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "Incorrect API key provided: " + key}})
			return
		}
		data := []any{}
		for _, id := range ids {
			data = append(data, map[string]any{"id": id, "object": "model"})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", keys
}

func openModels(t *testing.T) (*Service, string) {
	t.Helper()
	t.Setenv("SHELL", "/bin/false") // so that nobody's start-up files run
	t.Setenv("OPENAI_API_KEY", "")
	dir := t.TempDir()
	s := openService(t, dir)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.secrets.SetSecretStore(t.Context(), secrets.SecretStoreRequest{Store: "file"}); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func typed(key string) map[string]secrets.SecretInput {
	return map[string]secrets.SecretInput{"OPENAI_API_KEY": {Value: key}}
}

func TestListModels(t *testing.T) {
	s, _ := openModels(t)
	url, keys := modelServer(t, "fig", "plum")
	at := func(url string) settings.Model { return settings.Model{Provider: "openai", BaseURL: url} }
	list, err := s.models.ListModels(t.Context(), agents.ListModelsRequest{Model: at(url), SecretEnv: typed(fakeKey)})
	if err != nil || list.Failure != nil || len(list.Models) != 2 || list.Models[1].ID != "plum" {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = s.models.ListModels(t.Context(), agents.ListModelsRequest{Model: at(url), SecretEnv: typed("wrong-key-77121")})
	if err != nil || list.Failure == nil || list.Failure.Code != "auth" || len(list.Models) != 0 || strings.Contains(list.Failure.Message, "wrong-key-77121") {
		t.Errorf("%+v, %v", list.Failure, err)
	}
	list, err = s.models.ListModels(t.Context(), agents.ListModelsRequest{Model: at("http://127.0.0.1:9/v1"), SecretEnv: typed(fakeKey)})
	if err != nil || list.Failure == nil || list.Failure.Code != "unreachable" || !strings.Contains(list.Failure.Message, "127.0.0.1:9") {
		t.Errorf("%+v, %v", list.Failure, err)
	}
	// The key of the environment is for the provider itself.
	t.Setenv("OPENAI_API_KEY", "key-of-the-environment")
	*keys = nil
	if list, err = s.models.ListModels(t.Context(), agents.ListModelsRequest{Model: at(url)}); err != nil || list.Failure == nil || strings.Join(*keys, "") != "" {
		t.Errorf("%+v, %v, sent %q", list, err, *keys)
	}
	for _, wrong := range []settings.Model{{}, {Provider: "nobody"}, at("ftp://x"), at("localhost:1"), {Provider: "anthropic", API: "chat"}} {
		_, err := s.models.ListModels(t.Context(), agents.ListModelsRequest{Model: wrong})
		if code, message, _ := Explain(err); code != "invalid" || !strings.HasPrefix(message, "The model ") {
			t.Errorf("%+v: %s %s", wrong, code, message)
		}
	}
}

func TestModelAgents(t *testing.T) {
	s, dir := openModels(t)
	url, keys := modelServer(t, "fig")
	saved, err := s.agents.SaveAgent(t.Context(), agents.SaveAgentRequest{Name: "Fig", Command: "ignored", Args: []string{"x"}, SecretEnv: typed(fakeKey), Model: &settings.Model{Provider: "openai", Model: " fig ", BaseURL: url}})
	if err != nil || saved.Model == nil || saved.Model.Model != "fig" || saved.Source != "custom" || !saved.Installed || saved.SecretEnv["OPENAI_API_KEY"] == "" {
		t.Fatalf("%+v, %v", saved, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil || strings.Contains(string(text), fakeKey) || strings.Contains(string(text), "ignored") {
		t.Errorf("%v\n%s", err, text)
	}
	// The kept key is used where a form gives none, and not where it gives an empty list.
	if list, err := s.models.ListModels(t.Context(), agents.ListModelsRequest{AgentID: saved.ID, Model: *saved.Model}); err != nil || len(list.Models) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	*keys = nil
	if list, err := s.models.ListModels(t.Context(), agents.ListModelsRequest{AgentID: saved.ID, Model: *saved.Model, SecretEnv: map[string]secrets.SecretInput{}}); err != nil || list.Failure == nil || strings.Join(*keys, "") != "" {
		t.Errorf("%+v, %v, %q", list, err, *keys)
	}
	twin, err := s.agents.DuplicateAgent(t.Context(), ref.AgentRef{AgentID: saved.ID})
	if err != nil || twin.Model == nil || *twin.Model != *saved.Model || twin.SecretEnv["OPENAI_API_KEY"] != saved.SecretEnv["OPENAI_API_KEY"] {
		t.Errorf("%+v, %v", twin, err)
	}
	// A test asks the provider before anything is started.
	test, err := s.agents.TestAgent(t.Context(), agents.TestAgentRequest{Agent: &agents.SaveAgentRequest{Name: "Fig", SecretEnv: typed("wrong-key-77121"), Model: saved.Model}})
	if err != nil || test.OK || test.Failure == nil || test.Failure.Code != "auth" || strings.Contains(test.Failure.Message, "wrong-key-77121") {
		t.Errorf("%+v, %v", test.Failure, err)
	}
	if _, err := s.agents.SaveAgent(t.Context(), agents.SaveAgentRequest{ID: saved.ID, Name: "Fig", Model: &settings.Model{Provider: "none"}}); err == nil {
		t.Error("a provider that is not there was saved")
	}
}

// The result of a test is kept with the agent that was tested, over a restart, and says when the agent is started otherwise since.
func TestLastTestIsKeptOverRestart(t *testing.T) {
	t.Setenv("SHELL", "/bin/false") // so that nobody's start-up files run
	dir := t.TempDir()
	s := openService(t, dir)
	closed := false
	end := func() {
		if !closed {
			closed = true
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(func() { end() })
	last := func(id string) *agents.LastTest {
		t.Helper()
		list, err := s.agents.ListAgents(t.Context(), none{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if a.ID == id {
				return a.Tested
			}
		}
		t.Fatalf("%s is not listed", id)
		return nil
	}
	save := func(req agents.SaveAgentRequest) agents.Agent {
		t.Helper()
		saved, err := s.agents.SaveAgent(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	nobody := agents.SaveAgentRequest{Name: "Nobody", Command: "no-such-agent-8812"}
	saved := save(nobody)
	if saved.Tested != nil {
		t.Errorf("it was not tested yet: %+v", saved.Tested)
	}
	if test, err := s.agents.TestAgent(t.Context(), agents.TestAgentRequest{AgentID: saved.ID}); err != nil || test.OK {
		t.Fatalf("%+v, %v", test, err)
	}
	got := last(saved.ID)
	if got == nil || got.OK || got.Changed || got.At == 0 || !strings.Contains(got.Failure, "no-such-agent-8812") {
		t.Fatalf("%+v", got)
	}

	end()
	s, closed = openService(t, dir), false
	if again := last(saved.ID); again == nil || *again != *got {
		t.Errorf("after a restart: %+v, before: %+v", again, got)
	}
	nobody.ID, nobody.Name = saved.ID, "Renamed"
	if renamed := save(nobody); renamed.Tested == nil || renamed.Tested.Changed {
		t.Errorf("another name: %+v", renamed.Tested)
	}
	nobody.Command = "no-such-agent-8813"
	if changed := save(nobody); changed.Tested == nil || !changed.Tested.Changed {
		t.Errorf("another command: %+v", changed.Tested)
	}

	// What was tested in the form before it was saved counts.
	other := agents.SaveAgentRequest{Name: "Other", Command: "no-such-agent-8814", Cwd: "space"}
	if _, err := s.agents.TestAgent(t.Context(), agents.TestAgentRequest{Agent: &other}); err != nil {
		t.Fatal(err)
	}
	if added := save(other); added.Tested == nil || added.Tested.OK || added.Tested.Changed {
		t.Errorf("tested in its form: %+v", added.Tested)
	}

	// An agent of that id that comes later doesn't have it.
	if _, err := s.agents.RemoveAgent(t.Context(), ref.AgentRef{AgentID: saved.ID}); err != nil {
		t.Fatal(err)
	}
	if back := save(nobody); back.ID != saved.ID || back.Tested != nil {
		t.Errorf("after it was removed: %+v", back)
	}
}

func TestModelProviders(t *testing.T) {
	s, _ := openModels(t)
	t.Setenv("ANTHROPIC_API_KEY", "here")
	list, err := s.models.ModelProviders(t.Context(), none{})
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, p := range list {
		if p.APIs == nil || p.EnvKey != (p.ID == "anthropic") && p.ID != "google" && p.ID != "ollama" {
			t.Errorf("%+v", p)
		}
	}
}

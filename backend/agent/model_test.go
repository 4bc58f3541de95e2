package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/backend/settings"

	"github.com/rs/zerolog"
)

func TestModelsAreStartedWithTheAppItself(t *testing.T) {
	file, err := settings.Open(filepath.Join(t.TempDir(), "settings.json"), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Update(func(s *settings.Settings) error {
		s.Agents = []settings.Agent{
			{ID: "all", Name: "All", Model: &settings.Model{Provider: "openai", Model: "-odd name", BaseURL: "http://127.0.0.1:1/v1", API: "chat"}},
			{ID: "few", Model: &settings.Model{Provider: "anthropic"}},
		}
		s.AgentSecrets = map[string]map[string]string{"few": {"ANTHROPIC_API_KEY": "file:x"}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r := NewRegistry(file, testPaths(t, t.TempDir()))
	defer r.Close()
	r.Refresh(t.Context())
	exe, _ := os.Executable()
	for id, want := range map[string][]string{
		"all": {"agent", "--provider", "openai", "--model", "-odd name", "--base-url", "http://127.0.0.1:1/v1", "--api", "chat"},
		"few": {"agent", "--provider", "anthropic"},
	} {
		c, err := r.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		spec := c.Spec("/space", "")
		if spec.Command != exe || !slices.Equal(spec.Args, want) || !c.Installed || c.Source != SourceCustom || c.Model == nil {
			t.Errorf("%s: %+v, %+v", id, c, spec)
		}
	}
	all, _ := r.Get("all")
	few, _ := r.Get("few")
	if all.Description != "-odd name · 127.0.0.1:1" || few.Description != "claude-sonnet-5-5 · Anthropic" || few.Name != "few" || few.Secrets["ANTHROPIC_API_KEY"] != "file:x" {
		t.Errorf("%+v\n%+v", all, few)
	}
}

// The key in the app's environment is for the provider, not for whoever speaks its language.
func TestTheKeyOfTheEnvironmentStaysWithItsProvider(t *testing.T) {
	at := func(baseURL string, env map[string]string) map[string]string {
		return WithModel(Config{Env: env}, settings.Model{Provider: "openai", BaseURL: baseURL}).Variables()
	}
	if v, set := at("https://elsewhere.example/v1", map[string]string{"A": "b"})["OPENAI_API_KEY"]; !set || v != "" {
		t.Errorf("set %v to %q", set, v)
	}
	if v := at("https://elsewhere.example/v1", map[string]string{"OPENAI_API_KEY": "own"})["OPENAI_API_KEY"]; v != "own" {
		t.Errorf("%q", v)
	}
	for _, baseURL := range []string{"", "https://api.openai.com/v1"} {
		if _, set := at(baseURL, nil)["OPENAI_API_KEY"]; set {
			t.Errorf("%q: the environment's key is taken away", baseURL)
		}
	}
	if env := (Config{Env: map[string]string{"A": "b"}}).Variables(); len(env) != 1 {
		t.Errorf("%v", env)
	}
}

package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// The key in the app's environment is only for its provider, not for other servers with the same API.
func TestEnvironmentKeyIsUsedOnlyForItsProvider(t *testing.T) {
	at := func(provider, baseURL string) string {
		return strings.Join(WithModel(Config{}, settings.Model{Provider: provider, BaseURL: baseURL}).WeftsKeys(), " ")
	}
	if got := at("openai", "https://elsewhere.example/v1"); got != "" {
		t.Errorf("elsewhere gets %s", got)
	}
	for _, baseURL := range []string{"", "https://api.openai.com/v1"} {
		if got := at("openai", baseURL); got != "OPENAI_API_KEY" {
			t.Errorf("%q: %q", baseURL, got)
		}
	}
	if got := at("google", ""); got != "GEMINI_API_KEY GOOGLE_API_KEY" {
		t.Errorf("%q", got)
	}
	if got := (Config{}).WeftsKeys(); len(got) > 0 {
		t.Errorf("an agent without a model: %v", got)
	}
}

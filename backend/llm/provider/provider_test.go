package provider

import (
	"net/url"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if p.ID == "" || p.Name == "" || seen[p.ID] {
			t.Errorf("%+v", p)
		}
		seen[p.ID] = true
		if got, ok := ByID(p.ID); !ok || got.Name != p.Name {
			t.Errorf("%s isn't found: %+v", p.ID, got)
		}
		if u, err := url.Parse(p.BaseURL); err != nil || p.ID != Guide && u.Host == "" {
			t.Errorf("%s has the base URL %q", p.ID, p.BaseURL)
		}
		if p.NeedsKey && (p.KeyEnv == "" || !strings.HasPrefix(p.KeyPage, "https://")) {
			t.Errorf("%s needs a key, but doesn't say which", p.ID)
		}
	}
	if _, ok := ByID("nobody"); ok {
		t.Error("nobody is a provider")
	}
	if IDs() != "openai, anthropic, google, ollama, guide" {
		t.Error(IDs())
	}
}

func TestWantsKeyDependsOnTheServer(t *testing.T) {
	for _, c := range []struct {
		id, baseURL string
		want        bool
	}{
		{OpenAI, "", true},
		{OpenAI, "https://API.openai.com/v1/", true},
		{OpenAI, "http://127.0.0.1:1234/v1", false},
		{Anthropic, "", true},
		{Google, "", true},
		{Ollama, "", false},
		{Guide, "", false},
	} {
		p, _ := ByID(c.id)
		if got := p.WantsKey(c.baseURL); got != c.want {
			t.Errorf("%s at %q: %v", c.id, c.baseURL, got)
		}
	}
}

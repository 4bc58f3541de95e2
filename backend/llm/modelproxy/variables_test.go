package modelproxy

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestVariablesPointToTheProxy(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		env         map[string]string
		own, more   []string
		want        map[string]string
	}{
		{"no key: it may be signed in with a subscription", "claude", nil, nil, nil, nil},
		{"a key", "claude", map[string]string{"ANTHROPIC_API_KEY": "k"}, nil, nil, map[string]string{"ANTHROPIC_BASE_URL": "https://api.anthropic.com"}},
		{"a key and an address", "claude", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://x/a"}, nil, nil, map[string]string{"ANTHROPIC_BASE_URL": "http://x/a"}},
		{"an address that is none", "claude", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "unix:/x"}, nil, nil, nil},
		{"gemini", "gemini", map[string]string{"GEMINI_API_KEY": "k"}, nil, nil, map[string]string{"GOOGLE_GEMINI_BASE_URL": "https://generativelanguage.googleapis.com"}},
		{"another agent's default isn't known", "qwen", map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, nil, nil, nil},
		{"but its address is", "qwen", map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://x/v1"}, nil, nil, map[string]string{"OPENAI_BASE_URL": "https://x/v1"}},
		{"what the user wrote down", "", map[string]string{"MY_LLM_URL": "http://127.0.0.1:1", "GITHUB_API_URL": "http://y", "HOMEPAGE": "http://z"}, []string{"MY_LLM_URL", "HOMEPAGE"}, nil, map[string]string{"MY_LLM_URL": "http://127.0.0.1:1"}},
		{"what the user named", "", map[string]string{"HOMEPAGE": "http://z", "EMPTY": ""}, nil, []string{"HOMEPAGE", "EMPTY", "NOT_THERE"}, map[string]string{"HOMEPAGE": "http://z"}},
	} {
		if got := Variables(c.agent, func(name string) string { return c.env[name] }, c.own, c.more); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestProxyIsReachedWithoutAnHTTPProxy(t *testing.T) {
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	if got := Direct(get); got != nil {
		t.Errorf("without an HTTP proxy: %v", got)
	}
	env["https_proxy"], env["HTTP_PROXY"], env["no_proxy"] = "http://p", "http://p", "example.com"
	if got := Direct(get); got["NO_PROXY"] != "example.com,127.0.0.1" || got["no_proxy"] != "example.com,127.0.0.1" {
		t.Errorf("%v", got)
	}
	env["no_proxy"] = "127.0.0.1,example.com"
	if got := Direct(get); got != nil {
		t.Errorf("where it is listed: %v", got)
	}
}

func TestOpenCodeConfigurationPrecedence(t *testing.T) {
	home, folder := t.TempDir(), filepath.Join(t.TempDir(), "repo", "sub")
	write := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".config", "opencode", "opencode.jsonc"), "{ // mine\n \"provider\": { \"a\": {\"options\": {\"baseURL\": \"http://a/{env:VERSION}\", }, }, /* and */ \"b\": {\"options\":{\"baseURL\":\"http://b\"}}, \"login\": {\"options\":{}} } }")
	write(filepath.Join(folder, "..", ".git", "HEAD"), "")
	write(filepath.Join(folder, "..", "opencode.json"), `{"provider":{"b":{"options":{"baseURL":"http://b2"}}}}`)
	write(filepath.Join(home, ".local", "share", "opencode", "auth.json"), `{"d":{"type":"oauth","refresh":"r"},"google":{"type":"api","key":"k"},"openai":{"type":"oauth"}}`)
	env := map[string]string{
		"HOME": home, "VERSION": "v1", "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k",
		"OPENCODE_CONFIG_CONTENT": `{"model":"c/m","provider":{"c":{"name":"C // no comment","options":{"baseURL":"http://c","apiKey":"{env:K}"}},"d":{"options":{"baseURL":"http://d"}}}}`,
	}
	name, value := OpenCode(func(name string) string { return env[name] }, folder, func(upstream string) (string, error) {
		if upstream == "" {
			return "", errors.New("none")
		}
		return "proxy of " + upstream, nil
	})
	var got, want any
	if err := json.Unmarshal([]byte(value), &got); err != nil {
		t.Fatalf("%s=%s: %v", name, value, err)
	}
	_ = json.Unmarshal([]byte(`{"model":"c/m","provider":{
		"a":{"options":{"baseURL":"proxy of http://a/v1"}},"b":{"options":{"baseURL":"proxy of http://b2"}},
		"anthropic":{"options":{"baseURL":"proxy of https://api.anthropic.com/v1"}},
		"c":{"name":"C // no comment","options":{"baseURL":"proxy of http://c","apiKey":"{env:K}"}},
		"d":{"options":{"baseURL":"http://d"}},"google":{"options":{"baseURL":"proxy of https://generativelanguage.googleapis.com/v1beta"}}}}`), &want)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("%s\nwant\n%s", a, b)
	}
	if _, value := OpenCode(func(string) string { return "" }, folder+"/none", func(string) (string, error) { return "", errors.New("none") }); value != "" {
		t.Errorf("without an address: %s", value)
	}
}

package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service/secrets"
	"weft/backend/api/service/tools"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

func TestReadMCPServers(t *testing.T) {
	s := &Service{appSubjects: appSubjects{servers: &tools.UserServers{}}}
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"Claude":         {`{"mcpServers":{"b":{"command":"npx","args":["-y","x"],"env":{"API_KEY":"k","HOME_DIR":"/h"}},"a":{"url":"https://x/mcp","headers":{"Authorization":"Bearer k"}}}}`, "b stdio npx -y x [API_KEY]; a http https://x/mcp [Authorization]"},
		"VS Code":        {`{"inputs":[],"servers":{"a":{"type":"http","url":"https://x","headers":{"X":"${input:t}"}}}}`, "a http https://x [X]"},
		"VS Code, older": {`{"mcp":{"servers":{"a":{"command":"x"}}}}`, "a stdio x []"},
		"only servers":   {`{"a":{"command":"x"}}`, "a stdio x []"},
		"one server":     {`{"command":"x","args":["y"]}`, "server stdio x y []"},
		"a member":       {`"mcpServers": {"a":{"command":"x"}},`, "a stdio x []"},
		"Zed":            {`{"context_servers":{"a":{"command":"x"}}}`, "a stdio x []"},
		"opencode":       {`{"mcp":{"a":{"type":"local","command":["x","y"],"environment":{"T":"1"},"enabled":false}}}`, "a stdio x y [] off"},
		"gemini":         {`{"mcpServers":{"a":{"httpUrl":"https://x/sse"},"b":{"url":"https://x/sse"},"c":{"type":"sse","url":"https://x"}}}`, "a http https://x/sse []; b sse https://x/sse []; c sse https://x []"},
		"odd values":     {`{"mcpServers":{"a":{"command":"x","env":{"N":7,"B":true}},"b":7,"c":{}}}`, "a stdio x []; -The server b was left out: it isn't a valid MCP server configuration.; -The server c was left out: it has neither a command nor a url."},
		"no JSON":        {`mcpServers: {}`, "invalid"},
		"nothing":        {`{}`, "invalid"},
		"a list":         {`[1]`, "invalid"},
	} {
		found, err := s.servers.ReadMCPServers(t.Context(), tools.ReadMCPServersRequest{Text: c.text})
		var got []string
		for _, one := range found.Servers {
			words := append([]string{one.Name, one.Type, one.Command + one.URL}, one.Args...)
			line := strings.Join(words, " ") + " [" + strings.Join(one.Secret, " ") + "]"
			if one.Disabled {
				line += " off"
			}
			got = append(got, line)
		}
		for _, why := range found.Skipped {
			got = append(got, "-"+why)
		}
		if err != nil {
			code, _, _ := Explain(err)
			got = []string{code}
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, s, c.want)
		}
	}
}

func openService(t *testing.T, dir string) *Service {
	t.Helper()
	s, err := Open(t.Context(), Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Secrets of a removed server can be restored until the next start and are deleted then. Secrets in use stay, even
// while the settings file is broken.
func TestForgottenSecrets(t *testing.T) {
	dir := t.TempDir()
	s := openService(t, dir)
	call := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.secrets.SetSecretStore(t.Context(), secrets.SecretStoreRequest{Store: "file"})
	call(err)
	server := func(name string, in secrets.SecretInput) tools.MCPServerForm {
		return tools.MCPServerForm{Name: name, Type: "stdio", Command: "x", SecretEnv: map[string]secrets.SecretInput{"K": in}}
	}
	kept, err := s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Server: server("kept", secrets.SecretInput{Value: "first-value"})})
	call(err)
	gone, err := s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Server: server("gone", secrets.SecretInput{Value: "other-value"})})
	call(err)
	back, err := s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Server: server("back", secrets.SecretInput{Value: "third-value"})})
	call(err)
	// A new value takes the place of the old one.
	second, err := s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Was: "kept", Server: server("kept", secrets.SecretInput{Value: "second-value", Ref: kept.SecretEnv["K"]})})
	call(err)
	for _, name := range []string{"gone", "back"} {
		_, err = s.servers.RemoveMCPServer(t.Context(), tools.MCPServerRef{Name: name})
		call(err)
	}
	_, err = s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Server: server("back", secrets.SecretInput{Ref: back.SecretEnv["K"]})})
	call(err)
	for _, wrong := range []tools.MCPServerForm{
		server("", secrets.SecretInput{Value: "wrong-value"}), server("kept", secrets.SecretInput{Value: "wrong-value"}), server("x", secrets.SecretInput{}),
		{Name: "h", Type: "http", URL: "http://x", SecretHeaders: map[string]secrets.SecretInput{"A\nB": {Value: "wrong-value"}}},
		{Name: "h", Type: "http", URL: "http://x", SecretHeaders: map[string]secrets.SecretInput{"A": {Value: "wrong\r\nvalue"}}},
		{Name: "h", Type: "http", URL: "ftp://x"},
	} {
		_, err := s.servers.SaveMCPServer(t.Context(), tools.SaveMCPServerRequest{Server: wrong})
		if code, message, _ := Explain(err); err == nil || code != "invalid" || strings.Contains(message, "wrong-value") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	// Nothing is deleted while the settings cannot be read.
	call(s.Close(context.Background()))
	path := filepath.Join(dir, "settings.json")
	good, err := os.ReadFile(path)
	call(err)
	call(os.WriteFile(path, []byte("{"), 0o600))
	s = openService(t, dir)
	s.secrets.Tidy(t.Context())
	for _, ref := range []string{kept.SecretEnv["K"], gone.SecretEnv["K"], second.SecretEnv["K"]} {
		if _, err := s.secrets.Read(t.Context(), ref); err != nil {
			t.Errorf("%s was deleted with broken settings: %v", ref, err)
		}
	}
	call(s.Close(context.Background()))
	call(os.WriteFile(path, good, 0o600))
	s = openService(t, dir)
	defer func() { call(s.Close(context.Background())) }()
	s.secrets.Tidy(t.Context())
	for ref, there := range map[string]bool{kept.SecretEnv["K"]: false, gone.SecretEnv["K"]: false, second.SecretEnv["K"]: true, back.SecretEnv["K"]: true} {
		_, err := s.secrets.Read(t.Context(), ref)
		var e *secret.Error
		if there && err != nil || !there && (!errors.As(err, &e) || e.Code != secret.CodeMissing) {
			t.Errorf("%s, wanted there %v: %v", ref, there, err)
		}
	}
	if list := s.secrets.Forgotten(t.Context()); len(list) != 0 {
		t.Errorf("left to be forgotten: %v", list)
	}
	text, err := os.ReadFile(filepath.Join(dir, "data", "secrets.json"))
	call(err)
	if n := strings.Count(string(text), "mcp-"); n != 2 {
		t.Errorf("%d secrets are in the file:\n%s", n, text)
	}
	if !slices.ContainsFunc(s.settings.Get().MCPServers, func(m settings.MCPServer) bool { return m.Name == "back" }) {
		t.Error("it is not back")
	}
}

package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestMCPServersAreRead(t *testing.T) {
	s, _, problem := decode([]byte(`{"mcpServers":[
		{"name":"files","command":"mcp-files","args":["--root","."],"env":{"A":"1"}},
		{"name":"web","url":"https://example.org/mcp","headers":{"X-Key":"k"},"mine":true},
		{"name":"old","type":"sse","url":"http://127.0.0.1:1/sse","disabled":true}]}`))
	if problem != nil {
		t.Fatal(problem)
	}
	if len(s.MCPServers) != 3 || s.MCPServers[0].Type != "stdio" || s.MCPServers[1].Type != "http" || s.MCPServers[1].Headers["X-Key"] != "k" || !s.MCPServers[2].Disabled {
		t.Errorf("read %+v", s.MCPServers)
	}
}

func TestMCPServersThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`[{}]`:                           "needs a name",
		`[{"name":"a"}]`:                 "needs a command",
		`[{"name":"a","type":"pigeon"}]`: "must be one of",
		`[{"name":"a","url":"ftp://x"}]`: "begins with http",
		`[{"name":"a","type":"http"}]`:   "begins with http",
		`[{"name":"a","command":"x"},{"name":"a","command":"y"}]`: "Two MCP servers",
		`[{"name":"a","command":"x","disabled":1}]`:               "true or false",
		`[{"name":"a","command":"x","env":{"A":1}}]`:              "must be a text",
		`{}`: "must be a list",
	} {
		_, _, problem := decode([]byte(`{"mcpServers":` + text + `}`))
		if problem == nil || !strings.Contains(problem.Message, want) {
			t.Errorf("%s: %v, want %q", text, problem, want)
		}
	}
}

// A write by the app keeps the servers, and what else stands in them.
func TestMCPServersSurviveAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers":[{"name":"web","url":"https://example.org/mcp","note":"mine"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Update(func(s *Settings) error { s.DefaultAgent = "other"; return nil }); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{`"note": "mine"`, `"url": "https://example.org/mcp"`, `"other"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is gone:\n%s", want, text)
		}
	}
}

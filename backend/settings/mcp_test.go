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
		{"name":"old","type":"sse","url":"http://127.0.0.1:1/sse","disabled":true},
		{"name":"through","command":"x","via":"gateway","tools":{"a":{"off":true},"b":{"display":true,"visibility":"minimal"},"c":{}}}]}`))
	if problem != nil {
		t.Fatal(problem)
	}
	if len(s.MCPServers) != 4 || s.MCPServers[0].Type != "stdio" || s.MCPServers[1].Type != "http" || s.MCPServers[1].Headers["X-Key"] != "k" || !s.MCPServers[2].Disabled {
		t.Errorf("read %+v", s.MCPServers)
	}
	through := s.MCPServers[3]
	if through.Via != ViaGateway || len(through.Tools) != 3 || !through.Tools["a"].Off || through.Tools["b"] != (MCPTool{Display: true, Visibility: "minimal"}) || through.Tools["c"] != (MCPTool{}) {
		t.Errorf("read %+v", through)
	}
	other := through.clone()
	if !other.equal(through) {
		t.Error("a copy is another one")
	}
	if other.Tools["a"] = (MCPTool{}); other.equal(through) || !through.Tools["a"].Off {
		t.Error("a switch makes no difference")
	}
}

func TestInvalidMCPServersAreRefused(t *testing.T) {
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
		`[{"name":"a","command":"x","via":"pigeon"}]`:                       "must be direct (agents connect to it) or gateway",
		`[{"name":"a","command":"x","via":true}]`:                           "must be a text",
		`[{"name":"a","command":"x","tools":[]}]`:                           "“tools” must be an object",
		`[{"name":"a","command":"x","tools":{"t":1}}]`:                      "“t” must be an object",
		`[{"name":"a","command":"x","tools":{"t":{"off":"yes"}}}]`:          "“off” must be true or false",
		`[{"name":"a","command":"x","tools":{"t":{"visibility":"shown"}}}]`: `The tool "t" of the MCP server "a" has the visibility "shown"; it must be hidden, minimal or full.`,
	} {
		_, _, problem := decode([]byte(`{"mcpServers":` + text + `}`))
		if problem == nil || !strings.Contains(problem.Message, want) {
			t.Errorf("%s: %v, want %q", text, problem, want)
		}
	}
}

// A write by the app keeps the servers, and what else is in them.
func TestMCPServersSurviveAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers":[{"name":"web","url":"https://example.org/mcp","note":"mine","via":"gateway","tools":{"t":{"off":true,"why":"slow"}}}]}`), 0o600); err != nil {
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
	for _, want := range []string{`"note": "mine"`, `"why": "slow"`, `"off": true`, `"via": "gateway"`, `"url": "https://example.org/mcp"`, `"other"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is gone:\n%s", want, text)
		}
	}
}

package builtin

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// stored returns the contents of all files in a folder.
func stored(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// The model gets a tool's output unchanged, and the session's files get it without known secrets.
func TestPrintedSecretsAreNotInSessionFiles(t *testing.T) {
	const key = `sk-quo"ted-5150-key`
	t.Setenv("OPENAI_API_KEY", key)
	own := tool.Tool{
		Tool: llm.Tool{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}, Kind: acp.ToolKindOther, Effect: tool.Reads,
		Look: func(*tool.Env, map[string]json.RawMessage) tool.Look { return tool.Look{Title: "Own"} },
		Prepare: func(_ context.Context, env *tool.Env, _ json.RawMessage) (tool.Prepared, error) {
			return tool.Prepared{Effect: tool.Reads, Look: tool.Look{Title: "Own"}, Run: func(_ context.Context, report func(tool.Progress)) (tool.Result, error) {
				report(tool.Progress{Content: []acp.ToolCallContent{textContent("so far: " + key)}})
				_, err := env.Keep("long.txt", []byte("kept: "+key))
				return tool.Result{
					Parts: []llm.Part{llm.Text{Text: "told: " + key}}, Content: []acp.ToolCallContent{textContent("printed: " + key)},
					Summary: "Printed " + key, Output: map[string]any{"raw": key}, Data: map[string]string{"data": key},
				}, err
			}}, nil
		},
	}
	model := &remembers{answer: counts}
	set := settings{provider: provider.Provider{ID: "test", Name: "Test"}, model: "m", mode: modeAsk, data: t.TempDir()}
	c, dir := startSet(t, set, model, own), t.TempDir()
	session := c.open(dir, nil)
	if stop := c.prompt(session, "print the environment"); stop != "end_turn" {
		t.Fatal(stop)
	}
	if result := model.last().Messages[2].Parts[0].(llm.ToolResult); result.Parts[0] != (llm.Text{Text: "told: " + key}) {
		t.Errorf("the model is told %+v", result)
	}
	c.call("session/fork", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
	files := stored(t, set.data)
	if at := strings.Index(files, "5150"); at >= 0 {
		t.Errorf("a file has …%s…", files[max(0, at-80):at+20])
	}
	for _, text := range []string{"so far: ", "kept: ", "told: ", "printed: ", "Printed "} {
		if !strings.Contains(files, text+secret.Hidden) {
			t.Errorf("no file has %q", text+secret.Hidden)
		}
	}
	// The session can be loaded again.
	again := startSet(t, set, model, own)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	again.call("session/load", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
	if ends := again.ends(); len(ends) != 1 || !strings.Contains(string(ends[0].Content), "printed: "+secret.Hidden) {
		t.Errorf("replayed %+v", ends)
	}
}

func TestKeysOfMCPServersAreHidden(t *testing.T) {
	hide := &secret.Redactor{}
	hideKeys(hide, []acp.McpServer{
		{Stdio: &acp.McpServerStdio{Env: []acp.EnvVariable{{Name: "GITHUB_TOKEN", Value: "token-0815-abc"}, {Name: "MODE", Value: "plain-0815-abc"}}}},
		{Http: &acp.McpServerHttpInline{Headers: []acp.HttpHeader{{Name: "Authorization", Value: "Bearer bearer-0815-abc"}, {Name: "X-Api-Key", Value: "header-0815-abc"}}}},
		{Sse: &acp.McpServerSseInline{Headers: []acp.HttpHeader{{Name: "x-auth-token", Value: "sse-0815-abc"}}}},
	})
	got := hide.PrintedText("token-0815-abc plain-0815-abc bearer-0815-abc header-0815-abc sse-0815-abc")
	if want := "[secret] plain-0815-abc [secret] [secret] [secret]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

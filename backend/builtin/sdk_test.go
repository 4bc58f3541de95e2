package builtin

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm/llmtest/scripted"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// sdkClient is a client like the SDK's example. It handles files but not terminals.
type sdkClient struct {
	mu    sync.Mutex
	kinds map[string]int
	asked []string
}

func (c *sdkClient) SessionUpdate(_ context.Context, p acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := p.Update
	switch {
	case u.AgentMessageChunk != nil:
		c.kinds["text"]++
	case u.ToolCall != nil:
		c.kinds["call"]++
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		c.kinds[string(*u.ToolCallUpdate.Status)]++
	}
	return nil
}

func (c *sdkClient) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, *p.ToolCall.Title)
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(p.Options[0].OptionId)}, nil
}

func (c *sdkClient) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	text, err := os.ReadFile(p.Path)
	return acp.ReadTextFileResponse{Content: string(text)}, err
}

func (c *sdkClient) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

func (c *sdkClient) none() error { return acp.NewMethodNotFound("terminal") }

func (c *sdkClient) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, c.none()
}

func (c *sdkClient) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, c.none()
}

func (c *sdkClient) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, c.none()
}

func (c *sdkClient) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, c.none()
}

func (c *sdkClient) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, c.none()
}

// The agent works with another client, the SDK's.
func TestTheSDKsClient(t *testing.T) {
	server := scripted.New(t,
		scripted.Step{Text: "Reading.", Calls: []scripted.Call{reading("src/tide.js")}},
		scripted.Step{Calls: []scripted.Call{using("edit", map[string]any{"path": "src/tide.js", "old_string": "return 1", "new_string": "return 2"})}, Fragment: 4},
		scripted.Step{Calls: []scripted.Call{using("shell", map[string]any{"command": "echo checked"})}},
		scripted.Step{Text: "Done.", Fragment: 2})
	set := settings{mode: modeAsk, data: t.TempDir(), model: "test-model", baseURL: server.URL}
	set.provider, _ = provider.ByID(provider.Anthropic)
	t.Setenv(set.provider.KeyEnv, "sk-test-0123456789abcdef")
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		serve(context.Background(), newAgent(set, newKeys(set.provider, &secret.Redactor{}), quiet), fromClient, toClient)
	}()
	client := &sdkClient{kinds: map[string]int{}}
	conn := acp.NewClientSideConnection(client, in, out)
	defer func() { in.Close(); <-ended }()

	ctx := t.Context()
	if _, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}}}); err != nil {
		t.Fatal(err)
	}
	dir := jsProject(t)
	session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Change it.")}})
	if err != nil || answer.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("%v %v", answer.StopReason, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "src/tide.js"))
	if err != nil || string(text) != "export function tideAt() {\n  return 2\n}  \n" {
		t.Errorf("%v %q", err, text)
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	if client.kinds["call"] != 3 || client.kinds["completed"] != 3 || len(client.asked) != 2 || client.kinds["text"] < 4 {
		t.Errorf("%v, asked %q", client.kinds, client.asked)
	}
}

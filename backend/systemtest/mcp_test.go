//go:build linux

package systemtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/api/service/secrets"
	"weft/backend/api/service/tools"
	"weft/backend/settings"
)

// orchardMain is an MCP server of the user's. With a file as its argument it starts only once that is there.
func orchardMain(args []string) {
	if len(args) > 0 {
		if _, err := os.Stat(args[0]); err != nil {
			fmt.Fprintln(os.Stderr, "the gate is shut")
			os.Exit(4)
		}
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "orchard", Version: "1"}, nil)
	add := func(name string, run func() (string, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Does " + name}, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
			text, err := run()
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, err
		})
	}
	add("pick", func() (string, error) {
		return fmt.Sprintf("picked with a key of %d characters", len(os.Getenv("KEY"))), nil
	})
	add("listSpaces", func() (string, error) { return "theirs", nil })
	add("rot", func() (string, error) { return "", errors.New("there are no apples") })
	add("die", func() (string, error) {
		fmt.Fprintln(os.Stderr, "a worm")
		os.Exit(7)
		return "", nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{}) // it ends with its stdin
}

// uses lets the agent call a tool of the gateway that asks first, and returns what the agent heard.
func (r *room) uses(t testing.TB, tool, answer string) string {
	t.Helper()
	r.st.reset()
	r.send(t, wishes(wish{Tool: tool, Args: map[string]any{}}))
	r.allow(t, 0, answer)
	r.ended(t, "end_turn")
	if displays, rows := r.calls(); len(displays) != 0 || len(rows) != 1 || len(rows[0].Permissions) != 1 || !strings.HasSuffix(rows[0].Title, tool) {
		t.Errorf("it was not asked at the agent's own call: %+v, %+v", displays, rows)
	}
	return r.agentText()
}

// tools are the names of the tools that the agent is offered, each after a space.
func (r *room) tools(t testing.TB) string {
	t.Helper()
	r.st.reset()
	r.turn(t, wishes(wish{Tool: everyTool}), "end_turn")
	return r.agentText()
}

// hasTool waits until the agent is offered a tool: its server has to start first.
func (r *room) hasTool(t testing.TB, tool string) {
	t.Helper()
	for deadline := time.Now().Add(timeout); !strings.Contains(r.tools(t), " "+tool); {
		if time.Now().After(deadline) {
			t.Fatalf("%s is not offered", tool)
		}
	}
}

// onlyServer waits until what the settings show of the one server is as it should be.
func (a *app) onlyServer(t testing.TB, what string, fits func(tools.MCPServer) bool) {
	t.Helper()
	var list []tools.MCPServer
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		a.do(t, "MCPServers", struct{}{}, &list)
		if len(list) == 1 && fits(list[0]) {
			return
		}
	}
	t.Fatalf("%s: %+v", what, list)
}

// An agent has the tools of a server through the gateway: each call is asked about first, a server that dies in the middle
// of one is a sentence, and what the user switches holds at once.
func TestServersThroughTheGateway(t *testing.T) {
	t.Parallel()
	const yes, no = "once", "no"
	a := launch(t, t.TempDir())
	a.do(t, "SetSecretStore", secrets.SecretStoreRequest{Store: "file"}, nil)
	server := tools.MCPServerForm{
		Name: "orchard", Type: "stdio", Command: scriptedProgram, Args: []string{"orchard"}, Via: settings.ViaGateway,
		SecretEnv: map[string]secrets.SecretInput{"KEY": {Value: "golden"}}, Tools: map[string]settings.MCPTool{"rot": {Off: true}},
	}
	var saved tools.MCPServer
	save := func() {
		t.Helper()
		was := saved.Name
		a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Was: was, Server: server}, &saved)
	}
	save()
	server.SecretEnv["KEY"] = secrets.SecretInput{Ref: saved.SecretEnv["KEY"]}
	r := a.scripted(t, "caller")
	r.hasTool(t, "pick")
	if heard := r.uses(t, "pick", yes); !strings.Contains(heard, "{picked with a key of 6 characters}") {
		t.Errorf("the agent heard %s", heard)
	}
	if heard := r.uses(t, "pick", no); !strings.Contains(heard, "refused: The user didn't allow pick") {
		t.Errorf("the agent heard %s", heard)
	}
	if heard := r.uses(t, "orchard_listSpaces", yes); !strings.Contains(heard, "{theirs}") {
		t.Errorf("the agent heard %s", heard)
	}
	if tools := r.tools(t); strings.Contains(tools, " rot") || !strings.Contains(tools, " die") {
		t.Errorf("it is offered%s", tools)
	}
	if heard := r.uses(t, "die", yes); !strings.Contains(heard, "refused: The MCP server orchard lost the connection during the call.") || !strings.Contains(heard, "exited with code 7. The server says: a worm") {
		t.Errorf("the agent heard %s", heard)
	}
	a.onlyServer(t, "its end is not told", func(m tools.MCPServer) bool {
		return m.Via == settings.ViaGateway && strings.Contains(strings.Join(m.Troubles, " "), "a worm. Weft reconnects when it is next used.")
	})
	if heard := r.uses(t, "pick", yes); !strings.Contains(heard, "{picked") {
		t.Errorf("the agent heard %s", heard)
	}
	a.onlyServer(t, "it is still in trouble", func(m tools.MCPServer) bool { return len(m.Troubles) == 0 })

	// One that cannot be started is told, and tried again.
	gate := filepath.Join(t.TempDir(), "gate")
	server.Args, server.Tools = []string{"orchard", gate}, nil
	save()
	a.onlyServer(t, "it is not told what is wrong", func(m tools.MCPServer) bool {
		return strings.Contains(strings.Join(m.Troubles, " "), "the gate is shut")
	})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.onlyServer(t, "it is not tried again", func(m tools.MCPServer) bool { return len(m.Troubles) == 0 })
	r.hasTool(t, "rot")
	if heard := r.uses(t, "rot", yes); !strings.Contains(heard, "refused: there are no apples") {
		t.Errorf("the agent heard %s", heard)
	}
	server.Disabled = true
	save()
	for deadline := time.Now().Add(timeout); strings.Contains(r.tools(t), " pick"); {
		if time.Now().After(deadline) {
			t.Fatal("the tools of a server that is off are offered")
		}
	}
	r.check(t)
}

// A tool of a server that is a display is in the own space once, with its result.
func TestProxiedDisplaysAreShownOnce(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Server: tools.MCPServerForm{
		Name: "orchard", Type: "stdio", Command: scriptedProgram, Args: []string{"orchard"}, Via: settings.ViaGateway,
		Tools: map[string]settings.MCPTool{"pick": {Display: true}},
	}}, nil)
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "pick", Args: map[string]any{"targetSpaceId": r.id}}))
	r.allow(t, 0, "once")
	r.ended(t, "end_turn")
	displays, rows := r.calls()
	if len(displays) != 1 || len(rows) != 0 || displays[0].Name != "pick" || !strings.Contains(string(displays[0].Output), "picked with a key") {
		t.Errorf("displays %+v, rows %+v", displays, rows)
	}
	r.check(t)
}

// TestServersAreConnectedOnceUsed: an agent that was offered a server is said to be connected to it when it has called one of its tools, in
// whatever form it names that, and not before; to one behind the gateway when it has reached that.
func TestServersAreConnectedOnceUsed(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, s := range []tools.MCPServerForm{
		{Name: "kit tools", Type: "stdio", Command: scriptedProgram, Args: []string{"orchard"}},
		{Name: "orchard", Type: "stdio", Command: scriptedProgram, Args: []string{"orchard"}, Via: settings.ViaGateway},
	} {
		a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Server: s}, nil)
	}
	connected := func(t *testing.T, r *room) (direct, behind bool) {
		t.Helper()
		_, o := r.offered(t)
		if len(o.Servers) != 2 || !o.Servers[0].Handed {
			t.Fatalf("%+v", o.Servers)
		}
		return o.Servers[0].Connected, o.Servers[1].Connected
	}
	for name, c := range map[string]struct {
		call map[string]any
		want bool
	}{
		"claude":                         {map[string]any{"title": "mcp__kit_tools__pick", "kind": "other"}, true},
		"opencode":                       {map[string]any{"title": "kit_tools_pick", "kind": "other"}, true},
		"gemini":                         {map[string]any{"title": "pick (kit tools MCP Server)", "kind": "other"}, true},
		"codex":                          {map[string]any{"title": "mcp.kit tools.pick", "kind": "execute", "rawInput": map[string]any{"server": "kit tools", "tool": "pick"}}, true},
		"codex of Zed":                   {map[string]any{"title": "Tool: kit tools/pick"}, true},
		"copilot":                        {map[string]any{"title": "kit-tools-pick", "kind": "other"}, true},
		"cline":                          {map[string]any{"title": "use_mcp_tool", "kind": "other", "rawInput": map[string]any{"server_name": "kit tools", "tool_name": "pick"}}, true},
		"a file of that name":            {map[string]any{"title": "kit_tools_pick.go", "kind": "read"}, false},
		"words":                          {map[string]any{"title": "Kit tools: pick one", "kind": "other"}, false},
		"another server":                 {map[string]any{"title": "mcp__kit__pick", "kind": "other"}, false},
		"a tool of the name of a server": {map[string]any{"title": "kit_tools", "kind": "other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps")
			r.steps(t, always("no"), shows("tool_call", "first", "completed", map[string]any{"title": "Read a.txt", "kind": "read"}))
			if direct, _ := connected(t, r); direct {
				t.Error("it is connected before it was used")
			}
			r.steps(t, always("no"), shows("tool_call", "c", "in_progress", c.call), shows("tool_call_update", "c", "completed", nil))
			if direct, _ := connected(t, r); direct != c.want {
				t.Errorf("connected: %v", direct)
			}
			r.check(t)
		})
	}
	t.Run("behind the gateway", func(t *testing.T) {
		t.Parallel()
		r := a.scripted(t, "caller")
		r.tools(t)
		if direct, behind := connected(t, r); direct || !behind {
			t.Errorf("directly %v, through the gateway %v", direct, behind)
		}
	})
}

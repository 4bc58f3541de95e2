package sessionoptions

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// modeWords are modes of published agents, as these describe them, and some that others could have.
var modeWords = []struct {
	agent, id, name, description string
	want                         Autonomy
}{
	{"claude", "default", "Manual", "Always ask before making changes", asksBefore},
	{"claude", "acceptEdits", "Accept edits", "Automatically accept all file edits", editsFreely},
	{"claude", "plan", "Plan", "Create a plan before making changes", readsOnly},
	{"claude", "auto", "Auto", "Claude handles permission decisions", actsFreely},
	{"claude", "bypassPermissions", "Bypass permissions", "Accepts all permissions", actsFreely},
	{"claude 0.16", "default", "Default", "Standard behavior, prompts for dangerous operations", asksBefore},
	{"claude 0.16", "acceptEdits", "Accept Edits", "Auto-accept file edit operations", editsFreely},
	{"claude 0.16", "plan", "Plan Mode", "Planning mode, no actual tool execution", readsOnly},
	{"claude 0.16", "dontAsk", "Don't Ask", "Don't prompt for permissions, deny if not pre-approved", actsFreely},
	{"claude 0.16", "bypassPermissions", "Bypass Permissions", "Bypass all permission checks", actsFreely},
	{"gemini", "default", "Default", "Prompts for approval", asksBefore},
	{"gemini", "autoEdit", "Auto Edit", "Auto-approves edit tools", editsFreely},
	{"gemini", "yolo", "YOLO", "Auto-approves all tools", actsFreely},
	{"gemini", "plan", "Plan", "Read-only mode", readsOnly},
	{"qwen", "plan", "Plan", "Analyze only, do not modify files or execute commands", readsOnly},
	{"qwen", "default", "Default", "Require approval for file edits or shell commands", asksBefore},
	{"qwen", "auto-edit", "Auto Edit", "Automatically approve file edits", editsFreely},
	{"qwen", "auto", "Auto", "LLM classifier auto-approves safe actions, blocks risky ones", actsFreely},
	{"qwen", "yolo", "YOLO", "Automatically approve all tools", actsFreely},
	{"kimi", "default", "Default", "Manual approvals; tools execute normally.", asksBefore},
	{"kimi", "plan", "Plan", "Read-only planning; no tool execution.", readsOnly},
	{"kimi", "auto", "Auto", "Auto-approve safe operations.", actsFreely},
	{"kimi", "yolo", "YOLO", "Auto-approve everything.", actsFreely},
	{"codex", "read-only", "Read-only", "Requires approval to edit files and access the internet.", asksBefore},
	{"codex", "workspace-write", "Workspace access", "Edit workspace files; ask before writing outside the workspace or accessing the network.", actsFreely},
	{"codex", "agent", "Auto review", "Only ask for actions detected as potentially unsafe", actsFreely},
	{"codex", "agent-full-access", "Full access", "Unrestricted access to the internet and any file on your computer", actsFreely},
	{"opencode", "build", "build", "The default agent. Executes tools based on configured permissions.", Autonomy{}},
	{"opencode", "plan", "plan", "Plan mode. Disallows all edit tools.", Autonomy{Edits: Never}},
	{"cline", "plan", "Plan", "Explore the codebase and plan changes without modifying files", Autonomy{Edits: Never}},
	{"cline", "act", "Act", "Make changes to the codebase", Autonomy{}},
	{"copilot", "https://agentclientprotocol.com/protocol/session-modes#agent", "Agent", "Default agent mode for conversational interactions", Autonomy{}},
	{"copilot", "https://agentclientprotocol.com/protocol/session-modes#plan", "Plan", "Plan mode for creating and executing multi-step plans", Autonomy{}},
	{"copilot", "https://agentclientprotocol.com/protocol/session-modes#autopilot", "Autopilot", "Autonomous mode that enables allow-all and runs until task completion without user interaction (experimental)", actsFreely},
	{"droid", "normal", "Auto (Off)", "Auto-approves only read operations", asksBefore},
	{"droid", "spec", "Spec", "Build feature specs (read-only)", readsOnly},
	{"droid", "auto-low", "Auto (Low)", "Auto-approves file edits and low-risk actions during the session", actsFreely},
	{"droid", "auto-medium", "Auto (Medium)", "Auto-approves medium-risk actions during the session", actsFreely},
	{"droid", "auto-high", "Auto (High)", "Auto-approves all actions", actsFreely},
	{"auggie", "default", "Default", "Agent mode: Full access to modify and interact with code", actsFreely},
	{"auggie", "ask", "Ask", "Ask a question: Get answers without modifying code", Autonomy{Edits: Never}},
	{"qoder", "default", "Default", "Prompts for approval", asksBefore},
	{"qoder", "auto", "Auto", "Auto-approves via the safety classifier", actsFreely},
	{"qoder", "dontAsk", "Don't Ask", "Refuses instead of prompting", actsFreely},
	{"goose", "auto", "Auto", "Automatically approve tool calls", actsFreely},
	{"goose", "approve", "Approve", "Ask before every tool call", asksBefore},
	{"goose", "smart_approve", "Smart approve", "Ask only for sensitive tool calls", actsFreely},
	{"goose", "chat", "Chat", "Chat only, no tool calls", readsOnly},
	{"vibe", "default", "Default", "Requires approval for tool executions", asksBefore},
	{"vibe", "accept-edits", "Accept Edits", "Auto-approves file edits only", editsFreely},
	{"vibe", "auto-approve", "Auto Approve", "Auto-approves all tool executions", actsFreely},
	{"vibe", "plan", "Plan", "Read-only agent for exploration and planning", readsOnly},
	{"openhands", "always-ask", "Always ask", "", asksBefore},
	{"openhands", "always-approve", "Always approve", "", Autonomy{}},
	{"weft", "ask", "Ask", "Asks before it changes files, runs commands or leaves this machine", asksBefore},
	{"weft", "read-only", "Read only", "Reads only: doesn't change files or run commands", readsOnly},
	{"weft", "auto", "Auto", "Changes files and runs commands without asking", actsFreely},
	{"pi", "medium", "medium", "", Autonomy{}},
	{"cursor", "agent", "Agent", "Full agent capabilities with tool access", Autonomy{}},
	{"cursor", "ask", "Ask", "Q&A mode - no edits or command execution", readsOnly},
	{"none", "code", "", "", Autonomy{}},
	{"none", "default", "", "", Autonomy{}},
	{"none", "ask", "", "", asksBefore},
	{"none", "x", "X", "Never runs a command without asking", asksBefore},
	{"none", "x", "X", "Nothing is changed without your approval", asksBefore},
	{"none", "x", "X", "Asks for confirmation before each tool call", asksBefore},
	{"none", "x", "X", "Never asks", actsFreely},
	{"none", "x", "X", "Skips all confirmations", actsFreely},
	{"none", "x", "X", "Asks before dangerous commands", actsFreely},
	{"none", "x", "X", "Asks before running potentially destructive commands", actsFreely},
	{"none", "x", "X", "Asks for approval only when leaving the workspace", actsFreely},
	{"none", "x", "X", "Edits are accepted automatically; commands need approval", actsFreely}, // edits would be right, but this errs to the safe side
	{"none", "x", "X", "No confirmation needed", actsFreely},
	{"none", "x", "X", "Approves most tools, asks for the rest", actsFreely},
}

func TestModesAreReadByTheirWords(t *testing.T) {
	t.Parallel()
	for _, c := range modeWords {
		if got := read(c.id, c.name, c.description); got != c.want {
			t.Errorf("%s: %s (%s: %q) is read as %v, want %v", c.agent, c.id, c.name, c.description, got, c.want)
		}
	}
}

func TestSwitchesAreReadByTheirWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op    acp.Option
		value string
		want  Autonomy
	}{
		{acp.Option{ID: "auto_approve", Type: "boolean", Name: "Auto-approve tools", Description: "Automatically approve all tool calls without asking for permission"}, `true`, actsFreely},
		{acp.Option{ID: "auto_approve", Type: "boolean", Name: "Auto-approve tools", Description: "Automatically approve all tool calls without asking for permission"}, `false`, asksBefore},
		{acp.Option{ID: "yolo", Type: "boolean", Name: "YOLO"}, `false`, asksBefore},
		{acp.Option{ID: "confirm", Type: "boolean", Name: "Ask before every tool call"}, `false`, actsFreely},
		{acp.Option{ID: "auto_edit", Type: "boolean", Name: "Auto-accept edits"}, `false`, Autonomy{Edits: Asks}},
		{acp.Option{ID: "allow_all", Type: "select", Name: "Allow All", Category: "permissions", Choices: []acp.Choice{
			{Value: "on", Name: "On", Description: "Automatically approve all tool, path, and URL requests"}, {Value: "off", Name: "Off", Description: "Require approval for tool, path, and URL requests"},
		}}, `"off"`, asksBefore},
		{acp.Option{ID: "allow_all", Type: "select", Name: "Allow All", Category: "permissions", Choices: []acp.Choice{{Value: "on", Name: "On"}, {Value: "off", Name: "Off"}}}, `"on"`, actsFreely},
		{acp.Option{ID: "allow_all", Type: "select", Name: "Allow All", Category: "permissions", Choices: []acp.Choice{{Value: "on", Name: "On"}, {Value: "off", Name: "Off"}}}, `"off"`, asksBefore},
	} {
		if !guards(&c.op) {
			t.Errorf("%s isn't taken for an option about permissions", c.op.ID)
		}
		if got := autonomyOf(&c.op, jsontext.Value(c.value)); got != c.want {
			t.Errorf("%s = %s is read as %v, want %v", c.op.ID, c.value, got, c.want)
		}
	}
	for _, op := range []acp.Option{
		{ID: "effort", Name: "Effort", Description: "Available effort levels for this model", Category: "thought_level"},
		{ID: "fast", Name: "Fast mode", Description: "Faster responses on supported models", Category: "model_config"},
		{ID: "ultracode", Name: "Ultracode", Description: "Dynamic workflows on every task, at any effort level", Category: "model_config"},
		{ID: "collaboration_mode", Name: "Collaboration mode", Description: "How Codex collaborates for subsequent turns", Category: "collaboration_mode"},
		{ID: "thinking", Name: "Thinking", Category: "thought_level"},
		{ID: "model", Name: "Model", Category: "model"},
	} {
		if guards(&op) {
			t.Errorf("%s is taken for an option about permissions", op.ID)
		}
	}
}

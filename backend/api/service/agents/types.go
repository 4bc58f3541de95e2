package agents

import (
	"weft/backend/agent/agentauth"
	"weft/backend/api/service/secrets"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"

	"github.com/go-json-experiment/json/jsontext"
)

// Agent is an agent in the settings.
type Agent struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Cwd         string            `json:"cwd"`     // "space", "home" or an absolute path
	Sandbox     *settings.Sandbox `json:"sandbox"` // null: no sandbox
	// ModelProxy says whether Weft observes what its model streams; null: if there are variables in Leads.
	ModelProxy *settings.ModelProxy `json:"modelProxy"`
	// Leads are the environment variables through which the model proxy redirects it.
	Leads       []string `json:"leads"`
	Process     string   `json:"process" enum:"shared,perSpace"`             // "shared" (spaces in the same folder share one) or "perSpace"
	Source      string   `json:"source" enum:"builtin,found,custom,catalog"` // "builtin", "found", "custom" or "catalog" (known, not installed)
	Installed   bool     `json:"installed"`
	InstallHint string   `json:"installHint"`
	Default     bool     `json:"default"`
	// SecretEnv has references to the values of secret environment variables, by name.
	SecretEnv map[string]string `json:"secretEnv"`
	LogOut    bool              `json:"logOut"`   // the agent supports it, or Weft has stored variables for it
	Registry  *RegistryRef      `json:"registry"` // if Weft installed it, else null
	Model     *settings.Model   `json:"model"`    // if it is the built-in agent with that model; Command and Args follow from it
	Unasked   *Unasked          `json:"unasked"`  // null: it was not seen to act without asking, or runs in a sandbox
	Tested    *LastTest         `json:"tested"`   // null: not tested yet
	// WholeFrom is the space in which its first message arrived in one piece, until the user answers the offer of the
	// model proxy; else "".
	WholeFrom string `json:"wholeFrom"`
}

// Unasked is the first action that an agent was seen to perform without asking.
type Unasked struct {
	Kind    string `json:"kind" enum:"execute,edit,delete,move"` // execute, edit, delete or move
	About   string `json:"about"`                                // the command, the file or the agent's title, shortened
	SpaceID string `json:"spaceId"`                              // where it happened
	At      int64  `json:"at"`
	Offered bool   `json:"offered"` // the user has not answered the offer of a sandbox
	Problem string `json:"problem"` // why a sandbox isn't possible on this machine; "" if it is, or if none is offered
}

// LastTest is the result of the last test of an agent.
type LastTest struct {
	At      int64  `json:"at"`
	OK      bool   `json:"ok"`
	Name    string `json:"name"` // reported by the agent; "" if it reported none
	Version string `json:"version"`
	Failure string `json:"failure"` // why it failed; empty if it works
	Changed bool   `json:"changed"` // the agent's command or settings have changed since
}

// RegistryRef names an agent of the registry that Weft installed.
type RegistryRef struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// AgentTest is the result of testing an agent.
type AgentTest struct {
	OK              bool                `json:"ok"`
	ProtocolVersion int                 `json:"protocolVersion"`
	Name            string              `json:"name"`
	Version         string              `json:"version"`
	Capabilities    jsontext.Value      `json:"capabilities"` // as the agent sent them
	AuthMethods     []agentauth.Method  `json:"authMethods"`
	DurationMs      int64               `json:"durationMs"`
	Failure         *transcript.Failure `json:"failure"` // Detail holds the last lines of stderr
}

// SaveAgentRequest adds or replaces a custom agent.
type SaveAgentRequest struct {
	ID      string            `json:"id"` // empty: a new agent
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	Process string            `json:"process,omitzero" enum:"shared,perSpace"` // empty: the default
	Sandbox *settings.Sandbox `json:"sandbox,omitzero"`                        // null: no sandbox
	// ModelProxy says whether Weft observes what its model streams; null: if its variables or configuration have a key
	// or an address.
	ModelProxy *settings.ModelProxy `json:"modelProxy,omitzero"`
	// SecretEnv has secret environment variables; null keeps the stored ones.
	SecretEnv map[string]secrets.SecretInput `json:"secretEnv,omitzero"`
	Model     *settings.Model                `json:"model,omitzero"` // instead of Command and Args
	// Find refuses a command that names no program here, as starting it would.
	Find bool `json:"find,omitzero"`
}

// TestAgentRequest tests the agent with AgentID, or one that is not saved yet.
type TestAgentRequest struct {
	AgentID string            `json:"agentId,omitzero"`
	Agent   *SaveAgentRequest `json:"agent,omitzero"`
}

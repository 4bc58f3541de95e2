package agents

import (
	"weft/backend/agentauth"
	"weft/backend/service/secrets"
	"weft/backend/settings"
	"weft/backend/transcript"

	"github.com/go-json-experiment/json/jsontext"
)

// Agent is an agent as the settings screen lists it.
type Agent struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Cwd         string            `json:"cwd"`     // "space", "home" or an absolute path
	Sandbox     *settings.Sandbox `json:"sandbox"` // null: it runs without one
	// ModelProxy is whether Weft reads along what its model writes; null: where there are variables in Leads.
	ModelProxy *settings.ModelProxy `json:"modelProxy"`
	// Leads are the environment variables by which it is led to its models so that Weft can read along.
	Leads       []string `json:"leads"`
	Process     string   `json:"process" enum:"shared,perSpace"`             // "shared" (spaces in the same folder share one) or "perSpace"
	Source      string   `json:"source" enum:"builtin,found,custom,catalog"` // "builtin", "found", "custom" or "catalog" (known, not installed)
	Installed   bool     `json:"installed"`
	InstallHint string   `json:"installHint"`
	Default     bool     `json:"default"`
	// SecretEnv is environment variables whose values are secrets: references by name.
	SecretEnv map[string]string `json:"secretEnv"`
	LogOut    bool              `json:"logOut"`   // the agent offers it, or has kept variables
	Registry  *RegistryRef      `json:"registry"` // where Weft has installed it, else null
	Model     *settings.Model   `json:"model"`    // set where it is Weft's own agent with that model; Command and Args follow from it
	Unasked   *Unasked          `json:"unasked"`  // null: it was not seen to act without asking, or runs in a sandbox
	Tested    *LastTest         `json:"tested"`   // null: it was not tested yet
	// WholeFrom is the space from which its first message came in one piece, while the user has not answered the offer of the model proxy; else "".
	WholeFrom string `json:"wholeFrom"`
}

// Unasked is the first thing that an agent was seen to do without asking.
type Unasked struct {
	Kind    string `json:"kind" enum:"execute,edit,delete,move"` // execute, edit, delete or move
	About   string `json:"about"`                                // the command, the file or the agent's title, shortened
	SpaceID string `json:"spaceId"`                              // in which it was
	At      int64  `json:"at"`
	Offered bool   `json:"offered"` // the user has not answered the offer of a sandbox
	Problem string `json:"problem"` // why no sandbox can be made on this machine now; "" if one can, or if none is offered
}

// LastTest is how the last test of an agent ended.
type LastTest struct {
	At      int64  `json:"at"`
	OK      bool   `json:"ok"`
	Name    string `json:"name"` // what the agent said that it is; empty if it didn't
	Version string `json:"version"`
	Failure string `json:"failure"` // why it failed; empty if it works
	Changed bool   `json:"changed"` // it is started otherwise since
}

// RegistryRef names an agent of the registry that Weft has installed.
type RegistryRef struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// AgentTest is what launching an agent for a look has shown.
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

// SaveAgentRequest adds or replaces the user's own entry of an agent.
type SaveAgentRequest struct {
	ID      string            `json:"id"` // empty: a new one
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	Process string            `json:"process,omitzero" enum:"shared,perSpace"` // empty: as it is by default
	Sandbox *settings.Sandbox `json:"sandbox,omitzero"`                        // null: it runs without one
	// ModelProxy is whether Weft reads along what its model writes; null: where its variables or its configuration show a key or an address.
	ModelProxy *settings.ModelProxy `json:"modelProxy,omitzero"`
	// SecretEnv is more environment variables; null leaves those that are kept as they are.
	SecretEnv map[string]secrets.SecretInput `json:"secretEnv,omitzero"`
	Model     *settings.Model                `json:"model,omitzero"` // instead of Command and Args
	// Find refuses a command that names no program here, as starting it would.
	Find bool `json:"find,omitzero"`
}

// TestAgentRequest launches an agent for a look: the one with AgentID, or one that is
// not saved yet.
type TestAgentRequest struct {
	AgentID string            `json:"agentId,omitzero"`
	Agent   *SaveAgentRequest `json:"agent,omitzero"`
}

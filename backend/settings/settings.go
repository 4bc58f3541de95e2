package settings

import (
	"maps"
	"slices"
)

// GuideID is the id of the built-in agent. A user's entry with this id adjusts the built-in agent, and may leave its
// command empty.
const GuideID = "guide"

// Settings is everything that the user can set. The zero value is invalid; start from [Default].
type Settings struct {
	Schema       string      `json:"$schema,omitempty"`
	DefaultAgent string      `json:"defaultAgent"`         // agent id
	Agents       []Agent     `json:"agents"`               // the user's own entries, including overrides of detected agents
	HiddenAgents []string    `json:"hiddenAgents"`         // ids of detected agents that the user removed
	MCPServers   []MCPServer `json:"mcpServers,omitempty"` // passed to every agent that supports them, or offered by the gateway
	// Registry is the source of the list of agents, see registry.ParseSource. Empty means the public registry.
	Registry string `json:"registry,omitempty"`
	// AgentSecrets are references to the values of environment variables, by agent id and name. The values are stored
	// elsewhere (see backend/settings/secret).
	AgentSecrets map[string]map[string]string `json:"agentSecrets,omitempty"`
	// SecretStore is where new secrets are stored: keychain (also if empty) or file.
	SecretStore string `json:"secretStore,omitempty"`
	// MemberPresets are sets of members for new spaces.
	MemberPresets []Preset `json:"memberPresets,omitempty"`
	Mentions      Mentions `json:"mentions,omitzero"`
	// Recall is the scope of earlier conversations that agents may search: off, space, folder (also if empty) or all.
	Recall string `json:"recall,omitempty"`
	Upkeep
	ToolCalls  ToolCalls  `json:"toolCalls,omitzero"`
	Editor     Editor     `json:"editor,omitzero"`
	Appearance Appearance `json:"appearance"`
}

// Upkeep is the maintenance that Weft does by itself.
type Upkeep struct {
	// Backups is how often Weft makes a backup: daily (also if empty) or off.
	Backups string `json:"backups,omitempty"`
	// Updates is how often Weft checks for newer versions of itself: daily, off, or empty until the user has been
	// asked.
	Updates string `json:"updates,omitempty"`
	// WhenClosed is what Weft does when its window is closed: quit (also if empty) or background.
	WhenClosed string `json:"whenClosed,omitempty"`
}

// Values of [Settings.Recall].
const (
	RecallOff    = "off"
	RecallSpace  = "space"  // the agent's own space
	RecallFolder = "folder" // spaces in the same folder or in one inside of it; the default
	RecallAll    = "all"
)

// Values of [Upkeep.Backups].
const (
	BackupsDaily = "daily" // the default
	BackupsOff   = "off"
)

// Values of [Upkeep.Updates].
const (
	UpdatesDaily = "daily"
	UpdatesOff   = "off"
)

// Values of [Upkeep.WhenClosed].
const (
	ClosedQuit       = "quit"       // the default
	ClosedBackground = "background" // the window is hidden, and agents keep running
)

// BackUpDaily reports whether Weft makes a backup every day.
func (u Upkeep) BackUpDaily() bool { return u.Backups != BackupsOff }

// RecallScope returns the scope of earlier conversations that agents may search.
func (s *Settings) RecallScope() string {
	if s.Recall == "" {
		return RecallFolder
	}
	return s.Recall
}

// Agent is one agent entry of the user.
type Agent struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
	// Cwd is the agent's working directory: "space" (the space's folder, also if empty), "home", or an absolute path.
	Cwd string `json:"cwd,omitempty"`
	// Process tells which spaces share a process of the agent: "shared" (spaces in the same folder, also if empty) or
	// "perSpace" (none).
	Process string `json:"process,omitempty"`
	// Registry marks an agent that Weft has installed. It is nil for others.
	Registry *FromRegistry `json:"registry,omitempty"`
	// Model makes the entry Weft's own agent with that model. Command and Args are then empty.
	Model *Model `json:"model,omitempty"`
	// Sandbox is the sandbox of the agent, or nil if it runs without one.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// ModelProxy is whether Weft reads the responses of the agent's model. If nil, it does if the agent's variables or
	// configuration contain a key or an address of its model.
	ModelProxy *ModelProxy `json:"modelProxy,omitempty"`
}

// FromRegistry identifies the registry entry from which Weft installed an agent.
type FromRegistry struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

func (f *FromRegistry) equal(o *FromRegistry) bool {
	return f == o || f != nil && o != nil && *f == *o
}

// Appearance is how the window looks.
type Appearance struct {
	Theme     string `json:"theme" enum:"system,light,dark"`        // system, light, dark
	Density   string `json:"density" enum:"comfortable,compact"`    // comfortable, compact
	TextScale int    `json:"textScale"`                             // percent, 80 to 150
	Thoughts  string `json:"thoughts" enum:"in-place,top,hidden"`   // in-place, top, hidden
	Language  string `json:"language" enum:"system,en,de,es,zh,ja"` // of the window: system, en, de, es, zh (Simplified Chinese), ja
}

// Allowed values of the enumerated fields.
var (
	themes    = []string{"system", "light", "dark"}
	densities = []string{"comfortable", "compact"}
	thoughts  = []string{"in-place", "top", "hidden"}
	languages = []string{"system", "en", "de", "es", "zh", "ja"}
	processes = []string{"", ProcessShared, ProcessPerSpace}
	stores    = []string{"", "keychain", "file"}
	backups   = []string{"", BackupsDaily, BackupsOff}
	updates   = []string{"", UpdatesDaily, UpdatesOff}
	closings  = []string{"", ClosedQuit, ClosedBackground}
	recalls   = []string{"", RecallOff, RecallSpace, RecallFolder, RecallAll}
)

// Values of Agent.Process.
const (
	ProcessShared   = "shared"
	ProcessPerSpace = "perSpace"
)

// Bounds of Appearance.TextScale, in percent.
const (
	minTextScale = 80
	maxTextScale = 150
)

// Default returns the settings that are in force if the file says nothing.
func Default() Settings {
	return Settings{
		Schema:       "./" + schemaName,
		DefaultAgent: GuideID,
		Agents:       []Agent{},
		HiddenAgents: []string{},
		MCPServers:   []MCPServer{},
		Appearance:   Appearance{Theme: "system", Density: "comfortable", TextScale: 100, Thoughts: "in-place", Language: "system"},
	}
}

// clone returns a deep copy of s. Lists aren't nil, so that a frontend gets [] and not null.
func (s Settings) clone() Settings {
	agents := make([]Agent, len(s.Agents))
	for i, a := range s.Agents {
		a.Args = append([]string{}, a.Args...)
		a.Env = maps.Clone(a.Env)
		if a.Registry != nil {
			from := *a.Registry
			a.Registry = &from
		}
		a.Model, a.Sandbox, a.ModelProxy = a.Model.Clone(), a.Sandbox.Clone(), a.ModelProxy.Clone()
		agents[i] = a
	}
	s.Agents = agents
	s.HiddenAgents = append([]string{}, s.HiddenAgents...)
	servers := make([]MCPServer, len(s.MCPServers))
	for i, m := range s.MCPServers {
		servers[i] = m.clone()
	}
	s.MCPServers = servers
	s.MemberPresets = clonePresets(s.MemberPresets)
	s.ToolCalls = s.ToolCalls.clone()
	s.AgentSecrets = maps.Clone(s.AgentSecrets)
	for id, one := range s.AgentSecrets {
		s.AgentSecrets[id] = maps.Clone(one)
	}
	return s
}

// equal reports whether both have the same settings. Nil and empty lists are the same.
func (s Settings) equal(o Settings) bool {
	return s.Schema == o.Schema && s.DefaultAgent == o.DefaultAgent && s.Appearance == o.Appearance && s.Editor == o.Editor &&
		slices.Equal(s.HiddenAgents, o.HiddenAgents) && s.Mentions == o.Mentions && s.ToolCalls.equal(o.ToolCalls) && slices.EqualFunc(s.MemberPresets, o.MemberPresets, Preset.equal) && s.Registry == o.Registry && s.SecretStore == o.SecretStore && s.Recall == o.Recall && s.Upkeep == o.Upkeep && maps.EqualFunc(s.AgentSecrets, o.AgentSecrets, maps.Equal) &&
		slices.EqualFunc(s.MCPServers, o.MCPServers, MCPServer.equal) &&
		slices.EqualFunc(s.Agents, o.Agents, func(a, b Agent) bool {
			return a.ID == b.ID && a.Name == b.Name && a.Command == b.Command && a.Cwd == b.Cwd && a.Process == b.Process && a.Registry.equal(b.Registry) && a.Model.equal(b.Model) && a.Sandbox.equal(b.Sandbox) && a.ModelProxy.equal(b.ModelProxy) &&
				slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env)
		})
}

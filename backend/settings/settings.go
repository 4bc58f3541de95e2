// Package settings holds the user's settings file.
//
// The file is plain JSON that a user may edit by hand; settings.schema.json
// beside it lets an editor complete and check it. What this room promises:
//
//   - Get never blocks on the disk and always answers with the last good
//     settings, whatever is in the file now.
//   - A file that cannot be read as settings is never changed or replaced. It is
//     reported as a [Problem] with line and column until it is mended.
//   - A write is atomic (a reader sees the old file or the new one), keeps the
//     file's mode and every field that this version does not know.
//   - An edit made outside of Weft is taken over without a restart.
//
// It never stores secrets on its own account and never starts anything.
package settings

import (
	"maps"
	"slices"
)

// GuideID is the id of the built-in agent. A user's entry with this id adjusts
// the built-in agent and so may leave its command empty.
const GuideID = "guide"

// Settings is everything a user can set. The zero value is not valid; start
// from [Default].
type Settings struct {
	Schema       string      `json:"$schema,omitempty"`
	DefaultAgent string      `json:"defaultAgent"`         // agent id
	Agents       []Agent     `json:"agents"`               // the user's own entries, also those that override a found agent
	HiddenAgents []string    `json:"hiddenAgents"`         // ids of found agents that the user removed
	MCPServers   []MCPServer `json:"mcpServers,omitempty"` // handed to every agent that can take them, or passed on by the gateway
	// Registry is where the list of agents comes from, see registry.ParseSource; empty: the public one.
	Registry string `json:"registry,omitempty"`
	// AgentSecrets are environment variables of agents, by agent id and name, whose values are kept
	// elsewhere: what is here is a reference (see backend/secret).
	AgentSecrets map[string]map[string]string `json:"agentSecrets,omitempty"`
	// SecretStore is where new secrets are kept: keychain (also when empty) or file.
	SecretStore string `json:"secretStore,omitempty"`
	// MemberPresets are sets of members that spaces can be made with.
	MemberPresets []Preset `json:"memberPresets,omitempty"`
	Mentions      Mentions `json:"mentions,omitzero"`
	// Recall says which earlier conversations agents may search: off, space, folder (also when empty) or all.
	Recall string `json:"recall,omitempty"`
	Upkeep
	ToolCalls  ToolCalls  `json:"toolCalls,omitzero"`
	Editor     Editor     `json:"editor,omitzero"`
	Appearance Appearance `json:"appearance"`
}

// Upkeep is what Weft does for itself.
type Upkeep struct {
	// Backups says how often Weft backs itself up: daily (also when empty) or off.
	Backups string `json:"backups,omitempty"`
	// Updates says whether Weft looks for newer versions of itself: daily, off, or empty while the user wasn't asked.
	Updates string `json:"updates,omitempty"`
	// WhenClosed says what becomes of Weft when its window is closed: quit (also when empty) or background.
	WhenClosed string `json:"whenClosed,omitempty"`
}

// The values of [Settings.Recall].
const (
	RecallOff    = "off"
	RecallSpace  = "space"  // the agent's own space
	RecallFolder = "folder" // spaces in the same folder or in one inside of it; what is in force if nothing is set
	RecallAll    = "all"
)

// The values of [Upkeep.Backups].
const (
	BackupsDaily = "daily" // what is in force if nothing is set
	BackupsOff   = "off"
)

// The values of [Upkeep.Updates].
const (
	UpdatesDaily = "daily"
	UpdatesOff   = "off"
)

// The values of [Upkeep.WhenClosed].
const (
	ClosedQuit       = "quit"       // what is in force if nothing is set
	ClosedBackground = "background" // the window is hidden, and agents keep running
)

// BackUpDaily reports whether a backup is made each day.
func (u Upkeep) BackUpDaily() bool { return u.Backups != BackupsOff }

// RecallScope returns which earlier conversations agents may search.
func (s *Settings) RecallScope() string {
	if s.Recall == "" {
		return RecallFolder
	}
	return s.Recall
}

// Agent is one agent as the user wrote it down.
type Agent struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
	// Cwd says where the agent runs: "space" (the space's folder, also when
	// empty), "home", or an absolute path.
	Cwd string `json:"cwd,omitempty"`
	// Process says which spaces share a process of the agent: "shared" (those in the same folder, also when
	// empty) or "perSpace" (none).
	Process string `json:"process,omitempty"`
	// Registry marks an agent that Weft has installed; nil: it has not.
	Registry *FromRegistry `json:"registry,omitempty"`
	// Model makes it Weft's own agent with that model; Command and Args are empty then.
	Model *Model `json:"model,omitempty"`
	// Sandbox runs the agent in a sandbox; nil: it runs without one.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// ModelProxy is whether Weft reads along what the agent's model writes; nil: where the agent's variables or its configuration show a key or an
	// address of its model.
	ModelProxy *ModelProxy `json:"modelProxy,omitempty"`
}

// FromRegistry says which agent of the registry Weft has installed.
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

// The values that the enumerated fields may have.
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

// The values of Agent.Process.
const (
	ProcessShared   = "shared"
	ProcessPerSpace = "perSpace"
)

// The bounds of Appearance.TextScale, in percent.
const (
	minTextScale = 80
	maxTextScale = 150
)

// Default is what is in force where the file says nothing.
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

// clone makes a copy that shares nothing with s. Lists come back non-nil, so that
// they are [] and not null where a frontend reads them.
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

// equal reports whether both hold the same settings; nil and empty lists are the same.
func (s Settings) equal(o Settings) bool {
	return s.Schema == o.Schema && s.DefaultAgent == o.DefaultAgent && s.Appearance == o.Appearance && s.Editor == o.Editor &&
		slices.Equal(s.HiddenAgents, o.HiddenAgents) && s.Mentions == o.Mentions && s.ToolCalls.equal(o.ToolCalls) && slices.EqualFunc(s.MemberPresets, o.MemberPresets, Preset.equal) && s.Registry == o.Registry && s.SecretStore == o.SecretStore && s.Recall == o.Recall && s.Upkeep == o.Upkeep && maps.EqualFunc(s.AgentSecrets, o.AgentSecrets, maps.Equal) &&
		slices.EqualFunc(s.MCPServers, o.MCPServers, MCPServer.equal) &&
		slices.EqualFunc(s.Agents, o.Agents, func(a, b Agent) bool {
			return a.ID == b.ID && a.Name == b.Name && a.Command == b.Command && a.Cwd == b.Cwd && a.Process == b.Process && a.Registry.equal(b.Registry) && a.Model.equal(b.Model) && a.Sandbox.equal(b.Sandbox) && a.ModelProxy.equal(b.ModelProxy) &&
				slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env)
		})
}

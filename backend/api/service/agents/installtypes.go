package agents

import (
	"weft/backend/agent/registry"
	"weft/backend/agent/registry/install"
	"weft/backend/conversation/transcript"
)

// Types of the registry: what can be installed, is installed, and is being installed.

// RegistryList is the list of agents that can be installed.
type RegistryList struct {
	Source     string              `json:"source"`  // an address, or "shipped"
	Shipped    bool                `json:"shipped"` // the list shipped with Weft; the source was not reached yet
	FetchedAt  int64               `json:"fetchedAt"`
	CheckedAt  int64               `json:"checkedAt"` // when the source last confirmed the list
	Refreshing bool                `json:"refreshing"`
	Failure    *transcript.Failure `json:"failure"`  // of the last refresh
	Platform   string              `json:"platform"` // of this machine, in the registry's notation
	Folder     string              `json:"folder"`   // where agents are installed
	Agents     []RegistryAgent     `json:"agents"`
	Broken     []registry.Broken   `json:"broken"` // unusable entries
	Installs   []Install           `json:"installs"`
}

// RegistryAgent is one agent of the list.
type RegistryAgent struct {
	registry.Entry
	Revision  string         `json:"revision"`  // identifies this version of the entry
	Platforms []string       `json:"platforms"` // with binaries
	Ways      []RegistryWay  `json:"ways"`      // to install it here; empty: not available for this machine
	Installed *InstalledInfo `json:"installed"`
	Gone      bool           `json:"gone"` // installed, but no longer in the list
}

// RegistryWay is one way to install an agent on this machine.
type RegistryWay struct {
	Kind    registry.Kind     `json:"kind"`
	Origin  string            `json:"origin"`  // the archive's address, or package@version
	SHA256  string            `json:"sha256"`  // from the registry, or empty
	Install []string          `json:"install"` // the command that installs it; empty for a download
	Program string            `json:"program"` // what is started: a path in the archive, or the package's program
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Missing string            `json:"missing"` // a required program that is missing here, or empty
}

// InstalledInfo is an installed agent of the registry.
type InstalledInfo struct {
	Version     string        `json:"version"`
	Update      bool          `json:"update"` // the list has a newer version
	Kind        registry.Kind `json:"kind"`
	Origin      string        `json:"origin"`
	SHA256      string        `json:"sha256"`
	Vouched     bool          `json:"vouched"`
	Bytes       int64         `json:"bytes"`
	Folder      string        `json:"folder"`
	InstalledAt int64         `json:"installedAt"`
	Warning     string        `json:"warning"` // why it may not work, as a sentence
	Agents      []AgentName   `json:"agents"`  // agents that run from it
	Broken      bool          `json:"broken"`  // its folder is missing
}

// AgentName is an agent's id and name.
type AgentName struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command"`
}

// Install is an install in progress, or its end.
type Install struct {
	ID        string              `json:"id"` // in the registry
	Name      string              `json:"name"`
	Version   string              `json:"version"`
	Update    bool                `json:"update"`
	State     string              `json:"state" enum:"running,asking,done,failed,cancelled"` // running, asking, done, failed, cancelled
	Step      string              `json:"step" enum:",download,unpack,packages,scripts"`     // download, unpack, packages, scripts
	Done      int64               `json:"done"`                                              // bytes, or packages
	Total     int64               `json:"total"`                                             // 0 if unknown
	Line      string              `json:"line"`                                              // last output of npm or uv
	StartedAt int64               `json:"startedAt"`
	SHA256    string              `json:"sha256"`  // of the download, once known
	Vouched   bool                `json:"vouched"` // the registry has the same checksum
	AgentID   string              `json:"agentId"` // in the settings, once installed
	Failure   *transcript.Failure `json:"failure"`
	Question  *install.Question   `json:"question"` // to confirm, in progress or after a failure
}

type (
	// RegistryAgentRef names an agent of the registry.
	RegistryAgentRef struct {
		ID string `json:"id"`
	}
	// InstallAgentRequest installs or updates an agent. Revision is the entry that the user saw.
	InstallAgentRequest struct {
		ID       string        `json:"id"`
		Revision string        `json:"revision"`
		Kind     registry.Kind `json:"kind"`
		// Ask makes the install wait for AnswerInstall when something needs confirmation. Otherwise it fails with the
		// code and the token of the question.
		Ask bool `json:"ask,omitzero"`
		// Confirm has the tokens of questions to answer with yes.
		Confirm []string `json:"confirm,omitzero"`
		// SkipScripts answers every question about install scripts with no.
		SkipScripts bool `json:"skipScripts,omitzero"`
	}
	// AnswerInstallRequest answers the open question of an install.
	AnswerInstallRequest struct {
		ID    string `json:"id"`
		Token string `json:"token"` // of the question
		Yes   bool   `json:"yes"`
	}
	// DownloadSizeResult is the size of a download.
	DownloadSizeResult struct {
		Bytes int64 `json:"bytes"` // 0 if the server doesn't say
	}
	// RemoveInstalledRequest removes an installed agent. Stop ends its processes.
	RemoveInstalledRequest struct {
		ID   string `json:"id"`
		Stop bool   `json:"stop"`
	}
)

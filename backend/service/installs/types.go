package installs

import (
	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/transcript"
)

// The shapes of the registry: what can be installed, what is, and what is being.

// RegistryList is the list of agents that can be installed.
type RegistryList struct {
	Source     string              `json:"source"`  // an address, or "shipped"
	Shipped    bool                `json:"shipped"` // the list came with Weft; the source has not been reached yet
	FetchedAt  int64               `json:"fetchedAt"`
	CheckedAt  int64               `json:"checkedAt"` // when the source last said that the list still holds
	Refreshing bool                `json:"refreshing"`
	Failure    *transcript.Failure `json:"failure"`  // of the last refresh
	Platform   string              `json:"platform"` // of this machine, as the registry calls it
	Folder     string              `json:"folder"`   // where agents are installed
	Agents     []RegistryAgent     `json:"agents"`
	Broken     []registry.Broken   `json:"broken"` // entries that cannot be used
	Installs   []Install           `json:"installs"`
}

// RegistryAgent is one agent of the list.
type RegistryAgent struct {
	registry.Entry
	Revision  string         `json:"revision"`  // names exactly this entry
	Platforms []string       `json:"platforms"` // that there are binaries for
	Ways      []RegistryWay  `json:"ways"`      // to install it here; none: not for this machine
	Installed *InstalledInfo `json:"installed"`
	Gone      bool           `json:"gone"` // installed, and not in the list any more
}

// RegistryWay is one way to install an agent on this machine.
type RegistryWay struct {
	Kind    registry.Kind     `json:"kind"`
	Origin  string            `json:"origin"`  // the address of the archive, or package@version
	SHA256  string            `json:"sha256"`  // that the registry vouches for, or empty
	Install []string          `json:"install"` // the command that installs it; empty for a download
	Program string            `json:"program"` // what is started: a path in the archive, or the package's own program
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Missing string            `json:"missing"` // the program that it needs and that is not here, or empty
}

// InstalledInfo is an agent of the registry that Weft has installed.
type InstalledInfo struct {
	Version     string        `json:"version"`
	Update      bool          `json:"update"` // the list has a newer one
	Kind        registry.Kind `json:"kind"`
	Origin      string        `json:"origin"`
	SHA256      string        `json:"sha256"`
	Vouched     bool          `json:"vouched"`
	Bytes       int64         `json:"bytes"`
	Folder      string        `json:"folder"`
	InstalledAt int64         `json:"installedAt"`
	Warning     string        `json:"warning"` // why it may not work, as a sentence
	Agents      []AgentName   `json:"agents"`  // that run from it
	Broken      bool          `json:"broken"`  // its folder is not there any more
}

// AgentName is an agent as a list names it.
type AgentName struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command"`
}

// Install is one installation: in progress, or as it ended.
type Install struct {
	ID        string              `json:"id"` // the registry's
	Name      string              `json:"name"`
	Version   string              `json:"version"`
	Update    bool                `json:"update"`
	State     string              `json:"state" enum:"running,asking,done,failed,cancelled"` // running, asking, done, failed, cancelled
	Step      string              `json:"step" enum:",download,unpack,packages,scripts"`     // download, unpack, packages, scripts
	Done      int64               `json:"done"`                                              // bytes, or packages
	Total     int64               `json:"total"`                                             // 0 if nobody knows
	Line      string              `json:"line"`                                              // the last that npm or uv said
	StartedAt int64               `json:"startedAt"`
	SHA256    string              `json:"sha256"`  // of what was downloaded, once it was
	Vouched   bool                `json:"vouched"` // the registry told the same one
	AgentID   string              `json:"agentId"` // of the settings, once it is installed
	Failure   *transcript.Failure `json:"failure"`
	Question  *install.Question   `json:"question"` // to confirm: while it is asking, or why it failed
}

type (
	// RegistryAgentRef names an agent of the registry.
	RegistryAgentRef struct {
		ID string `json:"id"`
	}
	// InstallAgentRequest installs or updates an agent, as the user has seen its entry.
	InstallAgentRequest struct {
		ID       string        `json:"id"`
		Revision string        `json:"revision"`
		Kind     registry.Kind `json:"kind"`
		// Ask makes the install wait for AnswerInstall where something has to be confirmed. Without it the install fails
		// with the code and the token of the question.
		Ask bool `json:"ask,omitzero"`
		// Confirm are tokens of questions that are answered with yes.
		Confirm []string `json:"confirm,omitzero"`
		// SkipScripts answers every question about install scripts with no.
		SkipScripts bool `json:"skipScripts,omitzero"`
	}
	// AnswerInstallRequest is the answer to the open question of an install.
	AnswerInstallRequest struct {
		ID    string `json:"id"`
		Token string `json:"token"` // of the question as it was shown
		Yes   bool   `json:"yes"`
	}
	// DownloadSizeResult is how large a download is.
	DownloadSizeResult struct {
		Bytes int64 `json:"bytes"` // 0 if its server does not tell
	}
	// RemoveInstalledRequest removes an installed agent. Stop ends what runs from it.
	RemoveInstalledRequest struct {
		ID   string `json:"id"`
		Stop bool   `json:"stop"`
	}
)

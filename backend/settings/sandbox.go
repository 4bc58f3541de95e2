package settings

import (
	"path/filepath"
	"slices"

	"weft/backend/base/fault"
)

// Sandbox is the sandbox in which an agent runs, and what it may do there apart from working in the space's folder.
type Sandbox struct {
	// Network is "allowed" (also if empty) or "blocked".
	Network string `json:"network,omitempty" enum:"allowed,blocked"`
	// Writable are further folders and files, as absolute paths, that the agent may write.
	Writable []string `json:"writable,omitempty"`
}

// NetworkBlocked is a value of Sandbox.Network.
const NetworkBlocked = "blocked"

// Wrong returns what is wrong with the settings as the end of a sentence, or "".
func (s *Sandbox) Wrong() fault.Said {
	if !slices.Contains([]string{"", "allowed", NetworkBlocked}, s.Network) {
		return fault.Say(`its network must be "allowed" or "blocked"`)
	}
	for _, path := range s.Writable {
		if !filepath.IsAbs(path) {
			return fault.Say("its writable paths must be absolute")
		}
	}
	return ""
}

// Clone returns a deep copy, or nil for nil.
func (s *Sandbox) Clone() *Sandbox {
	if s == nil {
		return nil
	}
	return &Sandbox{Network: s.Network, Writable: slices.Clone(s.Writable)}
}

func (s *Sandbox) equal(o *Sandbox) bool {
	return s == o || s != nil && o != nil && s.Network == o.Network && slices.Equal(s.Writable, o.Writable)
}

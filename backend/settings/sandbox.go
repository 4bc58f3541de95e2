package settings

import (
	"path/filepath"
	"slices"

	"weft/backend/fault"
)

// Sandbox says that an agent runs in a sandbox, and what it may do there beside its work in the space's folder.
type Sandbox struct {
	// Network is "allowed" (also when empty) or "blocked".
	Network string `json:"network,omitempty" enum:"allowed,blocked"`
	// Writable are more folders and files that it can write: absolute paths.
	Writable []string `json:"writable,omitempty"`
}

// NetworkBlocked is a value of Sandbox.Network.
const NetworkBlocked = "blocked"

// Wrong returns what is wrong with it as the end of a sentence, "" if nothing is.
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

// Clone returns a copy that shares nothing with it; nil of nil.
func (s *Sandbox) Clone() *Sandbox {
	if s == nil {
		return nil
	}
	return &Sandbox{Network: s.Network, Writable: slices.Clone(s.Writable)}
}

func (s *Sandbox) equal(o *Sandbox) bool {
	return s == o || s != nil && o != nil && s.Network == o.Network && slices.Equal(s.Writable, o.Writable)
}

package settings

import (
	"slices"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/fault"
)

// ModelProxy is the user's settings for Weft's proxy between an agent and its model.
type ModelProxy struct {
	// Off turns the proxy off for this agent.
	Off bool `json:"off,omitzero"`
	// Variables are further environment variables of the agent that contain the address of a model.
	Variables []string `json:"variables,omitempty"`
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Wrong returns what is wrong with the settings as the end of a sentence, or "".
func (p *ModelProxy) Wrong() fault.Said {
	for _, name := range p.Variables {
		if !variableName.MatchString(name) {
			return fault.Say("its variables must be names of environment variables")
		}
	}
	return ""
}

// Clone returns a deep copy, or nil for nil.
func (p *ModelProxy) Clone() *ModelProxy {
	if p == nil {
		return nil
	}
	return &ModelProxy{Off: p.Off, Variables: slices.Clone(p.Variables)}
}

func (p *ModelProxy) equal(o *ModelProxy) bool {
	return p == o || p != nil && o != nil && p.Off == o.Off && slices.Equal(p.Variables, o.Variables)
}

package settings

import (
	"slices"

	"weft/backend/lazyregexp"

	"weft/backend/fault"
)

// ModelProxy is what the user has decided about Weft being between an agent and its model, and reading along.
type ModelProxy struct {
	// Off: Weft never is.
	Off bool `json:"off,omitzero"`
	// Variables are more environment variables of the agent that hold the address of a model.
	Variables []string `json:"variables,omitempty"`
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Wrong returns what is wrong with it as the end of a sentence, "" if nothing is.
func (p *ModelProxy) Wrong() fault.Said {
	for _, name := range p.Variables {
		if !variableName.MatchString(name) {
			return fault.Say("its variables must be names of environment variables")
		}
	}
	return ""
}

// Clone returns a copy that shares nothing with it; nil of nil.
func (p *ModelProxy) Clone() *ModelProxy {
	if p == nil {
		return nil
	}
	return &ModelProxy{Off: p.Off, Variables: slices.Clone(p.Variables)}
}

func (p *ModelProxy) equal(o *ModelProxy) bool {
	return p == o || p != nil && o != nil && p.Off == o.Off && slices.Equal(p.Variables, o.Variables)
}

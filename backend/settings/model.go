package settings

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/llm/provider"
)

// Model is a language model and where to reach it. Its key is in [Settings.AgentSecrets].
type Model struct {
	Provider string `json:"provider"`          // id, see backend/llm/provider
	Model    string `json:"model,omitempty"`   // the provider's name for it; empty for the provider's default
	BaseURL  string `json:"baseUrl,omitempty"` // empty for the provider's own
	API      string `json:"api,omitempty"`     // one of the provider's APIs; empty for the default
}

// maxModelName is the length limit for the name of a model, in bytes.
const maxModelName = 300

// Wrong returns what is wrong with a model, as the end of a sentence that begins with "The model", or "".
func (m Model) Wrong() fault.Said {
	p, known := provider.ByID(m.Provider)
	u, err := url.Parse(m.BaseURL)
	switch {
	case !known:
		return fault.Say("has the provider {{name}}; it must be one of {{names}}.", strconv.Quote(m.Provider), provider.IDs())
	case len(m.Model) > maxModelName || strings.ContainsFunc(m.Model, func(r rune) bool { return r < ' ' }):
		return fault.Say("has a name that is too long, or contains a line break.")
	case m.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return fault.Say("needs an address (baseUrl) that begins with http:// or https://.")
	case u != nil && u.User != nil:
		return fault.Say("has a name or a password in its address (baseUrl). Keep the key as a secret instead.")
	case m.API != "" && !slices.Contains(p.APIs, m.API):
		return fault.Say("has the api {{api}}, which {{name}} doesn't have.", strconv.Quote(m.API), p.Name)
	}
	return ""
}

// Clone returns a deep copy, or nil for nil.
func (m *Model) Clone() *Model {
	if m == nil {
		return nil
	}
	c := *m
	return &c
}

func (m *Model) equal(o *Model) bool { return m == o || m != nil && o != nil && *m == *o }

package transcript

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tokens counts the tokens of one or more requests to a model, with the protocol's names.
type Tokens struct {
	Input       int64 `json:"inputTokens"`
	Output      int64 `json:"outputTokens"`
	Total       int64 `json:"totalTokens"`
	Thought     int64 `json:"thoughtTokens,omitzero"`
	CachedRead  int64 `json:"cachedReadTokens,omitzero"`
	CachedWrite int64 `json:"cachedWriteTokens,omitzero"`
}

// Add adds the tokens of another request.
func (t *Tokens) Add(o Tokens) {
	t.Input, t.Output, t.Total = t.Input+o.Input, t.Output+o.Output, t.Total+o.Total
	t.Thought, t.CachedRead, t.CachedWrite = t.Thought+o.Thought, t.CachedRead+o.CachedRead, t.CachedWrite+o.CachedWrite
}

// JSON returns the usage of a turn in the protocol's format, nil without tokens.
func (t *Tokens) JSON() jsontext.Value {
	if *t == (Tokens{}) {
		return nil
	}
	b, err := json.Marshal(t)
	if err != nil {
		return nil // can't happen: numbers only
	}
	return b
}

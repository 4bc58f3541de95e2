// Package mapper makes the mapper of a provider. It is apart from the table of providers, so that rooms which only
// read the table do not carry the providers' SDKs.
package mapper

import (
	"strconv"

	"weft/backend/builtin/guide"
	"weft/backend/llm"
	"weft/backend/llm/anthropic"
	"weft/backend/llm/google"
	"weft/backend/llm/ollama"
	"weft/backend/llm/openai"
	"weft/backend/llm/provider"
)

var all = map[string]func(llm.Options) llm.Model{
	provider.OpenAI:    openai.New,
	provider.Anthropic: anthropic.New,
	provider.Google:    google.New,
	provider.Ollama:    ollama.New,
	provider.Guide:     func(llm.Options) llm.Model { return guide.New() },
}

// New makes the model of a provider, by its id. It connects to nobody. Its error is an *[llm.Error].
func New(id string, opt llm.Options) (llm.Model, error) {
	p, ok := provider.ByID(id)
	if !ok {
		return nil, llm.Fail(llm.CodeModel, "There is no provider {{provider}}. The providers are {{providers}}.", strconv.Quote(id), provider.IDs())
	}
	create, ok := all[id]
	if !ok {
		return nil, llm.Fail(llm.CodeModel, "This version of Weft can't use {{provider}}.", p.Name)
	}
	return create(opt), nil
}

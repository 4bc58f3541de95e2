package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// The names of token counts in _meta.
var (
	usageNames  = []string{"usage", "tokenUsage", "token_usage", "tokens", "token_count"}
	tokenFields = []struct {
		names []string
		of    func(*transcript.Tokens) *int64
	}{
		{[]string{"inputTokens", "input_tokens", "promptTokens", "prompt_tokens", "promptTokenCount"}, func(t *transcript.Tokens) *int64 { return &t.Input }},
		{[]string{"outputTokens", "output_tokens", "completionTokens", "completion_tokens", "candidatesTokenCount"}, func(t *transcript.Tokens) *int64 { return &t.Output }},
		{[]string{"totalTokens", "total_tokens", "totalTokenCount"}, func(t *transcript.Tokens) *int64 { return &t.Total }},
		{[]string{"thoughtTokens", "reasoningTokens", "reasoningOutputTokens", "thought_tokens", "reasoning_tokens", "thoughtsTokenCount"}, func(t *transcript.Tokens) *int64 { return &t.Thought }},
		{[]string{"cachedReadTokens", "cachedInputTokens", "cacheReadInputTokens", "cache_read_input_tokens", "cached_tokens", "cachedContentTokenCount"}, func(t *transcript.Tokens) *int64 { return &t.CachedRead }},
		{[]string{"cachedWriteTokens", "cacheWriteInputTokens", "cacheCreationInputTokens", "cache_creation_input_tokens"}, func(t *transcript.Tokens) *int64 { return &t.CachedWrite }},
	}
)

// tokensIn returns the token counts in the _meta of an update, or nil.
func tokensIn(meta []byte) *transcript.Tokens {
	for _, name := range usageNames {
		if t := tokensOf(scan.Member(meta, name)); t != nil {
			return t
		}
	}
	return nil
}

func tokensOf(v []byte) *transcript.Tokens {
	if len(v) == 0 || v[0] != '{' {
		return nil
	}
	var t transcript.Tokens
	for _, f := range tokenFields {
		for _, name := range f.names {
			if n, ok := scan.Integer(scan.Member(v, name)); ok && n > 0 {
				*f.of(&t) = int64(n)
				break
			}
		}
	}
	if t.Input+t.Output == 0 {
		return nil
	}
	if t.Total == 0 {
		t.Total = t.Input + t.Output
	}
	return &t
}

// usageInMeta returns the usage of a turn from the _meta of the response, or nil.
func usageInMeta(raw jsontext.Value) jsontext.Value {
	meta := scan.Member(raw, "_meta")
	if scan.Null(meta) {
		return nil
	}
	t := tokensIn(meta)
	if t == nil {
		t = tokensIn(scan.Member(meta, "quota"))
	}
	if t == nil {
		return nil
	}
	return t.JSON()
}

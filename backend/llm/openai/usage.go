package openai

import "weft/backend/llm"

// chatUsage counts tokens, in the several ways that servers tell it.
type chatUsage struct {
	PromptTokens        int64   `json:"prompt_tokens"`
	CompletionTokens    int64   `json:"completion_tokens"`
	Cost                float64 `json:"cost"`                    // OpenRouter, in its credits, which are US dollars
	PromptCacheHits     int64   `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptTokensDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// into replaces what was told before: servers count up.
func (u chatUsage) into(usage *llm.Usage) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return
	}
	*usage = llm.Usage{
		Input: u.PromptTokens, CacheRead: max(u.PromptTokensDetails.CachedTokens, u.PromptCacheHits), CacheWrite: u.PromptTokensDetails.CacheWriteTokens,
		Output: u.CompletionTokens, Thinking: u.CompletionTokensDetails.ReasoningTokens, Cost: u.Cost,
	}
}

type responsesUsage struct {
	InputTokens        int64   `json:"input_tokens"`
	OutputTokens       int64   `json:"output_tokens"`
	Cost               float64 `json:"cost"`
	InputTokensDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputTokensDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u responsesUsage) usage() llm.Usage {
	return llm.Usage{
		Input: u.InputTokens, CacheRead: u.InputTokensDetails.CachedTokens, CacheWrite: u.InputTokensDetails.CacheWriteTokens,
		Output: u.OutputTokens, Thinking: u.OutputTokensDetails.ReasoningTokens, Cost: u.Cost,
	}
}

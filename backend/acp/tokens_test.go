package acp

import (
	"testing"

	"weft/backend/conversation/transcript"
)

// TestTokensInMeta: agents that tell no usage of a turn tell the tokens of each request with an empty chunk, or in the _meta of
// the answer.
func TestTokensInMeta(t *testing.T) {
	for meta, want := range map[string]transcript.Tokens{
		`{"usage":{"inputTokens":1234,"outputTokens":65,"totalTokens":1299,"thoughtTokens":0,"cachedReadTokens":1024},"durationMs":3794}`: {Input: 1234, Output: 65, Total: 1299, CachedRead: 1024},
		`{"token_usage":{"prompt_tokens":10,"completion_tokens":2}}`:                                                                      {Input: 10, Output: 2, Total: 12},
		`{"quota":1}`:      {},
		`{"usage":"much"}`: {},
		`{"usage":{"inputTokens":-3,"outputTokens":"x"}}`: {},
	} {
		var seen []transcript.Tokens
		for _, in := range decodeAll(false, wrap(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":`+meta+`}`)) {
			if in.Update.Tokens != nil {
				seen = append(seen, *in.Update.Tokens)
			}
		}
		if (want == transcript.Tokens{}) != (len(seen) == 0) || len(seen) == 1 && seen[0] != want || len(seen) > 1 {
			t.Errorf("%s: %+v", meta, seen)
		}
	}
	for raw, want := range map[string]string{
		`{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"totalTokens":2513,"inputTokens":403,"cachedInputTokens":2048,"outputTokens":62}}}}`: `{"inputTokens":403,"outputTokens":62,"totalTokens":2513,"cachedReadTokens":2048}`,
		`{"stopReason":"end_turn","usage":{"inputTokens":1},"_meta":{"usage":{"inputTokens":7}}}`:                                                       `{"inputTokens":1}`,
		`{"stopReason":"end_turn"}`: ``,
	} {
		if got := string(ReadPrompt([]byte(raw)).Usage); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}

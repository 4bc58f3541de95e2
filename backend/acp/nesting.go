package acp

import "weft/backend/transcript"

// Whose doing something is is in _meta, and every agent has a way of its own to say it. What is not
// known here stays flat.

// parentOf reads the id of the tool call that a sub-agent's doings belong to: claude's and Weft's own way,
// and qwen's, which is in _meta itself.
func parentOf(meta []byte) string {
	for name, value := range fields(meta) {
		v := value
		switch string(name) {
		case "claudeCode":
			v = member(value, "parentToolUseId")
		case "weft":
			v = member(value, "parentToolCallId")
		case "parentToolCallId", "parentToolUseId":
		default:
			continue
		}
		if s, ok := text(v); ok && s != "" {
			return s
		}
	}
	return ""
}

// threadOf reads the sub-agent that codex names by its thread: _meta.codex.subagent {threadId, path,
// activity}, or subAgent {agentThreadId} of other versions.
func threadOf(meta []byte) (t transcript.Thread) {
	codex := member(meta, "codex")
	if null(codex) {
		return t
	}
	for name, value := range fields(codex) {
		switch string(name) {
		case "subagent":
			t.ID, _ = text(member(value, "threadId"))
			t.Path, _ = text(member(value, "path"))
		case "subAgent":
			t.ID, _ = text(member(value, "agentThreadId"))
		}
	}
	return t
}

package acp

import (
	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// Whose doing something is is in _meta, and every agent has a way of its own to say it. What is not
// known here stays flat.

// parentOf reads the id of the tool call that a sub-agent's doings belong to: claude's and Weft's own way,
// and qwen's, which is in _meta itself.
func parentOf(meta []byte) string {
	for name, value := range scan.Fields(meta) {
		v := value
		switch string(name) {
		case "claudeCode":
			v = scan.Member(value, "parentToolUseId")
		case "weft":
			v = scan.Member(value, "parentToolCallId")
		case "parentToolCallId", "parentToolUseId":
		default:
			continue
		}
		if s, ok := scan.Text(v); ok && s != "" {
			return s
		}
	}
	return ""
}

// threadOf reads the sub-agent that codex names by its thread: _meta.codex.subagent {threadId, path,
// activity}, or subAgent {agentThreadId} of other versions.
func threadOf(meta []byte) (t transcript.Thread) {
	codex := scan.Member(meta, "codex")
	if scan.Null(codex) {
		return t
	}
	for name, value := range scan.Fields(codex) {
		switch string(name) {
		case "subagent":
			t.ID, _ = scan.Text(scan.Member(value, "threadId"))
			t.Path, _ = scan.Text(scan.Member(value, "path"))
		case "subAgent":
			t.ID, _ = scan.Text(scan.Member(value, "agentThreadId"))
		}
	}
	return t
}

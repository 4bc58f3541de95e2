package acp

import (
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// Agents name the sub-agent behind an update in _meta, each in a different form. An update in an unknown
// form counts as the main agent's.

// parentOf returns the id of the tool call whose sub-agent sent an update, or "". It reads the forms of
// claude and Weft's own agent, and that of qwen, which is in _meta itself.
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

// threadOf returns the thread of a codex sub-agent: _meta.codex.subagent {threadId, path, activity},
// or in other versions subAgent {agentThreadId}.
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

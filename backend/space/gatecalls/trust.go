package gatecalls

import "weft/backend/conversation/transcript"

// Trust decides whether tool names in an agent's updates are trusted. An agent asks for permission before the call
// arrives at the gateway, and the name in the request proves nothing. Names count only if the agent has reached the
// gateway with its session's token, and only while every call that was allowed by name has arrived (decision 0017).
type Trust struct {
	reached bool              // the agent has listed or called tools with the token
	doubted bool              // a call didn't arrive
	came    map[string]int    // calls that have arrived, by tool
	allowed map[string]string // calls that were allowed by name: call id to tool
}

// Counts reports whether names are trusted.
func (t *Trust) Counts() bool { return t.reached && !t.doubted }

// Reached records that the agent reached the gateway. tool is the tool it called, or "".
func (t *Trust) Reached(tool string) {
	if t.reached = true; tool == "" {
		return
	}
	if t.came == nil {
		t.came = map[string]int{}
	}
	t.came[tool]++
}

// Allow records that a call was allowed by the name of its tool.
func (t *Trust) Allow(id, tool string) {
	if t.allowed == nil {
		t.allowed = map[string]string{}
	}
	if len(t.allowed) < MaxCalls {
		t.allowed[id] = tool
	}
}

// Ended processes an update of a call. If the call was allowed by name and completed without having arrived, names
// don't count from then on, and the first time it returns the tool. Otherwise it returns "".
func (t *Trust) Ended(p *transcript.ToolPatch) (lost string) {
	tool := t.allowed[p.ID]
	if tool == "" || p.Status == nil || !p.Status.Ended() {
		return ""
	}
	delete(t.allowed, p.ID)
	switch {
	case *p.Status != transcript.StatusCompleted:
		return ""
	case t.came[tool] > 0:
		t.came[tool]--
		return ""
	case t.doubted:
		return ""
	}
	t.doubted = true
	return tool
}

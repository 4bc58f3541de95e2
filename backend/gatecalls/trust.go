package gatecalls

import "weft/backend/transcript"

// Trust says whether the names that an agent gives to its calls count. An agent asks for permission before a call arrives at the gateway and names the
// tool itself, which proves nothing: names count only from an agent that has reached the gateway with its session's token, and
// only as long as each call that was allowed by its name has arrived (decision 0017).
type Trust struct {
	reached bool              // the agent has listed or called the tools with the token
	doubted bool              // a call has not arrived
	came    map[string]int    // calls that have arrived, by tool
	allowed map[string]string // calls that were allowed by name: the tools by the ids of the calls
}

// Counts reports whether names count.
func (t *Trust) Counts() bool { return t.reached && !t.doubted }

// Reached notes that the agent has reached the gateway, with a call of a tool unless that is "".
func (t *Trust) Reached(tool string) {
	if t.reached = true; tool == "" {
		return
	}
	if t.came == nil {
		t.came = map[string]int{}
	}
	t.came[tool]++
}

// Allow notes that a call was allowed by the name of its tool.
func (t *Trust) Allow(id, tool string) {
	if t.allowed == nil {
		t.allowed = map[string]string{}
	}
	if len(t.allowed) < MaxCalls {
		t.allowed[id] = tool
	}
}

// Ended takes what the agent says about a call. It returns the tool of a call that was allowed by its name, has been completed and has not
// arrived, the first time: names don't count from then on. Else it returns "".
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

package transcript

import (
	"fmt"
	"testing"
)

// What is kept for late updates is bounded by calls, too: an agent that works for a day must not grow with each turn.
func TestEndedTurnsWithManyCallsAreForgotten(t *testing.T) {
	t.Parallel()
	done, running := StatusCompleted, StatusRunning
	var box Outbox
	var m messages
	for turn := range 30 {
		f := NewFold(&box, MessageStart{MessageID: fmt.Sprint(turn), RunID: fmt.Sprint(turn), Role: RoleAgent})
		m.add(f)
		for call := range 100 {
			status := &done
			if turn == 25 && call == 7 {
				status = &running
			}
			f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: fmt.Sprintf("%d-%d", turn, call), Status: status}}, 1)
		}
		if turn != 25 {
			f.End("end_turn", nil, 2)
		}
		box.Take()
	}
	kept := 0
	for _, f := range m.past {
		kept += f.calls.count()
	}
	if kept > keptCalls+100 {
		t.Errorf("%d calls are kept", kept)
	}
	for id, want := range map[string]bool{"29-0": true, "28-99": true, "27-5": true, "25-7": true, "24-0": false, "0-0": false} {
		if got := m.with(id) != nil; got != want {
			t.Errorf("%s is known: %v", id, got)
		}
	}
}

//go:build linux

package systemtest

import (
	"testing"

	"weft/backend/conversation/transcript"
)

func init() { addScript("shrugs", shrugs) }

// shrugs leaves a call open when it is stopped, and ends its turn as if it had not been.
func shrugs(a *scripted) {
	a.open()
	a.prompt()
	a.call("t1", "Digging", "pending")
	a.method("session/cancel")
	a.end("end_turn")
	a.prompt()
}

func TestStopAnsweredWithEndTurnCancelsOpenCalls(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "shrugs")
	r.send(t, "dig")
	r.st.until(t, "the call", func(v *seen) bool { return v.call("t1").Status == transcript.StatusPending })
	a.do(t, "StopRun", r.ref(), nil)
	r.ended(t, "end_turn")
	r.st.now(func(v *seen) {
		if c := v.call("t1"); c.Status != transcript.StatusCancelled || c.Summary != "" {
			t.Errorf("the call that was open is %s, %q", c.Status, c.Summary)
		}
	})
	r.kept(t)
}

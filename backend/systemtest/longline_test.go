//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// heavy answers each prompt, KIND BYTES, with one line that holds about so many bytes.
func heavy(a *scripted) {
	a.open()
	for {
		kind, size, _ := strings.Cut(a.prompt(), " ")
		n, _ := strconv.Atoi(size)
		const unit = "A line of a long file, with some words.\\n"
		long := `"` + strings.Repeat(unit, n/len(unit)) + `"`
		switch kind {
		case "text":
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + long + `}}`)
		case "thought":
			a.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":` + long + `}}`)
		case "content":
			a.call("c", "reads", "in_progress")
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":` + long + `}}]}`)
		case "output":
			a.call("o", "reads", "in_progress")
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"o","status":"completed","rawOutput":{"text":` + long + `}}`)
		}
		long = ""
		runtime.GC()
		a.end("end_turn")
	}
}

// What one long line costs beyond what the app needs anyway: the highest resident memory of the process, as the system
// counts it.
func TestLongLineCostsAtMostThreeTimesItsSize(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of megabytes")
	}
	const size = 60_000_000
	for _, kind := range []string{"text", "thought", "content", "output"} {
		t.Run(kind, func(t *testing.T) {
			a := launch(t, t.TempDir())
			r := a.scripted(t, "heavy")
			r.turn(t, "text 1000000", "end_turn")
			pid := a.cmd.Process.Pid
			// The peak so far is forgotten.
			if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600); err != nil {
				t.Skip("the system can't forget the highest memory of a process: ", err)
			}
			before, _ := memory(t, pid)
			r.turn(t, kind+" "+strconv.Itoa(size), "end_turn")
			_, highest := memory(t, pid)
			t.Logf("%s: %d MB before, at most %d MB: %.2f × the line", kind, before>>20, highest>>20, float64(highest-before)/size)
			if highest-before > 3*size {
				t.Errorf("a line of %d MB took %d MB", size>>20, (highest-before)>>20)
			}
			a.stop(t)
		})
	}
}

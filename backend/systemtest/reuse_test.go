//go:build linux

package systemtest

import (
	"strings"
	"testing"
)

func init() { addScript("reuses", reuses) }

// reuses does three things under one id: the first is refused, the second and the third are allowed, and the third is the second once more. What it
// has completed is announced again, as some agents do.
func reuses(a *scripted) {
	a.open()
	a.prompt()
	begin := func(command string) {
		a.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":` + quote(command) + `,"kind":"execute","status":"pending","rawInput":{"command":` + quote(command) + `}}`)
	}
	for i, command := range []string{"rm -rf build", "ls", "ls"} {
		begin(command)
		id := quote("ask-" + command + strings.Repeat("!", i))
		a.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":` + quote(command) +
			`,"rawInput":{"command":` + quote(command) + `}},"options":` + yesNo + `}}`)
		if strings.Contains(outcome(a.answer(id)), "no") {
			a.callUpdate("c", "failed", content("The user said no."))
			continue
		}
		a.callUpdate("c", "completed", content("output of "+command+strings.Repeat("!", i)))
	}
	begin("ls")
	a.callUpdate("c", "completed", content("output of ls!!"))
	a.end("end_turn")
	a.prompt()
	a.callUpdate("c", "completed", content("late output"))
	begin("pwd")
	a.callUpdate("c", "completed", "")
	a.end("end_turn")
	a.prompt()
}

// TestCallIDUsedAgainIsAnotherRow: what was refused stays what it is when the agent uses its id again, in the stored conversation and in exports.
func TestCallIDUsedAgainIsAnotherRow(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "reuses")
	r.st.reset()
	r.send(t, "go")
	for n, option := range []string{"no", "yes", "yes"} {
		r.allow(t, n, option)
	}
	r.ended(t, "end_turn")
	r.turn(t, "go on", "end_turn")
	r.looks(t, `
	user 
	  text  "go"
	agent end_turn
	  group
	    c rejected "rm -rf build" ?selectedno
	    c~2 completed "ls" ?selectedyes
	    c~3 completed "ls" ?selectedyes
	user 
	  text  "go on"
	agent end_turn
	  group
	    c completed "pwd"`)
	r.st.now(func(v *seen) {
		for id, want := range map[string]string{"c~2": "output of ls!", "c~3": "late output"} {
			if got := callOf(v.conv.Messages[1], id).Content; len(got) != 1 || got[0].Text != want {
				t.Errorf("%s has %+v, want %q", id, got, want)
			}
		}
	})
	r.check(t)
	for _, format := range exportFormats {
		file, torn, err := r.export(format)
		if err != nil || torn {
			t.Fatal(format, torn, err)
		}
		if n := strings.Count(string(file), "rm -rf build"); n == 0 || !strings.Contains(string(file), "output of ls!") {
			t.Errorf("%s leaves something out: %d", format, n)
		}
	}
}

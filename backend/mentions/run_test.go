package mentions

import (
	"testing"
	"time"

	"weft/backend/fault"
	"weft/backend/transcript"
)

func TestRunTellsTheOneThatWaitsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		done    transcript.RunCompleted
		stopped bool
		reply   string
		code    string
	}{
		"said":    {done: transcript.RunCompleted{StopReason: "end_turn"}, reply: "one\n\ntwo"},
		"stopped": {done: transcript.RunCompleted{StopReason: "end_turn"}, stopped: true, code: "cancelled"},
		"failed":  {done: transcript.RunCompleted{StopReason: "error", Error: &transcript.Failure{Message: "No."}}, code: "failed"},
	} {
		w := NewReplyWaiter()
		r := NewRun(nil, 2, w, time.UnixMilli(0))
		awaited := r.Awaited()
		r.Words.Add("one")
		r.Words.Gap()
		r.Words.Add("two")
		tell := r.Ended(&c.done, c.stopped)
		if tell == nil || !awaited || r.Awaited() || r.Ended(&c.done, c.stopped) != nil {
			t.Fatalf("%s: nobody is told, or twice", name)
		}
		tell()
		reply, err := w.Await(t.Context(), time.Hour, "it")
		if reply != c.reply || fault.CodeOf(err) != c.code || c.code == "failed" && err.Error() != "It failed: No." {
			t.Errorf("%s: %q, %v", name, reply, err)
		}
	}
	quiet := NewRun(nil, 0, nil, time.UnixMilli(0))
	if quiet.Ended(&transcript.RunCompleted{}, false) != nil {
		t.Error("someone is told, and nobody waits")
	}
}

func TestRunOfAMentionSpendsTheBudgetOfItsPrompt(t *testing.T) {
	t.Parallel()
	budget := NewBudget(time.UnixMilli(0))
	if r := NewRun(budget, 1, nil, time.UnixMilli(5)); r.Budget != budget {
		t.Error("it has another budget")
	}
	if r := NewRun(nil, 0, nil, time.UnixMilli(5)); r.Budget == nil {
		t.Error("a prompt of the user has none")
	}
}

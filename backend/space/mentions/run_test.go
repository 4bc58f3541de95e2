package mentions

import (
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
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

func TestTextOfARunIsKeptWhileSomeoneWaits(t *testing.T) {
	t.Parallel()
	text := func(change func(*transcript.Update)) *transcript.Update {
		u := &transcript.Update{Kind: transcript.UpdateText, Text: "said"}
		if change != nil {
			change(u)
		}
		return u
	}
	for name, c := range map[string]struct {
		update          *transcript.Update
		waits           *ReplyWaiter
		byTool, replies bool
		words           string
		thought         bool // want a thought
	}{
		"for the run":           {update: text(nil), waits: NewReplyWaiter(), words: "said"},
		"for any reply":         {update: text(nil), replies: true, words: "said"},
		"nobody waits":          {update: text(nil)},
		"a notice":              {update: text(func(u *transcript.Update) { u.Notice = true }), replies: true},
		"not a text":            {update: text(func(u *transcript.Update) { u.Block = &transcript.Content{} }), replies: true},
		"of a call":             {update: text(func(u *transcript.Update) { u.ParentToolCallID = "1" }), replies: true},
		"a thought":             {update: text(func(u *transcript.Update) { u.Kind = transcript.UpdateThought }), replies: true},
		"it speaks by tool":     {update: text(nil), replies: true, byTool: true, thought: true},
		"a notice, and by tool": {update: text(func(u *transcript.Update) { u.Notice = true }), byTool: true},
	} {
		r := NewRun(nil, 0, c.waits, time.UnixMilli(0))
		was := *c.update
		if got := r.Said(c.update, c.byTool, c.replies); r.Words.String() != c.words || c.thought && got.Kind != transcript.UpdateThought || !c.thought && got != c.update {
			t.Errorf("%s: it becomes %+v, kept is %q", name, got, r.Words.String())
		}
		if c.update.Kind != was.Kind {
			t.Errorf("%s: the update is changed", name)
		}
	}
}

func TestTextsAroundACallAreKeptApart(t *testing.T) {
	t.Parallel()
	r := NewRun(nil, 0, nil, time.UnixMilli(0))
	r.Said(&transcript.Update{Kind: transcript.UpdateText, Text: "one"}, false, true)
	r.Said(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "1"}}, false, true)
	r.Said(&transcript.Update{Kind: transcript.UpdateText, Text: "two"}, false, true)
	if got := r.Words.String(); got != "one\n\ntwo" {
		t.Errorf("kept is %q", got)
	}
}

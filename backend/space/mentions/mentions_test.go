package mentions

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"weft/backend/base/fault"
)

func TestBudgetOfPromptIsSpent(t *testing.T) {
	t.Parallel()
	start := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		limits Limits
		depth  int
		after  time.Duration
		spent  int // runs besides the first
		why    string
	}{
		"within the defaults":           {Limits{}, 8, time.Hour, 30, ""},
		"too deep":                      {Limits{}, 9, 0, 0, "agents have asked each other 8 times in a row"},
		"too many":                      {Limits{}, 1, 0, 31, "one prompt has led to 32 runs"},
		"too late":                      {Limits{}, 1, time.Hour + 1, 0, "more than 1h0m0s old"},
		"limits of the user, too deep":  {Limits{Depth: 1}, 2, 0, 0, "1 times"},
		"limits of the user, too many":  {Limits{Runs: 2}, 1, 0, 1, "2 runs"},
		"limits of the user, too late":  {Limits{Time: time.Minute}, 1, 2 * time.Minute, 0, "1m0s"},
		"limits of the user, all is ok": {Limits{Depth: 20, Runs: 100, Time: time.Minute}, 20, time.Minute, 98, ""},
	} {
		b := NewBudget(start)
		for range c.spent {
			if err := b.Spend(1, Limits{Runs: 1000}, start); err != nil {
				t.Fatal(err)
			}
		}
		before := b.runs
		err := b.Spend(c.depth, c.limits, start.Add(c.after))
		switch {
		case c.why == "" && (err != nil || b.runs != before+1):
			t.Errorf("%s: %v, %d runs", name, err, b.runs)
		case c.why != "" && (fault.CodeOf(err) != "denied" || !strings.Contains(err.Error(), c.why) || b.runs != before):
			t.Errorf("%s: %v, %d runs, %d before", name, err, b.runs, before)
		}
	}
}

func TestReplyWaiterGetsReply(t *testing.T) {
	t.Parallel()
	var none *ReplyWaiter
	none.Give("x", nil) // no one waits
	w := NewReplyWaiter()
	select {
	case <-w.Done():
		t.Fatal("it has a reply already")
	default:
	}
	go w.Give("42", errors.New("late"))
	<-w.Done()
	if reply, err := w.Await(t.Context(), time.Hour, "Ann"); reply != "42" || err == nil {
		t.Errorf("%q, %v", reply, err)
	}
}

func TestOpenReplyEndsWithReplyRunOrLimit(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	o := NewOpenReply(OpenReply{ID: "1"})
	o.Give(Reply{From: User, Text: "yes"})
	if got, err := o.Await(t.Context(), over, time.Hour); err != nil || got != (Reply{User, "yes"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := NewOpenReply(OpenReply{}).Await(t.Context(), over, time.Nanosecond); fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "1e-09 s") {
		t.Errorf("at the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewOpenReply(OpenReply{}).Await(ctx, over, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	close(over)
	if _, err := NewOpenReply(OpenReply{}).Await(t.Context(), over, time.Hour); fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("after the run: %v", err)
	}
}

// The message of a run may be added to a slow space once the run no longer waits.
func TestForgottenReplyIsNotListed(t *testing.T) {
	var l OpenReplies
	o := NewOpenReply(OpenReply{ID: "r"})
	o.Forget()
	if l.Add(o) || len(l.All()) > 0 {
		t.Error("it is listed")
	}
}

func TestReplyGoesToAllWhoWaitButTheOneWhoSpeaks(t *testing.T) {
	t.Parallel()
	var l OpenReplies
	if l.Get("") != nil {
		t.Error("someone waits")
	}
	ann, bob, cy := NewOpenReply(OpenReply{ID: "a", RunID: "run1", MemberID: "ann"}), NewOpenReply(OpenReply{ID: "b", RunID: "run2", MemberID: "bob"}), NewOpenReply(OpenReply{ID: "c", RunID: "run3", MemberID: "cy"})
	for _, o := range []*OpenReply{ann, bob, cy} {
		l.Add(o)
	}
	before := l.All()
	if l.Get("") != ann || l.Get("b") != bob || l.Get("x") != nil {
		t.Error("the wrong one is found")
	}
	if got := l.Heard("bob", "run3"); len(got) != 1 || got[0] != ann {
		t.Errorf("heard by %v", got)
	}
	if !l.Remove(cy) || l.Remove(cy) || l.Remove(ann) {
		t.Error("a wait ends once")
	}
	if len(l.All()) != 1 || len(before) != 3 || before[0] != ann {
		t.Errorf("%d wait, %d did", len(l.All()), len(before))
	}
}

// A waiting agent gets the whole text or its beginning, cut between two characters.
func TestWordsAreWholeOrCutAtTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var w Words
		whole, gap := "", false
		for range rapid.IntRange(0, 40).Draw(t, "pieces") {
			piece := rapid.SampledFrom([]string{"", "a", "é", "日本", "\n", strings.Repeat("long ", 2000), strings.Repeat("界", 5000)}).Draw(t, "piece")
			if rapid.Bool().Draw(t, "gap") {
				w.Gap()
				gap = true
			}
			w.Add(piece)
			if piece != "" && gap && whole != "" {
				whole += "\n\n"
			}
			gap = gap && piece == ""
			whole += piece
		}
		text, cut := strings.CutSuffix(w.String(), "\n[cut here: the whole text is in the space]")
		switch {
		case !utf8.ValidString(text):
			t.Fatal("a character is cut in two")
		case cut != (len(whole) > maxReply) && !cut:
			t.Fatalf("%d bytes are not cut", len(whole))
		case !cut && text != whole:
			t.Fatalf("%q, want %q", text, whole)
		case cut && (!strings.HasPrefix(whole, text[:min(len(text), maxReply-8)]) || len(text) > maxReply):
			t.Fatalf("%d bytes are no beginning", len(text))
		}
	})
}

package mentions

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/backend/base/fault"
)

func TestOutcomeOfRunIsReplyOrReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stop    string
		stopped bool
		failure string
		reply   string
		code    string
	}{
		"ended":            {stop: "end_turn", reply: "said"},
		"out of tokens":    {stop: "max_tokens", reply: "said"},
		"failed":           {stop: "error", failure: "No.", code: "failed"},
		"failed, stopped":  {stop: "cancelled", stopped: true, failure: "No.", code: "failed"},
		"stopped":          {stop: "end_turn", stopped: true, code: "cancelled"},
		"stopped by agent": {stop: "cancelled", code: "cancelled"},
		"refused":          {stop: "refused", code: "cancelled"},
		"ended early":      {stop: "ended", code: "cancelled"},
	} {
		reply, err := Outcome(c.stop, c.stopped, c.failure, "said")
		if reply != c.reply || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %q, %v", name, reply, err)
		}
	}
}

func TestReplyWaiterReturnsWhatIsGiven(t *testing.T) {
	t.Parallel()
	w := NewReplyWaiter()
	go w.Give("yes", nil)
	if got, err := w.Await(t.Context(), time.Hour, "Ann"); got != "yes" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := NewReplyWaiter().Await(t.Context(), time.Nanosecond, "Ann"); fault.CodeOf(err) != fault.Timeout {
		t.Errorf("after the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := NewReplyWaiter().Await(ctx, time.Hour, "Ann")
	if !errors.Is(err, context.Canceled) || !errors.Is(NoReply(err), context.Canceled) || fault.CodeOf(NoReply(err)) != "" {
		t.Errorf("called off: %v", err)
	}
}

func TestRefusalSaysThatTheTextIsThere(t *testing.T) {
	t.Parallel()
	err := NotAsked(Unknown(Named(" @Bob"), []string{"Ann", "Cleo"}))
	want := `The text was added, but no agent was asked: There is no member called "Bob" in that space. Its members are: Ann, Cleo. Don't send the text again.`
	if err.Error() != want || fault.CodeOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
	if got := Unknown("Bob", nil).Error(); got != `There is no member called "Bob" in that space. There is no other agent in that space.` {
		t.Error(got)
	}
}

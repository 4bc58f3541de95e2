package mentions

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// Named returns the name in a mention, without the @.
func Named(mention string) string { return strings.TrimPrefix(strings.TrimSpace(mention), "@") }

// Unknown returns the error (invalid) for a mention of an unknown member. others are the names of the members that can
// be asked.
func Unknown(name string, others []string) error {
	who := fault.Say("There is no other agent in that space.")
	if len(others) > 0 {
		who = fault.Say("Its members are: {{names}}.", strings.Join(others, ", "))
	}
	return fault.New(fault.Invalid, "There is no member called {{name}} in that space. {{who}}", strconv.Quote(name), who)
}

// Await blocks until there is a reply or an error, limit has passed (timeout), or ctx is done. who is the name of the
// agent that was asked.
func (w *ReplyWaiter) Await(ctx context.Context, limit time.Duration, who string) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.done:
		return w.reply, w.err
	case <-timer.C:
		return "", fault.New(fault.Timeout, "{{who}} hasn't answered within {{time}}. Its answer will appear in the space.", who, quantity.Seconds(limit))
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Outcome returns the reply of a run to a waiting agent: the text said, or an error if the run failed or ended early.
// stopReason is why the run ended, stopped says that it was stopped, and failure is its error message, if any.
func Outcome(stopReason string, stopped bool, failure, said string) (reply string, err error) {
	switch {
	case failure != "":
		return "", fault.Plain("failed", failure)
	case stopped || stopReason == "cancelled":
		return "", fault.New(fault.Cancelled, "It was stopped.")
	case stopReason == "refused", stopReason == "ended":
		return "", fault.New(fault.Cancelled, "It ended its turn early.")
	}
	return said, nil
}

// NotAsked adds to a refusal that the text with the mention is already in the space.
func NotAsked(err error) error {
	return added(err, "The text was added, but no agent was asked: {{reason}} Don't send the text again.")
}

// NoReply adds to an error of waiting that the text is already in the space.
func NoReply(err error) error {
	return added(err, "The text was added, but there is no reply: {{reason}} Don't send the text again.")
}

func added(err error, template fault.Template) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	return fault.New(e.Code, template, e).Because(err)
}

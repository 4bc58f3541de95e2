package runs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/space/requests"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/turn"
)

// maxAdjusts is how often Weft resets options between two prompts after the agent has changed them.
const maxAdjusts = 5

// updateRequirements updates the requirements of the space for the agent's options. It reads the disk; the lock isn't
// held. There are none for Weft's own agent, which always asks Weft for permission.
func (l *liveSession) updateRequirements() {
	s := l.s
	if l.config.Own() {
		return
	}
	needs, rules := s.m.opt.Rules().Needs(s.place())
	s.Step(func() {
		l.why = turn.Reason{Mode: s.inbox.Mode.Now(), Rules: rules}
		s.options.Require(l.why.Need(needs))
	})
}

// adjust sets the agent's options to the values that the user wants or the space requires. It blocks until the agent
// has answered; the lock isn't held.
func (l *liveSession) adjust(ctx context.Context) {
	select {
	case l.adjusting <- struct{}{}:
		defer func() { <-l.adjusting }()
	case <-ctx.Done():
		return
	}
	l.session.Adjust(ctx)
}

// adjustWithin is adjust with a timeout.
func (l *liveSession) adjustWithin(ctx context.Context, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	l.adjust(ctx)
}

// optionsChanged is called when the agent has reported a change of its options. It resets those that don't have the
// wanted value. The lock is held.
func (l *liveSession) optionsChanged() {
	s := l.s
	switch {
	case l.adjusts.pending || !s.options.Settled() || s.options.Next(map[string]bool{}) == nil:
		return
	case l.adjusts.n >= maxAdjusts: // the agent changes them again and again
		l.adjusted()
		return
	}
	l.adjusts.n++
	l.adjusts.pending = true
	s.perform(setOptions{l})
}

// adjusted is called after options were set outside of the preparation of a prompt. It stops the run if the agent's
// options met the requirements when the prompt was sent and no longer do. The lock is held.
func (l *liveSession) adjusted() {
	s := l.s
	if s.life.Live() != l || s.run == nil || s.run.sent != l || s.run.turn.Stopping() {
		return // the next prompt reports the changes
	}
	r := s.run
	for _, c := range s.options.Changes() {
		r.currentFold().Note(l.why.Changed(l.config.Name, c))
	}
	if r.heldTo && !s.options.Unmet().None() && !l.contained() {
		note := turn.Unheld(l.config.Name)
		if name, value := s.options.Acting(); name != "" {
			note = turn.Broke(l.config.Name, name, value)
		}
		r.currentFold().Note(note)
		r.stop(requests.Stopped)
	}
	s.Flush()
}

// sealed reports whether the space is read-only and the sandbox enforces that, whatever the agent's mode. The lock is
// held.
func (l *liveSession) sealed() bool {
	return l.plan != nil && l.plan.ReadOnly && l.why.Mode == permission.ReadOnly
}

// contained reports whether the sandbox enforces all requirements of the space. It can't enforce rules. The lock is
// held.
func (l *liveSession) contained() bool { return l.sealed() && len(l.why.Rules) == 0 }

// errRewrapped means that the agent now needs a different sandbox, so the prompt must go to a new process.
var errRewrapped = errors.New("the sandbox has changed")

// enforce makes sure, before a prompt is sent, that the agent's options meet the requirements of the space. If they
// can't, it asks the user whether to send the prompt anyway. It blocks until then or until r.ctx ends. Errors:
// context.Canceled if the user cancels the prompt, errRewrapped if the agent must be restarted.
func (l *liveSession) enforce(r *run) error {
	s := l.s
	s.Step(func() { l.adjusts.n = 0 })
	for {
		l.updateRequirements()
		l.adjustWithin(r.ctx, s.m.opt.Limits.Session)
		sealed := ""
		if err := sandbox.CanSeal(); err != nil {
			sealed = err.Error()
		}
		var q *holding
		rewrapped := false
		s.Step(func() {
			if rewrapped = l.rewrapped(); rewrapped {
				return
			}
			for _, c := range s.options.Changes() {
				r.currentFold().Note(l.why.Changed(l.config.Name, c))
			}
			if h, ok := l.hold(r, sealed); ok && r.ctx.Err() == nil {
				q = l.ask(h)
			}
			r.enforced = q == nil
			s.publishOptions(l, false)
			s.Flush()
		})
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if rewrapped {
			return errRewrapped
		}
		if q == nil {
			return nil
		}
		if err := l.answered(r, q); err != nil {
			return err
		}
	}
}

// hold returns the question to ask the user before the prompt is sent. ok is false if there is none. The lock is held.
func (l *liveSession) hold(r *run, sealed string) (h turn.Hold, ok bool) {
	s, agent := l.s, l.config.Name
	if w := s.options.Lost(); w != nil {
		h = turn.Lost(agent, w, waysOf(s.options.Instead(w.ID), false))
		return h, true
	}
	for _, w := range s.options.Missing() {
		r.currentFold().Note(turn.Missing(agent, w))
	}
	unmet := s.options.Unmet()
	r.heldTo = unmet.None()
	if r.heldTo || l.config.Own() {
		return h, false
	}
	if l.contained() {
		if !s.options.Accepted("sealed") {
			s.options.Accept("sealed")
			r.currentFold().Note(turn.Sealed(agent))
		}
		return h, false
	}
	h = l.why.Loose(agent, sealed, waysOf(s.options.Safer(), true))
	return h, slices.ContainsFunc(h.What, func(what string) bool { return !s.options.Accepted(what) })
}

// waysOf returns answers that set an option to a value and send the prompt.
func waysOf(list []sessionoptions.Selectable, named bool) (ways []requests.Way) {
	for _, c := range list {
		title := c.Choice.Name
		if named {
			title = fault.Text("Set “{{option}}” to “{{value}}” and send", c.Option.Name, c.Choice.Name)
		}
		ways = append(ways, requests.Way{Value: "set:" + c.Option.ID + ":" + c.Choice.Value, Title: title, Description: c.Choice.Description})
	}
	return ways
}

// holding is a question from Weft, before a prompt is sent, that waits for the user. It implements [requests.Asker].
type holding struct {
	turn.Hold
	answer chan requests.Action
}

// Answer implements [requests.Asker].
func (q *holding) Answer(_ *acp.Request, result any) {
	a, _ := result.(requests.Action)
	q.answer <- a
}

// RespondCanceled implements [requests.Asker]. No agent can withdraw Weft's question.
func (q *holding) RespondCanceled(*acp.Request) {}

// ask asks the user a question from Weft. The lock is held.
func (l *liveSession) ask(h turn.Hold) *holding {
	q := &holding{h, make(chan requests.Action, 1)}
	l.s.inbox.Questions.Ask(requests.NewHold(q, h.Title.String(), h.Ways), false)
	return q
}

// answered waits for the answer to a question from Weft and applies it. Error: context.Canceled if the prompt must not
// be sent.
func (l *liveSession) answered(r *run, q *holding) error {
	var a requests.Action
	select {
	case a = <-q.answer:
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	var content struct {
		Choice string `json:"choice"`
	}
	if a.Action != "accept" || json.Unmarshal(a.Content, &content) != nil {
		l.s.Step(func() { r.stop(requests.Stopped) })
		return context.Canceled
	}
	if rest, ok := strings.CutPrefix(content.Choice, "set:"); ok {
		id, value, _ := strings.Cut(rest, ":")
		raw, _ := json.Marshal(value)
		if err := (Sessions{l.s.m}).chooseIn(r.ctx, l, id, raw); err != nil {
			l.s.m.opt.Log.Warn().Err(err).Str("agent", l.config.ID).Msg("couldn't set an option before a prompt") // the user is asked again
		}
		return context.Cause(r.ctx)
	}
	l.s.Step(func() {
		if q.Lost != "" {
			l.s.options.GiveUp(q.Lost)
		}
		for _, what := range q.What {
			l.s.options.Accept(what)
		}
	})
	return nil
}

package runs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/asking"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/sandbox"
	"weft/backend/sessionoptions"
	"weft/backend/turn"
)

// maxAdjusts is how often Weft sets options of the agent between two prompts, because the agent has changed them.
const maxAdjusts = 5

// require says what the space needs of the agent's options now. It reads the disk; the lock isn't held. Weft's own agent asks Weft, whatever its options are.
func (l *liveSession) require() {
	s := l.s
	if l.config.Own() {
		return
	}
	needs, rules := s.m.opt.Rules().Needs(s.place())
	s.Step(func() {
		l.why = turn.Reason{Mode: s.desk.Mode.Now(), Rules: rules}
		s.options.Require(l.why.Need(needs))
	})
}

// adjust sets the options of the agent to what the user wants and the space needs. It blocks until the agent has answered; the lock isn't held.
func (l *liveSession) adjust(ctx context.Context) {
	select {
	case l.adjusting <- struct{}{}:
		defer func() { <-l.adjusting }()
	case <-ctx.Done():
		return
	}
	l.session.Adjust(ctx)
}

// adjustWithin is adjust for an agent that has so long to answer.
func (l *liveSession) adjustWithin(ctx context.Context, long time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	l.adjust(ctx)
}

// optionsChanged follows when the agent has said something of its options: those that are not what they should be are set. The lock is held.
func (l *liveSession) optionsChanged() {
	s := l.s
	switch {
	case l.adjusts.pending || !s.options.Settled() || s.options.Next(map[string]bool{}) == nil:
		return
	case l.adjusts.n >= maxAdjusts: // it changes them again and again
		l.adjusted()
		return
	}
	l.adjusts.n++
	l.adjusts.pending = true
	s.w.adjust(l, func() {
		s.Step(func() {
			l.adjusts.pending = false
			l.adjusted()
			l.optionsChanged()
		})
	})
}

// adjusted follows when options have been set outside of the preparation of a prompt. A turn ends whose agent can't be held to what the space needs any
// more, though it was at the beginning. The lock is held.
func (l *liveSession) adjusted() {
	s := l.s
	if s.life.Live() != l || s.run == nil || s.run.sent != l || s.run.turn.Stopping() {
		return // what was changed is told with the next prompt
	}
	r := s.run
	for _, c := range s.options.Changes() {
		r.part().Note(l.why.Changed(l.config.Name, c))
	}
	if r.heldTo && !s.options.Unmet().None() && !l.contained() {
		note := turn.Unheld(l.config.Name)
		if name, value := s.options.Acting(); name != "" {
			note = turn.Broke(l.config.Name, name, value)
		}
		r.part().Note(note)
		r.stop(requests.Stopped)
	}
	s.Flush()
}

// sealed reports whether the space is read-only and the agent runs in a sandbox that holds it to that, whatever its mode is. The lock is held.
func (l *liveSession) sealed() bool {
	return l.plan != nil && l.plan.ReadOnly && l.why.Mode == permission.ReadOnly
}

// contained reports whether the sandbox holds the agent to all that the space needs: it knows nothing of rules. The lock is held.
func (l *liveSession) contained() bool { return l.sealed() && len(l.why.Rules) == 0 }

// errRewrapped says that the agent's process would be started in another sandbox now, so that the prompt goes to another one.
var errRewrapped = errors.New("the sandbox has changed")

// obey sees to it that the agent is held to what the user wants of the space before it gets a prompt, and asks the user where it can't be. It blocks
// until then; r.ctx gives up. The error is context.Canceled where the user doesn't want the prompt to be sent, and errRewrapped where the agent has to be started again.
func (l *liveSession) obey(r *run) error {
	s := l.s
	s.Step(func() { l.adjusts.n = 0 })
	for {
		l.require()
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
				r.part().Note(l.why.Changed(l.config.Name, c))
			}
			if h, ok := l.hold(r, sealed); ok && r.ctx.Err() == nil {
				q = l.ask(h)
			}
			r.obeyed = q == nil
			s.tellOffer(l, false)
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

// hold returns what the user has to be asked before the prompt is sent; ok is false if nothing. The lock is held.
func (l *liveSession) hold(r *run, sealed string) (h turn.Hold, ok bool) {
	s, agent := l.s, l.config.Name
	if w := s.options.Lost(); w != nil {
		h = turn.Lost(agent, w, waysOf(s.options.Instead(w.ID), false))
		return h, true
	}
	for _, w := range s.options.Missing() {
		r.part().Note(turn.Missing(agent, w))
	}
	unmet := s.options.Unmet()
	r.heldTo = unmet.None()
	if r.heldTo || l.config.Own() {
		return h, false
	}
	if l.contained() {
		if !s.options.Accepted("sealed") {
			s.options.Accept("sealed")
			r.part().Note(turn.Sealed(agent))
		}
		return h, false
	}
	h = l.why.Loose(agent, sealed, waysOf(s.options.Safer(), true))
	return h, slices.ContainsFunc(h.What, func(what string) bool { return !s.options.Accepted(what) })
}

// waysOf returns values of options as ways to send a prompt.
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

// holding is a question of Weft's own that waits for the user. It implements [asking.Asker].
type holding struct {
	turn.Hold
	answer chan requests.Action
}

// Answer implements [asking.Asker].
func (q *holding) Answer(_ *acp.Request, result any) {
	a, _ := result.(requests.Action)
	q.answer <- a
}

// TakeBack implements [asking.Asker]: nobody takes it back but Weft.
func (q *holding) TakeBack(*acp.Request) {}

// ask puts a question of Weft's own before the user. The lock is held.
func (l *liveSession) ask(h turn.Hold) *holding {
	q := &holding{h, make(chan requests.Action, 1)}
	l.s.desk.Questions.Ask(requests.NewHold[asking.Asker](q, h.Title.String(), h.Ways), false)
	return q
}

// answered waits for the answer to a question of Weft's own, and does what it says. Error: context.Canceled where nothing is to be sent.
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
			l.s.m.opt.Log.Warn().Err(err).Str("agent", l.config.ID).Msg("an option could not be set before a prompt") // it is asked again
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

package acpsession

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/base/simtest"
	"weft/backend/space/prelude"
	"weft/backend/store/spaces"
)

// TestRandomOpenings opens sessions of agents that refuse, want a sign-in, are lost or replay at any step, while updates come, turns begin and end, and nobody
// waits any more; from seeds. It checks what holds whatever comes of it.
func TestRandomOpenings(t *testing.T) {
	t.Parallel()
	for seed := range simtest.Seeds(simtest.Histories(5000)) {
		h := &history{fake: newFake(t), rnd: rand.New(rand.NewPCG(seed, 39))}
		h.play()
		h.check()
		simtest.Report(t, seed, h.log, h.fault)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestRandomAgentsFinallyGetNewSession opens the session of a member again and again, with an agent that fails at random, and starts a new process
// whenever that is asked for. At most two openings of one session fail because it can't be continued.
func TestRandomAgentsFinallyGetNewSession(t *testing.T) {
	t.Parallel()
	for seed := range simtest.Seeds(simtest.Histories(3000)) {
		f, rnd := newFake(t), rand.New(rand.NewPCG(seed, 40))
		can := &f.about.Capabilities
		can.ResumeSession, can.LoadSession, can.ForkSession = rnd.IntN(2) == 0, rnd.IntN(2) == 0, rnd.IntN(2) == 0
		if rnd.IntN(3) > 0 {
			f.last = here
		} else {
			f.fork = here
		}
		var log []string
		failed, fault := 0, ""
		for range 12 {
			for _, method := range []string{"resume", "load", "fork"} {
				f.fails[method] = []error{[]error{nil, errSilent, errSilent, acp.ErrClosed, acp.ErrStalled, errAuth, errRefused}[rnd.IntN(7)]}
			}
			f.fails["new"] = []error{[]error{nil, nil, nil, errAuth, errRefused}[rnd.IntN(5)]}
			f.opens()
			err := f.session.Open(t.Context())
			did := f.did()
			log = append(log, fmt.Sprintf("%s: %v", did, err))
			switch {
			case strings.HasSuffix(did, "new") || err == nil || kind(err) == "fresh":
				failed = 0
			default:
				if failed++; failed > 1 {
					fault = "a session that can't be continued is asked for again, and no new one"
				}
			}
			if kind(err) == "fresh" {
				f.fails["new"] = nil
				f.opens()
				if err := f.session.Open(t.Context()); err != nil || f.did() != "new" || (f.session.Lost() != prelude.Lost) != (f.last == nil) {
					fault = fmt.Sprintf("in a new process: %v after %q, lost %v", err, f.did(), f.session.Lost())
				}
				f.tried.forget() // as if something had been said in it
			}
		}
		simtest.Report(t, seed, log, fault)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// history is one opening.
type history struct {
	*fake
	rnd   *rand.Rand
	way   string
	err   error
	sent  []sent
	log   []string
	fault string
}

// sent is an update that the agent has sent.
type sent struct {
	session, text string
	replayed      bool
}

func (h *history) chance(percent int) bool { return h.rnd.IntN(100) < percent }

func (h *history) failf(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
	}
}

func (h *history) play() {
	can := &h.about.Capabilities
	can.ResumeSession, can.LoadSession, can.ForkSession = h.chance(40), h.chance(60), h.chance(50)
	if h.chance(50) {
		h.about.AuthMethods = methods("way")
	}
	if h.chance(60) {
		h.last = &spaces.Session{SessionID: "kept", Cwd: []string{"/here", "/there"}[h.rnd.IntN(2)]}
	}
	if h.chance(50) {
		h.fork = &spaces.Session{SessionID: "origin", Cwd: "/here"}
	}
	h.prompts = []string{"one"}
	h.broken = []string{"Last", "ToFork", "Add", "Prompts", "", "", "", "", ""}[h.rnd.IntN(9)]
	for _, method := range []string{"about", "new", "resume", "load", "fork", "choose", "authenticate"} {
		for range 2 {
			h.fails[method] = append(h.fails[method], []error{nil, nil, nil, nil, errAuth, errRefused, acp.ErrSessionTaken, acp.ErrClosed, errSilent}[h.rnd.IntN(9)])
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	h.does = func(call string) {
		h.log = append(h.log, h.calls[len(h.calls)-1])
		if call == "load" {
			h.replay()
		}
		for h.chance(40) {
			h.happens(call, cancel)
		}
	}
	h.way = []string{"open", "load", "catch up", "sign in"}[h.rnd.IntN(4)]
	switch h.way {
	case "open":
		h.err = h.session.Open(ctx)
	case "load":
		h.err = h.session.Load(ctx, "kept")
	case "catch up":
		h.err = h.session.CatchUp(ctx, "kept")
	case "sign in":
		h.err = h.session.OpenSignedIn(ctx, agentauth.Method{ID: "way", Type: []string{agentauth.ByAgent, agentauth.ByTerminal, agentauth.ByVariables}[h.rnd.IntN(3)]}, h.chance(20))
	}
	h.log = append(h.log, fmt.Sprintf("%s ends: %v, folded %q", h.way, h.err, h.folded))
}

// replay has the agent replay the session that it is asked to load.
func (h *history) replay() {
	for _, text := range []string{"u:one", "A", "u:two", "B"} {
		h.update("kept", text, true)
		if h.chance(10) {
			h.turns()
		}
	}
}

// happens is what happens while the agent works on a call.
func (h *history) happens(call string, cancel context.CancelCauseFunc) {
	switch n := h.rnd.IntN(20); {
	case n < 12:
		sessions := []string{"kept", "other"}
		if made := map[string]string{"new": "made", "fork": "copy", "choose": h.session.ID()}[call]; made != "" && (len(h.fails[call]) == 0 || h.fails[call][0] == nil || call == "choose") {
			sessions = append(sessions, made) // nothing comes for a session that the agent doesn't make
		}
		h.update(sessions[h.rnd.IntN(len(sessions))], fmt.Sprintf("t%d", len(h.sent)), false)
	case n < 16:
		h.turns()
	case n < 18:
		h.log = append(h.log, "the session is given up")
		h.gone = true
	default:
		h.log = append(h.log, "nobody waits any more")
		h.gone = true
		cancel(context.Canceled)
	}
}

func (h *history) update(session, text string, replayed bool) {
	before := len(h.folded)
	h.sends(session, text)
	h.sent = append(h.sent, sent{session, text, replayed})
	h.log = append(h.log, fmt.Sprintf("for %s: %s, folded: %v", session, text, len(h.folded) > before))
}

// turns begins a turn, which ends a replay that is folded, or ends one.
func (h *history) turns() {
	h.turn = !h.turn
	if h.turn {
		h.replaying = false
		h.session.Prompted()
	}
	h.log = append(h.log, fmt.Sprintf("a turn is in progress: %v", h.turn))
}

func (h *history) check() {
	id, ok := h.session.ID(), h.err == nil
	if h.held || h.session.Discarding() {
		h.failf("the lock is held, or a replay is still discarded")
	}
	if h.replaying && h.way != "load" && !h.turn {
		h.failf("a replay is not ended")
	}
	if ok && id == "" {
		h.failf("it is open, and yet the session isn't known")
	}
	if ok && !h.gone && !h.options.Settled() {
		h.failf("it is open, and yet its options aren't settled")
	}
	if errors.Is(h.err, acp.ErrAuthRequired) && codeOf(h.err) != "refused" && (len(h.offers) == 0 || !h.offers[len(h.offers)-1]) {
		h.failf("the agent wants a sign-in, and the user isn't told: %v", h.offers)
	}
	if len(h.offers) > 0 && !h.shown && h.way != "load" { // the space shows the replay
		h.failf("what the session offers isn't shown")
	}
	made := ok && id == "made"
	if ok && (h.session.Unused() != made || (h.session.Lost() != prelude.NoLoss) != (made && h.last != nil) || (h.fromZero > 0) != made) {
		h.failf("session %s: unsaid %v, lost %v, %d times from zero", id, h.session.Unused(), h.session.Lost(), h.fromZero)
	}
	stored := ""
	for _, call := range h.calls {
		if s, is := strings.CutPrefix(call, "store "); is {
			stored += s
		}
	}
	if want := map[bool]string{true: id}[id == "copy" || h.way == "load"]; ok && stored != want {
		h.failf("session %s: %q is stored, want %q", id, stored, want)
	}
	h.checkUpdates(id, ok)
}

// checkUpdates checks that what was sent is folded in its order, at most once, and only for the session; what comes in a new session always is.
func (h *history) checkUpdates(id string, ok bool) {
	var may, must []string
	for _, u := range h.sent {
		text := strings.TrimPrefix(u.text, "u:")
		if u.session == id || u.session == "kept" { // an update of the one that couldn't be continued may have come before that was clear
			may = append(may, text)
		}
		if ok && u.session == id && (id == "made" || h.way == "load") {
			must = append(must, text)
		}
	}
	list := slices.DeleteFunc(slices.Clone(h.folded), func(text string) bool { return text == "state" })
	if !within(list, may) {
		h.failf("%q is folded of %q", list, may)
	}
	if !within(must, list) {
		h.failf("%q is folded, and not all of %q", list, must)
	}
}

// within reports whether the texts of part are in all, in that order.
func within(part, all []string) bool {
	for _, text := range all {
		if len(part) > 0 && part[0] == text {
			part = part[1:]
		}
	}
	return len(part) == 0
}

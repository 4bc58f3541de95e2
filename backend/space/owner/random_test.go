package owner

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/permissions"
)

// history runs an owner through a sequence made up from a seed: steps, commands and readers, each in a goroutine that
// runs only when the history schedules it, a store that is slow and fails, and a clock that stands still.
type history struct {
	simtest.World

	owner *Owner[int]
	value int // the state of the space

	full, gone bool     // the store
	probed     bool     // for a command: the store accepts writes
	storing    int      // batches
	failed     int      // how often it has failed
	troubles   []bool   // that were reported
	stored     []string // tokens
	decided    []string // those of decisions

	tokens    []string // of events, in the order of the steps
	decisions []string
	events    int
	effects   int // that were queued
	carried   int // that were run
	panics    int
	pending   int // callbacks that must run once and haven't yet
	commands  []*change
	left      bool // [Owner.Finish] was called
	finished  bool
	lossy     bool // not everything could be stored by then

	log   []string
	fault string
}

// change is a command of the user as the history sees it.
type change struct {
	token           string
	final           bool
	began, over     bool
	then, undone    bool
	failures        int // of the store before it
	done            int
	err             error
	refused         bool // by itself
	before, rejects bool // Before was called; Before returns an error
}

func (h *history) failf(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
		h.logf("FAULT: %s", h.fault)
	}
}

func (h *history) logf(format string, args ...any) {
	h.log = append(h.log, h.Clock.Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

func (h *history) chance(percent int) bool { return h.Rand.IntN(100) < percent }

// The world of the space.

func (h *history) Append(req events.Append, done func(error)) {
	if h.storing++; h.storing > 1 {
		h.failf("%d batches are stored at once", h.storing)
	}
	if h.finished {
		h.failf("a batch is stored after the space was left")
	}
	h.Begin("", func() {
		h.storing--
		h.logf("store %d events, full %v, gone %v", len(req.Bodies), h.full, h.gone)
		switch {
		case h.gone:
			done(db.Fail(db.CodeNotFound, "There is no such space."))
			return
		case h.full:
			h.failed++
			done(db.Fail(db.CodeDiskFull, "The disk is full."))
			return
		}
		for _, b := range req.Bodies {
			token := ""
			switch b := b.(type) {
			case *transcript.RunCreated:
				token = b.RunID
			case *transcript.ToolOutputDelta:
				token = b.Delta
			}
			h.stored = append(h.stored, token)
		}
		for _, d := range req.Decisions {
			h.decided = append(h.decided, d.Title)
		}
		done(nil)
	})
}

func (h *history) Probe(done func(error)) {
	h.Begin("", func() {
		if h.full {
			done(db.Fail(db.CodeDiskFull, "The disk is full."))
			return
		}
		h.probed = true
		done(nil)
	})
}

func (h *history) Run(do func()) { h.Spawn(do) }

func (h *history) Panicked(_ string, p any) {
	if p != "on purpose" {
		h.failf("an effect panics: %v", p)
	}
	h.panics--
}

// The scheduler.

// resumed checks the invariants after each step.
func (h *history) resumed() {
	if !h.owner.Between(func() {
		if got := *h.owner.Snapshot(); got != h.value {
			h.failf("the snapshot is %d, and the space %d", got, h.value)
		}
	}) {
		h.failf("a thread waits with the lock")
	}
}

// idle is the most that the clock advances when nothing waits for it.
const idle = 20 * time.Millisecond

// rest runs until nothing is left that happens by itself.
func (h *history) rest() {
	for range 20_000 {
		if h.fault != "" {
			return
		}
		threads, _, alarms := h.Pending()
		switch {
		case h.ResumeReady(), h.End():
		case alarms > 0:
			h.Ring(idle)
		case threads > 0:
			h.failf("%d threads wait forever: %s", threads, h.owner.Describe())
		default:
			return
		}
	}
	h.failf("it never comes to rest: %s", h.owner.Describe())
}

// What happens.

// step is a step that adds events to the space. The lock is held.
func (h *history) step(events int) {
	for _, c := range h.commands {
		if c.began && !c.over && h.failed == c.failures && !h.gone {
			h.failf("a step while the command %s is being stored", c.token)
		}
	}
	h.value++
	h.owner.Touched()
	last := ""
	for range events {
		h.events++
		last = fmt.Sprintf("t%d", h.events)
		if !h.owner.Lost() {
			h.tokens = append(h.tokens, last)
		}
		if events > 1 || h.chance(40) {
			h.owner.Box.Add(&transcript.ToolOutputDelta{Delta: last})
		} else {
			h.owner.Box.Add(&transcript.RunCreated{RunID: last})
		}
	}
	h.logf("step adds %d, the last is %s", events, last)
	if h.chance(20) {
		title := fmt.Sprintf("d%d", len(h.decisions))
		if !h.owner.Lost() {
			h.decisions = append(h.decisions, title)
		}
		h.owner.Decided(permissions.Decision{Title: title})
		h.owner.Flush()
	}
	for range h.Rand.IntN(3) {
		n := h.effects
		h.effects++
		h.owner.Effect(func() {
			if h.carried != n {
				h.failf("effect %d is carried out as number %d", n, h.carried)
			}
			h.carried++
		})
	}
	if h.chance(30) {
		h.pending++
		check := func() {
			h.pending--
			h.mustBeStored(last, "what follows once it is stored")
		}
		if h.chance(50) {
			h.owner.After(check)
		} else {
			h.owner.Afterwards(func() {
				check()
				h.pace()
			})
		}
	}
	if h.chance(5) {
		h.panics++
		h.owner.Effect(func() { panic("on purpose") })
	}
}

// mustBeStored fails if a token isn't stored, and the store could have taken it.
func (h *history) mustBeStored(token, when string) {
	if token != "" && !slices.Contains(h.stored, token) && !h.owner.lost {
		h.failf("%s: %s isn't stored", when, token)
	}
}

// pace stores the events of a step in one of several ways. The lock is held.
func (h *history) pace() {
	switch n := h.Rand.IntN(3); n {
	case 0:
		h.owner.Flush()
	case 1:
		h.owner.Pace(false)
	default:
		h.owner.Pace(true) // what comes next:
		h.Run(func() { h.owner.Step(func() { h.owner.Pace(false) }) })
	}
}

func (h *history) acts() {
	switch n := h.Rand.IntN(100); {
	case n < 35:
		h.Run(func() {
			h.owner.Step(func() {
				h.step(1)
				h.pace()
			})
		})
	case n < 45: // like the reader of an agent
		h.Run(func() {
			h.owner.LockUntil(func() bool { return !h.owner.Full() })
			defer h.owner.Unlock()
			if !h.owner.Lost() && (h.owner.Trouble() != nil || h.owner.Box.Size() >= flushBytes) {
				h.failf("an agent is read while too much waits")
			}
			h.step([]int{1, 1, 300}[h.Rand.IntN(3)])
			h.pace()
		})
	case n < 50:
		h.Run(func() {
			h.owner.InsideStep(func() {
				h.value++
				h.owner.Touched()
			})
		})
	case n < 55:
		h.Run(func() {
			h.owner.Lock()
			stored := h.owner.Unstored()
			last := ""
			if len(h.tokens) > 0 {
				last = h.tokens[len(h.tokens)-1]
			}
			h.pending++
			h.owner.After(func() {
				h.pending--
				h.mustBeStored(last, "settled")
				select {
				case <-stored:
				default:
					h.failf("Unstored isn't closed")
				}
			})
			h.owner.Unlock()
		})
	case n < 60:
		d := time.Duration(h.Rand.IntN(50)) * time.Millisecond
		due := h.Clock.Add(d)
		h.pending++
		h.Run(func() {
			h.owner.Step(func() {
				h.owner.Later(d, func() {
					h.pending--
					if h.Clock.Before(due) {
						h.failf("a step comes %v early", due.Sub(h.Clock))
					}
					h.step(1)
					h.pace()
				})
			})
		})
	case n < 85:
		list := []*Command{h.command()}
		if h.chance(20) {
			list = append(list, h.command())
		}
		h.Run(func() {
			h.owner.Step(func() {
				for _, c := range list {
					h.owner.Submit(c)
				}
			})
		})
	case n < 93:
		h.full = !h.full
		h.logf("the disk is full: %v", h.full)
	case n < 94 && h.chance(30):
		h.gone = true
		h.logf("the space is gone")
	case n < 96 && !h.left:
		h.leaves()
	}
}

// leaves ends the space, while other things may still happen in it.
func (h *history) leaves() {
	h.left = true
	h.logf("the space is left")
	h.Run(func() {
		h.owner.Step(func() { h.owner.Finish(func() { h.finished, h.lossy = true, h.gone || h.owner.Trouble() != nil }) })
	})
}

// command makes up a command of the user.
func (h *history) command() *Command {
	c := &change{token: fmt.Sprintf("c%d", len(h.commands)), final: h.chance(40), refused: h.chance(10), rejects: h.chance(5)}
	h.commands = append(h.commands, c)
	cmd := &Command{Final: c.final, Done: func(err error) {
		h.logf("command %s is over: %v", c.token, err)
		if c.done++; c.done > 1 {
			h.failf("command %s ends twice", c.token)
		}
		c.over, c.err = true, err
		if err == nil && !c.then {
			h.failf("command %s was stored, and nothing followed", c.token)
		}
		if err == nil && !c.final {
			h.mustBeStored(c.token, "a command has ended")
		}
	}}
	if h.chance(50) {
		cmd.Before = func() error {
			c.before = true
			if c.rejects {
				return errRefused
			}
			return nil
		}
	} else {
		c.rejects = false
	}
	cmd.Change = func() (then, undo func(), err error) {
		if c.rejects {
			h.failf("command %s continues after its Before has ended it", c.token)
		}
		h.mustBeStoredBefore(c)
		if c.final && !h.probed {
			h.failf("command %s can't be taken back, and the store wasn't asked before", c.token)
		}
		h.probed = false
		if c.refused {
			return nil, nil, errRefused
		}
		c.began, c.failures = true, h.failed
		h.logf("command %s changes the space", c.token)
		h.value += 1000
		h.owner.Touched()
		h.owner.Box.Add(&transcript.RunCreated{RunID: c.token})
		h.tokens = append(h.tokens, c.token)
		return func() {
				c.over, c.then = true, true
				if !c.final {
					h.mustBeStored(c.token, "what follows a command")
				}
			}, func() {
				c.over, c.undone = true, true
				h.value -= 1000
				h.owner.Touched()
				h.tokens = slices.DeleteFunc(h.tokens, func(t string) bool { return t == c.token })
			}, nil
	}
	h.logf("command %s, final %v", c.token, c.final)
	return cmd
}

// mustBeStoredBefore checks that all earlier events are stored when a command makes its change.
func (h *history) mustBeStoredBefore(c *change) {
	if !h.owner.Box.Empty() || h.owner.flight != nil {
		h.failf("command %s changes the space before what has happened is stored", c.token)
	}
	for _, t := range h.tokens {
		h.mustBeStored(t, "a command begins")
	}
}

var errRefused = &fault.Error{Code: "invalid", Message: "No."}

// played runs the history of a seed and records what failed.
func played(seed uint64) *history {
	h := &history{}
	h.World = simtest.World{
		Rand: rand.New(rand.NewPCG(seed, 15)), Clock: time.UnixMilli(1_800_000_000_000), Resumed: h.resumed,
		Panicked: func(p any) { h.failf("panic: %v\n%s", p, debug.Stack()) },
	}
	h.owner = New(Options[int]{
		SpaceID: "space", World: h, Now: func() time.Time { return h.Clock }, Log: zerolog.Nop(),
		Look:      func() *int { v := h.value; return &v },
		OnTrouble: func(err error) { h.troubles = append(h.troubles, err != nil) },
	})
	for range 10 + h.Rand.IntN(120) {
		switch n := h.Rand.IntN(100); {
		case n < 45 && h.Resume():
		case n < 65 && h.End():
		case n < 72 && h.Ring(idle):
		default:
			h.acts()
		}
		if h.fault != "" {
			return h
		}
	}
	h.logf("-- everything ends")
	h.full = h.full && h.left && h.chance(50)
	h.rest()
	if h.fault == "" && !h.left {
		h.owner.Between(func() {
			if !h.gone && (!h.owner.Box.Empty() || h.owner.flight != nil) {
				h.failf("something is never stored: %s", h.owner.Describe())
			}
		})
		h.leaves()
		h.rest()
	}
	if h.fault == "" {
		h.final()
	}
	return h
}

// final checks the state at the end.
func (h *history) final() {
	switch {
	case !h.finished:
		h.failf("the space is never left: %s", h.owner.Describe())
	case h.carried != h.effects || h.owner.Effects() > 0:
		h.failf("%d of %d effects are carried out", h.carried, h.effects)
	case h.panics != 0:
		h.failf("%d panics weren't reported", h.panics)
	case h.pending != 0:
		h.failf("%d things that had to follow did not", h.pending)
	}
	for i, t := range h.troubles {
		if t != (i%2 == 0) {
			h.failf("trouble is told twice in a row: %v", h.troubles)
		}
	}
	seen := map[string]bool{}
	for _, t := range h.stored {
		if seen[t] {
			h.failf("%s is stored twice", t)
		}
		seen[t] = true
	}
	for _, c := range h.commands {
		stored := seen[c.token]
		switch {
		case c.done != 1:
			h.failf("command %s was answered %d times", c.token, c.done)
		case c.undone && stored:
			h.failf("command %s was taken back, and is stored", c.token)
		case c.err != nil && !c.final && stored:
			h.failf("command %s was refused, and is stored", c.token)
		case c.err == nil && !stored:
			h.failf("command %s is lost", c.token)
		case c.began && c.err != nil && !c.final && !c.undone && !h.left && !h.gone:
			h.failf("command %s was refused, and not taken back", c.token)
		}
	}
	h.inOrder("event", h.stored, h.tokens)
	h.inOrder("decision", h.decided, h.decisions)
}

// inOrder checks that stored is in the order of the steps, and that nothing is missing before its end.
func (h *history) inOrder(what string, stored, all []string) {
	if len(stored) > len(all) || !slices.Equal(stored, all[:len(stored)]) {
		h.failf("%ss are stored in another order than they came in, or some are left out: %v of %v", what, stored, all)
	} else if !h.lossy && len(stored) < len(all) {
		h.failf("%d of %d %ss are stored", len(stored), len(all), what)
	}
}

// TestHistories runs random histories; see [history].
func TestHistories(t *testing.T) {
	n := raced.Of(simtest.Histories(3000))
	if testing.Short() {
		n = min(n, 1000)
	}
	for seed := range simtest.Seeds(n) {
		h := played(seed)
		simtest.Report(t, seed, h.log, h.fault)
	}
}

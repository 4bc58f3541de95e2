package gatecalls

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
)

// call is a call as it really happens: the agent shows it in some way, and it arrives at the gateway.
type call struct {
	tool, args string
	line       string   // its id in the agent's session
	tells      []string // the agent's updates of it, in order; see [world.tell]
	full       bool     // its arguments are reported
	told       bool     // they have been reported
	ended      bool
	arrival    *Arrival[string]
	arrives    bool
}

// world is a random history of calls, made up from a seed.
type world struct {
	*session
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	calls []*call
	log   []string
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: "+format+"\n%s", append(append([]any{w.seed}, args...), strings.Join(w.log, "\n"))...)
}

// newCall makes up a call. certain is for agents that show the arguments of each call, in some form, in their first
// update of it.
func (w *world) newCall(i int, certain bool) *call {
	c := &call{tool: []string{"send", "act"}[w.rnd.IntN(2)], line: fmt.Sprintf("line%d", i), arrives: certain || w.rnd.IntN(8) > 0}
	texts := []string{"one", "one and more", "two", "another"}
	c.args = fmt.Sprintf(`{"to":"s%d","text":%q}`, w.rnd.IntN(2), texts[w.rnd.IntN(len(texts))])
	if certain { // an unknown name doesn't identify the tool
		c.args = fmt.Sprintf(`{"of":%q,%s`, c.tool, c.args[1:])
	} else if w.rnd.IntN(10) == 0 { // which some agents also show before they know the arguments
		c.args = "{}"
	}
	whole := []string{"input", "wrapped", "within", "text"}
	if c.args == "{}" {
		whole = whole[:2]
	}
	form := whole[w.rnd.IntN(len(whole))]
	switch w.rnd.IntN(6) {
	case 0:
		c.tells, c.full = []string{"unnamed"}, c.args != "{}"
		if !c.full {
			c.tells, c.full = []string{form}, true
		}
	case 1, 2:
		c.tells, c.full = []string{form}, true
	case 3:
		c.tells, c.full = []string{form, "input"}, true
	default:
		if certain {
			c.tells, c.full = []string{form}, true
			break
		}
		c.tells = [][]string{{"bare"}, {"bare", "begin", "rest"}, {"bare", "input"}, {"short"}, {"nothing"}, {}, {"bare", "begin"}, {"unknown"}}[w.rnd.IntN(8)]
	}
	return c
}

// tell makes the agent report the next update of a call.
func (w *world) tell(c *call) {
	what := c.tells[0]
	c.tells = c.tells[1:]
	w.log = append(w.log, fmt.Sprintf("%s %s %s: %s", c.line, c.tool, c.args, what))
	pending := transcript.StatusPending
	first := w.Get(c.line) == nil && w.open[c.line] == nil
	cut := len(c.args) * 2 / 3
	before := w.Get(c.line)
	taken := before != nil && before.Taken
	var r Report[string]
	switch what {
	case "input":
		r = w.tells(c.line, prefix+c.tool, "", c.args, "", pending, first)
	case "wrapped":
		r = w.tells(c.line, "use_mcp_tool", "", fmt.Sprintf(`{"server":"weft","tool":%q,"arguments":%s}`, c.tool, c.args), "", pending, first)
	case "within":
		r = w.tells(c.line, prefix+c.tool, "", fmt.Sprintf(`{"id":7,"request":{"params":%s}}`, c.args), "", pending, first)
	case "text":
		r = w.tells(c.line, prefix+c.tool, "", fmt.Sprintf(`{"meta":%q}`, c.args), "", pending, first)
	case "unnamed":
		r = w.tells(c.line, "Doing it", "", c.args, "", pending, first)
	case "bare":
		r = w.tells(c.line, prefix+c.tool, "", "", "", pending, first)
	case "begin":
		r = w.tells(c.line, "", "", "", c.args[:cut], "", false)
	case "rest":
		r = w.tells(c.line, "", "", "", c.args[cut:], "", false)
		c.full = true
	case "short":
		r = w.tells(c.line, prefix+c.tool, "", strings.Replace(c.args, `"}`, `…"}`, 1), "", pending, first)
	case "unknown":
		r = w.tells(c.line, "Doing it", "", "", "", pending, first)
	case "nothing":
		return
	}
	if what == "input" || c.full {
		c.full, c.told = true, c.args != "{}"
	}
	if r.Arrived && c.told {
		for _, other := range w.calls {
			if a := other.arrival; a != nil && a.Call == r.Call && a.Until.After(w.now) && other.args != c.args {
				w.fail("%s %s has got the line of %s %s", other.line, other.args, c.line, c.args)
			}
		}
	}
	if r.Arrived != (r.Call != nil && r.Call.Taken && !taken) {
		w.fail("arrived is %v for %s, taken %v before", r.Arrived, c.line, taken)
	}
}

func (w *world) arrive(c *call) {
	c.arrival = w.Arrive(c.tool, jsontext.Value(c.args), w.now)
	w.log = append(w.log, fmt.Sprintf("arrives: %s %s %s: settled %v with %q", c.line, c.tool, c.args, c.arrival.Settled, lineOf(c.arrival)))
	for _, other := range w.calls {
		if other.line == lineOf(c.arrival) && other.told && other.args != c.args {
			w.fail("%s %s has got the line of %s %s", c.line, c.args, other.line, other.args)
		}
	}
}

// check checks the invariants after each step.
func (w *world) check() {
	lines := map[string]*call{}
	for _, c := range w.calls {
		a := c.arrival
		if a == nil {
			continue
		}
		if !a.Settled && !a.Until.After(w.now) {
			w.fail("%s waits beyond its deadline", c.line)
		}
		id := lineOf(a)
		if id == "" {
			continue
		}
		if !a.Settled {
			w.fail("%s has a line and waits", c.line)
		}
		if other := lines[id]; other != nil {
			w.fail("%s was given to %s and %s", id, c.line, other.line)
		}
		lines[id] = c
		if a.Call.Tool.Name != c.tool || !a.Call.Taken {
			w.fail("%s has the line %+v", c.line, a.Call)
		}
	}
	for g := range w.All {
		if g.Taken && lines[g.ID] == nil {
			w.fail("%s is taken by nobody", g.ID)
		}
	}
}

func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	for _, a := range w.Tick(w.now) {
		w.log = append(w.log, fmt.Sprintf("%v: %s settled with %q", w.now.Sub(time.Unix(1000, 0)), a.Sent, lineOf(a)))
	}
}

// run runs a history of n calls.
func (w *world) run(n int, certain bool) {
	for i := range n {
		w.calls = append(w.calls, w.newCall(i, certain))
	}
	for {
		var next []func()
		for _, c := range w.calls {
			if len(c.tells) > 0 {
				next = append(next, func() { w.tell(c) })
			}
			if c.arrives && c.arrival == nil {
				next = append(next, func() { w.arrive(c) })
			}
			if !certain && len(c.tells) == 0 && !c.ended && (c.arrival != nil || !c.arrives) {
				next = append(next, func() {
					c.ended = true
					w.tells(c.line, "", "", "", "", transcript.StatusCompleted, false)
				})
			}
		}
		if len(next) == 0 {
			break
		}
		next[w.rnd.IntN(len(next))]()
		w.check()
		if !certain && w.rnd.IntN(3) == 0 {
			w.pass(time.Duration(w.rnd.IntN(400)) * time.Millisecond)
			w.check()
		}
	}
	w.pass(Wait)
	w.check()
}

func newWorld(t *testing.T, seed uint64) *world {
	return &world{session: newSession(), t: t, seed: seed, rnd: rand.New(rand.NewPCG(seed, 15))}
}

func histories(t *testing.T, n int, run func(t *testing.T, seed uint64)) {
	for s := range simtest.Seeds(n) {
		run(t, s)
	}
}

// In any history, no line is assigned to two calls, no call waits beyond its deadline, and before that none gets a
// line that shows other arguments.
func TestRandomHistoriesOfCalls(t *testing.T) {
	histories(t, 3000, func(t *testing.T, seed uint64) {
		w := newWorld(t, seed)
		w.run(1+w.rnd.IntN(7), false)
		for _, c := range w.calls {
			if c.arrives && !c.arrival.Settled {
				w.fail("%s isn't settled", c.line)
			}
		}
		w.Forget()
		if len(w.arrivals.list) != 0 {
			w.fail("calls wait after the end of the run")
		}
	})
}

// If an agent shows the arguments of each call within the wait, each call gets its own line, in any form and order.
func TestCallsWhoseArgumentsAreShownAreNeverMixedUp(t *testing.T) {
	histories(t, 3000, func(t *testing.T, seed uint64) {
		w := newWorld(t, seed)
		w.run(1+w.rnd.IntN(7), true)
		for _, c := range w.calls {
			id := lineOf(c.arrival)
			i := slices.IndexFunc(w.calls, func(other *call) bool { return other.line == id })
			if i < 0 {
				w.fail("%s %s has no line", c.line, c.args)
			}
			if line := w.calls[i]; line.args != c.args || line.tool != c.tool {
				w.fail("%s %s has the line of %s %s", c.line, c.args, line.line, line.args)
			}
		}
	})
}

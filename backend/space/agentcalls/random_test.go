package agentcalls

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/requests"
)

// made is a call of a history.
type made struct {
	id, kind, input string
	tool            bool // one of Weft's own
	reported        bool
	ended           bool
	vouched         bool // Weft was asked about it
	question        bool
}

// arrived is a call at the gateway that hasn't continued.
type arrived struct {
	a     *Arrival[*away]
	known <-chan struct{}
}

// history is a session whose agent, model and user act randomly, from a seed.
type history struct {
	*world
	rnd     *rand.Rand
	seed    uint64
	did     []string
	calls   []*made // of the run
	n       int
	arrived []arrived
	watches []string // that are expected
	unasked int      // calls that must be reported as unasked
}

func (h *history) fail(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d: %s\n%s", h.seed, fmt.Sprintf(format, args...), strings.Join(h.did, "\n"))
}

// one returns a call of the run that hasn't ended, or nil.
func (h *history) one() *made {
	var list []*made
	for _, c := range h.calls {
		if !c.ended {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[h.rnd.IntN(len(list))]
}

// begin makes up a call that the agent hasn't reported.
func (h *history) begin() *made {
	h.n++
	c := &made{id: fmt.Sprint("call", h.n)}
	c.kind = []string{actions.Execute, actions.Execute, actions.Read, "other"}[h.rnd.IntN(4)]
	c.input = fmt.Sprintf(`{"query":"f%d"}`, h.n)
	if c.kind == actions.Execute {
		c.input = fmt.Sprintf(`{"command":"touch f%d"}`, h.n)
	}
	if c.tool = h.rnd.IntN(3) == 0; c.tool {
		c.input = fmt.Sprintf(`{"rows":[%d]}`, h.n%3)
	}
	h.calls = append(h.calls, c)
	return c
}

// reports makes the agent report an update of a call, and checks the result.
func (h *history) reports(c *made, p *transcript.ToolPatch) {
	status := ""
	if p.Status != nil {
		status = string(*p.Status)
	}
	h.did = append(h.did, fmt.Sprintf("report %s %s %s", c.id, c.kind, status))
	shows := len(h.patches)
	g := h.Drafts.Get(c.id)
	hidden := c.question || g != nil && g.Drawn
	over := ended(p)
	if over && *p.Status == transcript.StatusCompleted && c.kind == actions.Execute && !c.tool && !hidden && c.reported && !c.vouched && h.turn != nil && !h.stopping && h.prompted {
		h.unasked++
	}
	c.reported, c.ended = true, c.ended || over
	h.report(p)
	switch g := h.Drafts.Get(c.id); {
	case hidden && len(h.patches) > shows:
		h.fail("%s is shown, though it is a question or a display", c.id)
	case !hidden && len(h.patches) != shows+1 && (g == nil || !g.Drawn):
		h.fail("%s is shown %d times", c.id, len(h.patches)-shows)
	}
	if len(h.patches) > shows {
		h.watches = append(h.watches, "watch "+c.id)
	}
	if known := h.open[c.id] != nil; over && known || !over && !hidden && len(h.patches) > shows && !known {
		h.fail("%s has ended: %v, and is open: %v", c.id, over, known)
	}
	if over {
		for _, a := range h.inbox.Permissions.List() {
			if a.Tool == c.id {
				h.fail("%s has ended, and is asked about", c.id)
			}
		}
	}
}

// announce is the first report of a call.
func (h *history) announce(c *made) {
	p := &transcript.ToolPatch{ID: c.id, Announced: true, Input: jsontext.Value(c.input)}
	name, title, running := "mcp__weft__"+table, "Call "+c.id, transcript.StatusRunning
	if p.Title, p.Status = &title, &running; c.tool {
		p.Name = &name
	} else {
		p.Kind = &c.kind
	}
	h.reports(c, p)
}

func (h *history) step() {
	c := h.one()
	switch what := h.rnd.IntN(14); {
	case what < 3:
		h.announce(h.begin())
	case c == nil || what == 3:
		h.writeCall()
	case what < 6 && c.reported:
		title := fmt.Sprint("Title ", h.rnd.IntN(3))
		p := &transcript.ToolPatch{ID: c.id, Title: &title}
		if h.rnd.IntN(3) == 0 && c.kind == actions.Execute && !c.tool { // otherwise it is an edit
			p.Content = &[]transcript.Content{{Type: "diff", Path: "a", NewText: "a", NewFile: true}}
		}
		h.reports(c, p)
	case what < 9 && c.reported:
		status := []transcript.Status{transcript.StatusCompleted, transcript.StatusCompleted, transcript.StatusFailed}[h.rnd.IntN(3)]
		h.reports(c, &transcript.ToolPatch{ID: c.id, Status: &status})
	case what == 9:
		h.asks(c)
	case what == 10 && c.reported && !c.question && !c.tool:
		h.did = append(h.did, "question "+c.id)
		h.inbox.Questions.Ask(h.question(c), false)
		c.question = true
	case what == 11:
		h.arrives(fmt.Sprintf(`{"rows":[%d]}`, h.rnd.IntN(3)))
	case what == 12 && len(h.arrived) > 0:
		h.continues(h.rnd.IntN(len(h.arrived)))
	case what == 13 && h.rnd.IntN(4) == 0:
		h.did = append(h.did, "stop")
		h.stopping = true
		h.inbox.Withdraw(requests.Stopped)
	}
}

func (h *history) question(c *made) *requests.Question {
	return requests.NewQuestion(asker{h.world}, &acp.Request{}, &requests.Elicitation{Mode: "url", URL: "https://example.org", Message: "What?", Tool: c.id})
}

// asks makes the agent ask for permission for a call, which it may not have reported.
func (h *history) asks(c *made) {
	if h.rnd.IntN(3) == 0 {
		c = h.begin()
	}
	if c.tool || c.question {
		return
	}
	h.did = append(h.did, "ask "+c.id)
	c.vouched = true
	before := len(h.inbox.Permissions.List())
	a := h.world.asks(&transcript.ToolPatch{ID: c.id, Kind: &c.kind, Input: jsontext.Value(c.input)})
	if !h.stopping {
		h.watches = append(h.watches, "watch "+c.id)
	}
	h.over()
	if open := len(h.inbox.Permissions.List()) > before; open == slices.Contains(h.told, a.ID) {
		h.fail("%s is asked about: %v, and the agent is told: %v", c.id, open, !open)
	}
}

// arrives makes a call arrive at the gateway, perhaps one that the agent never shows.
func (h *history) arrives(input string) {
	h.did = append(h.did, "arrive "+input)
	if h.rnd.IntN(5) == 0 {
		h.Pass(table, jsontext.Value(input))
		return
	}
	a, known := h.world.arrives(input)
	h.arrived = append(h.arrived, arrived{a, known})
}

// continues continues a call at the gateway, once its line is known or its time is up.
func (h *history) continues(i int) {
	w := h.arrived[i]
	h.arrived = slices.Delete(h.arrived, i, i+1)
	how := Known
	if w.known != nil && !isClosed(w.known) {
		how = []Waited{TimeUp, TimeUp, Known, Gone}[h.rnd.IntN(4)]
	}
	h.did = append(h.did, fmt.Sprint("continue ", how))
	h.Continue(w.a, how)
	if w.a.Call != nil && h.rnd.IntN(2) == 0 && h.Drafts.Get(w.a.Call.ID) == w.a.Call {
		w.a.Call.Drawn = true
	}
}

// writeCall makes the model write a call.
func (h *history) writeCall() {
	e := modelproxy.Event{Request: 1, Call: 1 + h.rnd.IntN(5), Name: "mcp__weft__" + table, Fragment: "[", Ended: h.rnd.IntN(3) == 0}
	if c := h.one(); c != nil && h.rnd.IntN(2) == 0 {
		e.ID = c.id
	}
	h.Observe(e)
}

// check checks the invariants after each step.
func (h *history) check() {
	h.over()
	waits := 0
	for _, w := range h.arrived {
		if w.known == nil {
			continue
		}
		if isClosed(w.known) != w.a.Settled {
			h.fail("an arrival is settled: %v, and told: %v", w.a.Settled, isClosed(w.known))
		}
		if !w.a.Settled {
			waits++
		}
	}
	if len(h.waiting) != waits {
		h.fail("%d arrivals wait, not %d", len(h.waiting), waits)
	}
	unasked := 0
	for _, d := range h.decided {
		if d.Outcome == transcript.OutcomeUnasked {
			unasked++
		}
	}
	if unasked != h.unasked {
		h.fail("%d calls are reported as unasked, not %d", unasked, h.unasked)
	}
	var shows, visits, watches []string
	for _, what := range h.log {
		switch kind, id, _ := strings.Cut(what, " "); kind {
		case "show":
			shows = append(shows, id)
		case "visit":
			visits = append(visits, id)
		case "watch":
			watches = append(watches, what)
		}
	}
	if !slices.Equal(shows, visits) {
		h.fail("shown are %v, visited %v", shows, visits)
	}
	if !slices.Equal(watches, h.watches) {
		h.fail("watched are %v, not %v", watches, h.watches)
	}
	h.log, h.watches = nil, nil
}

// In any history, each update is shown once, unless its call is a question or a display, and is watched and visited
// exactly when it is shown. A call stays open until it ends, and no request is about it after that. Whoever waits for
// a line continues once it is settled. A command is reported as unasked exactly when Weft wasn't asked.
func TestRandomHistoriesOfCalls(t *testing.T) {
	for seed := range simtest.Seeds(raced.Of(500)) {
		h := &history{rnd: rand.New(rand.NewPCG(seed, 15)), seed: seed}
		h.world = newWorld(t, []permission.Mode{permission.ReadOnly, permission.AskAlways}[seed%2])
		for range 3 {
			for range 30 {
				h.step()
				h.check()
			}
			h.ends()
			if len(h.open)+len(h.shown)+len(h.waiting) > 0 {
				h.fail("after the run %v are open, %v are shown, %d wait", h.open, h.shown, len(h.waiting))
			}
			h.check()
			h.calls = nil
			h.begins(permission.NewSet(nil))
		}
	}
}

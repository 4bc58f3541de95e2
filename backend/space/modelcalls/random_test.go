package modelcalls

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/space/gatecalls"
)

const message = "sendSpaceMessage"

// find knows the tool for messages.
func find(called string) (gatecalls.Tool, bool) {
	return gatecalls.Tool{Name: message, Exact: true}, called == "mcp__weft__"+message
}

// told is a call as a model writes it and an agent shows it.
type told struct {
	key      Key
	provider string // "" if the provider gives none
	late     bool   // only with the end
	tool     string
	input    string
	broken   bool

	begun bool // the proxy has read its name
	read  int  // and these bytes of the input
	over  bool // and its end

	id       string // the agent's
	reports  []string
	asked    string // the input that the agent reported last
	reported bool   // the agent has shown the call
}

// shown is a call in the conversation.
type shown struct {
	text string // of fragments
	last string // the whole input that was reported last
	done bool   // it was reported with the whole input as it began, or has ended
}

type world struct {
	*Calls
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	calls []*told
	shown map[string]*shown // by the agent's id
	ahead map[Key]string
	log   []string
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: "+format+"\n%s", append(append([]any{w.seed}, args...), strings.Join(w.log, "\n"))...)
}

// newWorld makes up calls. All calls of a history have the same kind of id: the provider's, the agent's own
// containing the provider's, or the agent's own.
func newWorld(t *testing.T, s uint64) *world {
	w := &world{Calls: New(find, message), t: t, seed: s, rnd: rand.New(rand.NewPCG(s, 24)), shown: map[string]*shown{}, ahead: map[Key]string{}}
	ids := []string{"%s", "toolu-%s", ""}[w.rnd.IntN(3)]
	for i := range 1 + w.rnd.IntN(5) {
		c := &told{key: Key{uint64(1 + i/2), 1 + i%2}, tool: []string{"Write", "Read", "mcp__weft__" + message}[w.rnd.IntN(3)]}
		c.input = fmt.Sprintf(`{"path":"f%d","text":%q}`, i, strings.Repeat("ab ", w.rnd.IntN(8)))
		if w.rnd.IntN(8) == 0 {
			c.input = fmt.Sprintf(`{"n":%d}`, i)
		}
		c.broken = w.rnd.IntN(8) == 0
		c.provider = fmt.Sprintf("call_%06d", i)
		c.late = w.rnd.IntN(6) == 0
		c.id = fmt.Sprintf(ids, c.provider)
		if ids == "" {
			c.id = fmt.Sprintf("own%d", i)
			if w.rnd.IntN(2) == 0 {
				c.provider = ""
			}
		}
		c.reports = w.newReports(c)
		w.calls = append(w.calls, c)
	}
	return w
}

// newReports makes up the agent's updates of a call.
func (w *world) newReports(c *told) []string {
	if c.broken {
		return [][]string{{}, {"show"}, {"show", "fail"}}[w.rnd.IntN(3)]
	}
	return [][]string{
		{"show", "run", "end"},
		{"show", "part", "run", "end"},
		{"show", "part", "part", "whole", "run", "end"},
		{"show {}", "run with input", "end"},
		{"show whole", "end"},
		{"show whole", "run", "end"},
		{"ask", "run", "end"},
		{"show", "ask", "run with input", "end"},
		{"run with input", "end"},
		{},
	}[w.rnd.IntN(10)]
}

// apply shows changes like a session.
func (w *world) apply(list []Change) {
	for i := range list {
		c := &list[i]
		w.log = append(w.log, fmt.Sprintf("  shown: %d %s %q %v", c.Kind, c.ID, c.Text, c.Broken))
		switch c.Kind {
		case Ahead:
			w.ahead[c.Key] += c.Text
			if m := w.of(c.Key); m.tool != "mcp__weft__"+message {
				w.fail("%s of the tool %s is shown ahead", m.id, m.tool)
			} else if c.Whole != nil && string(c.Whole) != m.input {
				w.fail("the whole input of %s is %s", m.id, c.Whole)
			}
		case Missed, Fragment:
			s, m := w.shown[c.ID], w.of(c.Key)
			if s == nil || m.id != c.ID {
				w.fail("%s is shown at the call %s", m.id, c.ID)
			}
			if s.done {
				w.fail("%q is shown at %s, which was reported whole", c.Text, c.ID)
			}
			s.text += c.Text
		}
	}
}

func (w *world) of(key Key) *told {
	for _, c := range w.calls {
		if c.key == key {
			return c
		}
	}
	w.fail("no call %v", key)
	return nil
}

// write makes the proxy read more of a call.
func (w *world) write(c *told) {
	e := modelproxy.Event{Request: c.key.Request, Call: c.key.Call, ID: c.provider, Name: c.tool}
	if c.begun {
		n := min(len(c.input)-c.read, 1+w.rnd.IntN(20))
		e.Fragment = c.input[c.read : c.read+n]
		c.read += n
		if c.read == len(c.input) || c.broken && w.rnd.IntN(4) == 0 {
			e.Ended, e.Broken, c.over = true, c.broken, true
		}
	}
	c.begun = true
	if c.late && !e.Ended {
		e.ID = ""
	}
	w.log = append(w.log, fmt.Sprintf("%s %s: %q %q ended %v %v", c.id, c.tool, e.ID, e.Fragment, e.Ended, e.Broken))
	w.apply(w.Read(e, func(id string) bool { return w.shown[id] != nil }))
}

// report makes the agent report the next update of a call.
func (w *world) report(c *told) {
	what := c.reports[0]
	c.reports = c.reports[1:]
	w.log = append(w.log, c.id+": "+what)
	p := &transcript.ToolPatch{ID: c.id}
	if !c.reported {
		p.Announced, p.Name, c.reported = true, &c.tool, true
		w.shown[c.id] = &shown{}
	}
	verb, with, _ := strings.Cut(what, " ")
	status := map[string]transcript.Status{"run": transcript.StatusRunning, "end": transcript.StatusCompleted, "fail": transcript.StatusFailed}[verb]
	if status == "" {
		status = transcript.StatusPending
	}
	p.Status = &status
	switch {
	case with == "{}":
		p.Input = jsontext.Value("{}")
	case with != "", verb == "whole", verb == "ask":
		p.Input = jsontext.Value(c.input)
	case verb == "part":
		p.Input = jsontext.Value(c.input[:strings.Index(c.input+",", ",")])
		if !p.Input.IsValid() {
			p.Input = append(p.Input, '}')
		}
	}
	if len(p.Input) > 2 {
		c.asked = string(p.Input)
	}
	s := w.shown[c.id]
	if verb == "ask" {
		w.caught(w.Request(p), c)
		s.last = c.input
		return
	}
	u, found := w.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: p})
	w.caught(found, c)
	if len(u.Tool.Input) > 2 {
		s.last = string(u.Tool.Input)
	}
	if u.Tool.ID != p.ID || u.Tool.Name != p.Name || u.Tool.Status != p.Status || u.Tool.Announced != p.Announced {
		w.fail("something else than the input of %s has changed", c.id)
	}
	w.apply(w.Next(c.id))
	s.done = s.done || status.Ended() || status != transcript.StatusPending && s.last != ""
}

// caught checks that a call of the model was matched with the agent's call that shows it.
func (w *world) caught(found *Key, c *told) {
	if found != nil && *found != c.key {
		w.fail("%s is taken for %s", c.id, w.of(*found).id)
	}
}

// check checks the invariants after each step.
func (w *world) check() {
	for _, c := range w.calls {
		if s := w.shown[c.id]; s != nil && !strings.HasPrefix(c.input[:c.read], s.text) {
			w.fail("%s shows %q of %q", c.id, s.text, c.input[:c.read])
		}
		if text := w.ahead[c.key]; !strings.HasPrefix(c.input, text) {
			w.fail("%s shows %q ahead", c.id, text)
		}
	}
}

// run runs the history. lag means that the agent may be ahead of the proxy, which reads what has passed a little
// later.
func (w *world) run(lag bool) {
	for {
		var next []func()
		for i, c := range w.calls {
			if !c.over && (i == 0 || w.calls[i-1].over || w.calls[i-1].key.Request != c.key.Request) {
				next = append(next, func() { w.write(c) })
			}
			if len(c.reports) > 0 && w.mayReport(i, lag) {
				next = append(next, func() { w.report(c) })
			}
		}
		if len(next) == 0 {
			return
		}
		next[w.rnd.IntN(len(next))]()
		w.check()
	}
}

// mayReport reports whether the agent can report the next update of a call. An agent that uses the provider's ids can
// show a call even before the proxy has read anything of it, but only after the calls that have begun. An agent with
// its own ids shows calls once they have begun, and in their order unless its ids contain the provider's.
func (w *world) mayReport(i int, lag bool) bool {
	c := w.calls[i]
	own := strings.HasPrefix(c.id, "own") || c.late && !c.over // nothing else identifies the call
	if !c.reported && !c.begun && (own || c.id != c.provider) {
		return false
	}
	for j, other := range w.calls {
		if !c.reported && !other.reported && (own && j < i || !c.begun && other.begun) {
			return false
		}
	}
	what := c.reports[0]
	ahead := lag && c.begun && (c.reported || !own) && (c.asked == c.input || c.asked == "" && what != "end" && what != "fail")
	return ahead || c.over || what == "show" || what == "show {}" || c.begun && what == "part"
}

// In any history, the input of a call is shown in order, in the agent's call that it belongs to, and never again once
// it was reported whole.
func TestRandomHistoriesOfWrittenCalls(t *testing.T) { checkHistories(t, false) }

// The proxy reads a response after passing it on, so the agent can report a call before its input was read.
func TestRandomHistoriesOfAgentsAheadOfTheProxy(t *testing.T) { checkHistories(t, true) }

func checkHistories(t *testing.T, lag bool) {
	histories(t, func(t *testing.T, seed uint64) {
		w := newWorld(t, seed)
		w.run(lag)
		for _, c := range w.calls {
			s := w.shown[c.id]
			if s == nil || c.broken {
				continue
			}
			if c.asked == "" && s.text != c.input {
				w.fail("%s shows %q at its end", c.id, s.text)
			}
			if s.last != "" && s.last != c.asked {
				w.fail("%s was reported with %q and has %q", c.id, c.asked, s.last)
			}
			if s.text != c.input && s.last == "" {
				w.fail("%s has %q and nothing else", c.id, s.text)
			}
		}
		if w.Forget(); len(w.Calls.calls)+len(w.byID) > 0 {
			w.fail("calls are kept after the run")
		}
	})
}

func histories(t *testing.T, run func(t *testing.T, seed uint64)) {
	for s := range simtest.Seeds(5000) {
		run(t, s)
	}
}

package gatedrafts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/space/modelcalls"
)

// planned is a call as it really happens.
type planned struct {
	id, tool, space, text string
	args                  string // as the model writes them
	sent                  string // as they arrive, "" if they don't
	drawnAs               string // its display, once it has arrived
	steps                 []string
	at                    int // bytes of args that are written
}

// history runs calls that are made up from a seed.
type history struct {
	*world
	rnd    *rand.Rand
	calls  []*planned
	pauses bool // some messages end the message that they are in
}

func (h *history) plan(i int) *planned {
	c := &planned{id: fmt.Sprint("line", i), tool: []string{SendMessage, SendMessage, table}[h.rnd.IntN(3)]}
	c.space = []string{"own", "a", "a", "b", "strange"}[h.rnd.IntN(5)]
	c.text = fmt.Sprintf("text %d of %s", i, c.space)
	where, what := fmt.Sprintf(`"spaceId":%q`, c.space), fmt.Sprintf(`"text":%q`, c.text)
	if c.tool == table {
		where, what = fmt.Sprintf(`"targetSpaceId":%q`, c.space), fmt.Sprintf(`"rows":[%d]`, i)
	}
	if c.args = "{" + where + "," + what + "}"; h.rnd.IntN(2) == 0 {
		c.args = "{" + what + "," + where + "}"
	}
	way := [][]string{{"announce", "write", "write", "rest"}, {"announce", "write", "write", "rest", "run"}, {"whole"}, {"announce", "run"}, {}}[h.rnd.IntN(5)]
	if c.tool == SendMessage && h.rnd.IntN(3) == 0 {
		way = [][]string{{"ahead", "ahead", "catch", "run"}, {"ahead", "aheadRest"}, {"ahead", "broken"}, {"ahead", "aheadRest", "catch"}}[h.rnd.IntN(4)]
	}
	c.steps = slices.Clone(way)
	if c.space != "strange" && h.rnd.IntN(4) > 0 {
		c.sent = c.args
		if h.rnd.IntN(6) == 0 && c.tool == SendMessage {
			c.text = "another " + c.text
			c.sent = fmt.Sprintf(`{"spaceId":%q,"text":%q}`, c.space, c.text)
		}
		c.steps = append(c.steps, "arrive")
	}
	if shown := slices.ContainsFunc(way, func(s string) bool { return s == "announce" || s == "whole" || s == "catch" }); shown && h.rnd.IntN(4) > 0 {
		c.steps = append(c.steps, "end")
	}
	return c
}

func (h *history) step(c *planned) {
	what := c.steps[0]
	c.steps = c.steps[1:]
	h.log = append(h.log, c.id+" "+what+" "+c.args)
	key := modelcalls.Key{Request: 1, Call: int(c.id[4]-'0') + 1}
	running := transcript.StatusRunning
	switch what {
	case "announce":
		h.announces(c.id, c.tool, "")
	case "whole":
		h.announces(c.id, c.tool, c.args)
	case "write":
		h.writes(c.id, h.next(c, h.rnd.IntN(20)))
	case "rest":
		h.writes(c.id, h.next(c, len(c.args)))
	case "run":
		h.report(&transcript.ToolPatch{ID: c.id, Status: &running, Input: jsontext.Value(c.args)})
	case "ahead", "aheadRest", "broken":
		n := h.rnd.IntN(30)
		if what == "aheadRest" {
			n = len(c.args)
		}
		change := modelcalls.Change{Kind: modelcalls.Ahead, Key: key, Text: h.next(c, n), Broken: what == "broken"}
		if c.at == len(c.args) && !change.Broken {
			change.Whole = jsontext.Value(c.args)
		}
		h.Write([]modelcalls.Change{change})
	case "catch":
		h.Caught(&key, c.id)
		h.announces(c.id, c.tool, "")
		h.Write([]modelcalls.Change{{Kind: modelcalls.Missed, ID: c.id, Text: c.args[:c.at]}})
		if rest := h.next(c, len(c.args)); rest != "" {
			h.Write([]modelcalls.Change{{Kind: modelcalls.Fragment, ID: c.id, Text: rest}})
		}
	case "arrive":
		a := h.arrives(c.tool, c.sent)
		if a.Call != nil {
			h.log = append(h.log, "  at "+a.Call.ID)
		}
		if c.tool == SendMessage {
			h.sent(a, c.space, c.text, h.pauses && h.rnd.IntN(3) == 0)
		} else {
			c.drawnAs = h.drawn(a, c.space)
		}
	case "end":
		status := transcript.StatusFailed
		if c.sent != "" {
			status = transcript.StatusCompleted
		}
		h.ends(c.id, status)
	}
}

// next returns the next n bytes of what a model writes.
func (h *history) next(c *planned, n int) string {
	n = min(n, len(c.args)-c.at)
	c.at += n
	return c.args[c.at-n : c.at]
}

// check checks the result once the run is over.
func (h *history) check() {
	for _, p := range []*place{h.own, h.away["a"], h.away["b"]} {
		var want []string
		for _, c := range h.calls {
			if c.sent != "" && c.tool == SendMessage && c.space == p.id {
				want = append(want, c.text)
			}
		}
		sent, unsent, open, notes := p.texts()
		open = h.joined(open, sent, unsent)
		slices.Sort(sent)
		slices.Sort(want)
		if !slices.Equal(sent, want) || len(open) > 0 {
			h.fail("%s has sent %q, not %q; open is %q", p.id, sent, want, open)
		}
		if n := strings.Count(strings.Join(notes, " "), "The text above"); n != len(unsent) {
			h.fail("%s has the unsent texts %q and the notes %q", p.id, unsent, notes)
		}
		for _, text := range unsent {
			if !slices.ContainsFunc(h.calls, func(c *planned) bool { return strings.Contains(c.args, text) && c.space == p.id }) {
				h.fail("%s shows %q, which nobody has written to it", p.id, text)
			}
		}
		h.checkDisplays(p)
	}
}

// joined joins texts that continue after a note, and returns the others.
func (h *history) joined(open []string, ended ...[]string) (left []string) {
	for _, begin := range slices.Backward(open) {
		found := false
		for _, list := range ended {
			for i, rest := range list {
				if !found && slices.ContainsFunc(h.calls, func(c *planned) bool { return strings.Contains(c.args, `"`+begin+rest) }) {
					list[i], found = begin+rest, true
				}
			}
		}
		if !found {
			left = append(left, begin)
		}
	}
	return left
}

// checkDisplays checks the displays of a space: only those that arrived for it, and none that still looks pending.
func (h *history) checkDisplays(p *place) {
	for _, m := range p.conv.Messages {
		for _, s := range m.Segments {
			for _, item := range s.Items {
				call := item.Call
				if call == nil || call.Kind != transcript.KindDisplay || call.Status == transcript.StatusFailed {
					continue
				}
				if !slices.ContainsFunc(h.calls, func(c *planned) bool { return c.space == p.id && c.drawnAs == call.ID }) {
					h.fail("%s shows %s, which hasn't arrived", p.id, call.ID)
				}
			}
		}
	}
	for _, c := range h.calls {
		if c.drawnAs != "" && c.space == p.id {
			if call := p.call(c.drawnAs); call == nil || call.Kind != transcript.KindDisplay || call.Status == transcript.StatusFailed {
				h.fail("%s shows %+v for %s", p.id, call, c.id)
			}
		}
	}
}

// In any history, each message appears once, whole, in the space that it was sent to. Other text of messages is
// marked as not sent, and only displays that arrived are drawn.
func TestRandomHistoriesOfDrafts(t *testing.T) {
	for s := range simtest.Seeds(raced.Of(5000)) {
		h := &history{world: newWorld(t), rnd: rand.New(rand.NewPCG(s, 39))}
		h.pauses = s%2 == 0
		h.name = fmt.Sprint("seed ", s)
		for i := range 1 + h.rnd.IntN(4) {
			h.calls = append(h.calls, h.plan(i))
		}
		for {
			var next []*planned
			for _, c := range h.calls {
				if len(c.steps) > 0 {
					next = append(next, c)
				}
			}
			if len(next) == 0 {
				break
			}
			h.step(next[h.rnd.IntN(len(next))])
		}
		h.over()
		h.check()
	}
}

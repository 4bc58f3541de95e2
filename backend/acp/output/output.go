// Package output reads the output of terminals that an agent only shows, in the _meta of its tool calls.
package output

import (
	"hash/maphash"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

const (
	maxCalls     = 512 // with output, that are remembered
	maxTerminals = 64  // of a call
	minRepeating = 4   // bytes; a shorter beginning may repeat by chance
)

// Seen remembers, per terminal that an agent reports, how much of its output was already delivered. It holds a length and a hash each, never
// text. The zero value has seen nothing.
//
// The convention (Zed's; Codex, Claude and Pi follow it) is that terminal_output and terminal_output_delta carry the next piece. Some send all of
// the output so far under terminal_output. Whoever begins with everything that came before and continues is taken to do that, and only what is new
// is passed on.
type Seen struct {
	seed  maphash.Seed
	calls map[key]*call
	order []key // oldest first
}

type key struct{ session, call string }

type call struct {
	terminals map[string]*terminal
	over      bool
}

type terminal struct {
	hash    maphash.Hash
	size    int
	resends bool
}

// Report takes what an agent reports of a call, with its _meta, which may be nil, and returns what that adds to the output, "" if nothing. A call
// that is announced again after its end begins with no output: agents use ids again.
func (s *Seen) Report(session string, p *transcript.ToolPatch, meta []byte) (added string) {
	k := key{session, p.ID}
	c := s.calls[k]
	if c != nil && c.over && p.Announced {
		c.terminals, c.over = map[string]*terminal{}, false
	}
	for name, value := range scan.Fields(meta) {
		whole := false
		switch string(name) {
		case "terminal_output":
			whole = true
		case "terminal_output_delta":
		default:
			continue
		}
		data, ok := scan.Text(scan.Member(value, "data"))
		if !ok || data == "" {
			continue
		}
		id, _ := scan.Label(scan.Member(value, "terminal_id"))
		if c == nil {
			c = s.remember(k)
		}
		added += s.next(c, id, data, whole)
	}
	if c != nil && p.Status != nil && p.Status.Ended() {
		c.over = true
	}
	return added
}

// Exit reads how a terminal that is only shown has ended (_meta.terminal_exit), nil if it does not say.
func Exit(meta []byte) *transcript.TerminalExit {
	exit := scan.Member(meta, "terminal_exit")
	if scan.Null(exit) {
		return nil
	}
	var e transcript.TerminalExit
	for _, name := range []string{"exit_code", "exitCode"} {
		if code, ok := scan.Integer(scan.Member(exit, name)); ok && e.Code == nil {
			e.Code = &code
		}
	}
	e.Signal, _ = scan.Text(scan.Member(exit, "signal"))
	if e.Code == nil && e.Signal == "" {
		return nil
	}
	return &e
}

// next returns what data adds to the output of a terminal. Beyond [maxTerminals] everything counts as new.
func (s *Seen) next(c *call, id, data string, whole bool) string {
	t := c.terminals[id]
	if t == nil {
		t = &terminal{}
		t.hash.SetSeed(s.seed)
		if len(c.terminals) < maxTerminals {
			c.terminals[id] = t
		}
	}
	if whole && t.size >= minRepeating && len(data) >= t.size && (t.resends || len(data) > t.size) &&
		maphash.String(s.seed, data[:t.size]) == t.hash.Sum64() {
		t.resends = true
		data = data[t.size:]
	}
	_, _ = t.hash.WriteString(data)
	t.size += len(data)
	return data
}

func (s *Seen) remember(k key) *call {
	if s.calls == nil {
		s.seed = maphash.MakeSeed()
		s.calls = map[key]*call{}
	}
	if len(s.order) == maxCalls {
		delete(s.calls, s.order[0])
		s.order = append(s.order[:0], s.order[1:]...)
	}
	c := &call{terminals: map[string]*terminal{}}
	s.calls[k] = c
	s.order = append(s.order, k)
	return c
}

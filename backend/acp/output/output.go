// Package output reads the output of terminals that the agent runs itself and reports in the _meta of its tool calls.
package output

import (
	"hash/maphash"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

const (
	maxCalls     = 512 // remembered calls with output
	maxTerminals = 64  // per call
	minRepeating = 4   // bytes; a shorter prefix may repeat by chance
)

// Seen tracks how much of each terminal's output was already delivered. It stores a length and a hash per terminal, not
// the text. The zero value is ready to use.
//
// By convention (of Zed; Codex, Claude and Pi follow it), terminal_output and terminal_output_delta carry the next part
// of the output. Some agents send the whole output so far in terminal_output. Seen assumes this if the text begins with
// everything delivered before, and then only returns the rest.
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

// Report reads a tool call update and its _meta, which may be nil, and returns the new output or "". A call that is
// announced again after its end starts with empty output, because agents reuse ids.
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

// Exit reads a terminal's exit status from _meta.terminal_exit. It returns nil if there is none.
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

// next returns the part of data that is new in a terminal's output. Beyond [maxTerminals], all of it counts as new.
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

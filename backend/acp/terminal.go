package acp

import (
	"hash/maphash"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

const (
	maxOutputs   = 512 // terminals that are remembered per connection
	minRepeating = 4   // bytes; a shorter beginning may repeat by chance
)

// outputs remembers, per terminal that an agent reports in _meta, how much of its output
// was already delivered. It holds a length and a hash each, never text.
//
// The convention (Zed's; Codex, Claude and Pi follow it) is that terminal_output and
// terminal_output_delta carry the next piece. Some send all of the output so far under
// terminal_output. Whoever begins with everything that came before and continues is taken
// to do that, and only what is new is passed on.
type outputs struct {
	seed  maphash.Seed
	known map[outputKey]*output
	order []outputKey // oldest first
}

type outputKey struct{ session, call, terminal string }

type output struct {
	hash    maphash.Hash
	size    int
	resends bool
}

// delta returns what meta adds to the output of the call, "" if nothing.
func (o *outputs) delta(session string, p *transcript.ToolPatch, meta []byte) string {
	var added string
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
		terminal, _ := scan.Label(scan.Member(value, "terminal_id"))
		added += o.next(outputKey{session, p.ID, terminal}, data, whole)
	}
	return added
}

// exitOf reads how a terminal that is only shown has ended (_meta.terminal_exit), nil if it
// does not say.
func exitOf(meta []byte) *transcript.TerminalExit {
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

func (o *outputs) next(key outputKey, data string, whole bool) string {
	t := o.known[key]
	if t == nil {
		t = o.remember(key)
	}
	if whole && t.size >= minRepeating && len(data) >= t.size && (t.resends || len(data) > t.size) &&
		maphash.String(o.seed, data[:t.size]) == t.hash.Sum64() {
		t.resends = true
		data = data[t.size:]
	}
	_, _ = t.hash.WriteString(data)
	t.size += len(data)
	return data
}

func (o *outputs) remember(key outputKey) *output {
	if o.known == nil {
		o.seed = maphash.MakeSeed()
		o.known = map[outputKey]*output{}
	}
	if len(o.order) == maxOutputs {
		delete(o.known, o.order[0])
		o.order = append(o.order[:0], o.order[1:]...)
	}
	t := &output{}
	t.hash.SetSeed(o.seed)
	o.known[key] = t
	o.order = append(o.order, key)
	return t
}

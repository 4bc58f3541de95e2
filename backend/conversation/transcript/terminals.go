package transcript

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
)

// Terminals are the terminals that Weft runs for the agent of a session, while they can still change. A terminal
// belongs to the first call whose content names it.
type Terminals struct {
	known map[string]*terminal
	at    map[string]string // the calls that show terminals; old ones are forgotten
}

// maxPlaces is the number of terminals whose call is remembered.
const maxPlaces = 256

// maxTerminals is the maximum number of terminals of one call, because they are in its row. Further terminals get
// separate calls.
const maxTerminals = 16

type terminal struct {
	id, command string
	started     int64
	made        string // the call that created it, "" if unknown

	// The call that shows it; nil if it is not shown yet.
	calls *toolCalls // of the message
	call  *call
	own   bool // Weft added the call for it

	// Output and end from before it was shown.
	text   string
	offset int64
	end    *TerminalResult
}

// TerminalResult is the end of a terminal.
type TerminalResult struct {
	TerminalExit
	At   int64  // unix ms
	Size int64  // bytes of the whole output
	Kept string // the end of the output, if the deltas don't have all of it
}

// Started registers a terminal. It is shown when a call names it, or by [Turns.ShowTerminal]. made is the call that
// created it, "" if unknown.
func (s *Terminals) Started(id, command, made string, now int64) {
	if s.known == nil {
		s.known = map[string]*terminal{}
	}
	s.known[id] = &terminal{id: id, command: clip.JSON(command, maxLabel), started: now, made: made}
}

// Output adds text at the given byte offset of a terminal's output. Text that does not start at the end of the output
// replaces it.
func (s *Terminals) Output(id, text string, offset int64) {
	e := s.known[id]
	switch {
	case e == nil || text == "":
	case e.call != nil:
		e.write(text, offset)
	case offset == e.offset+int64(len(e.text)):
		e.text += text
	default:
		e.text, e.offset = text, offset
	}
}

// Ended reports the end of a terminal's command.
func (s *Terminals) Ended(id string, r TerminalResult) {
	e := s.known[id]
	if e == nil {
		return
	}
	e.end = &r
	if e.call != nil {
		s.finish(e)
	}
}

// At returns the call that shows a terminal, even if it has ended, or "".
func (s *Terminals) At(id string) string { return s.at[id] }

// ShowTerminal shows a terminal that no call has named: in the call that created it, or else in a new call of the
// current message. own says that the call is Weft's and ends with the terminal.
func (t *Turns) ShowTerminal(id string, own bool, now int64) {
	e := t.Terminals.known[id]
	if e == nil || e.call != nil {
		return
	}
	content := []Content{{Type: "terminal", Terminal: id}}
	if f := t.With(e.made); f != nil && e.made != "" {
		e.own = own
		f.calls.terminals.named(&f.calls, f.calls.get(e.made), content)
		if e.call != nil {
			return
		}
	}
	e.own = true
	status, kind, name := StatusRunning, "execute", "terminal"
	input, err := json.Marshal(struct {
		Command string `json:"command"`
	}{e.command}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		input = nil // it can't be encoded, but the title has the text
	}
	t.message().tool(&ToolPatch{ID: id, Announced: true, Title: &e.command, Kind: &kind, Name: &name, Status: &status, Content: &content, Input: input}, now)
}

// named shows the terminals that the content of a call names for the first time.
func (s *Terminals) named(m *toolCalls, c *call, content []Content) {
	if s == nil {
		return
	}
	for i := range content {
		e := s.known[content[i].Terminal]
		if content[i].Type != "terminal" || e == nil || e.call != nil || c.output.terminals == maxTerminals {
			continue
		}
		c.output.terminals++
		e.calls, e.call = m, c
		if s.at == nil || len(s.at) >= maxPlaces {
			s.at = map[string]string{}
		}
		s.at[e.id] = c.id
		m.box.add(&TerminalStart{At: c.at, ToolCallID: c.id, TerminalID: e.id, Command: e.command, StartedAt: e.started})
		e.write(e.text, e.offset)
		e.text = ""
		if e.end != nil {
			s.finish(e)
		}
	}
}

// write writes a piece of the output.
func (e *terminal) write(text string, offset int64) {
	e.call.facts.Streamed(text)
	o := e.calls.box
	for len(text) > 0 {
		n, _ := clip.FitJSON(text, maxDelta)
		o.add(&ToolOutputDelta{At: e.call.at, ToolCallID: e.call.id, TerminalID: e.id, Delta: text[:n], Offset: offset})
		o.bytes += n
		text, offset = text[n:], offset+int64(n)
	}
}

// finish writes the end of a shown terminal and forgets it.
func (s *Terminals) finish(e *terminal) {
	m, c, r := e.calls, e.call, e.end
	took := max(0, r.At-e.started)
	b := &TerminalEnd{At: c.at, ToolCallID: c.id, TerminalID: e.id, TerminalExit: r.TerminalExit, DurationMs: &took, Size: r.Size}
	if r.Kept != "" {
		b.Ref = m.box.store([]byte(r.Kept), mimeText)
	}
	m.box.add(b)
	delete(s.known, e.id)
	c.facts.Exited(r.Code, r.Signal)
	switch {
	case c.status.Ended():
		m.reconsider(c, nil)
	case e.own:
		status := StatusCompleted
		switch {
		case r.Code == nil || r.Killed:
			status = StatusCancelled
		case *r.Code != 0:
			status = StatusFailed
		}
		m.change(c, &ToolPatch{ID: c.id, Status: &status}, r.At)
	}
}

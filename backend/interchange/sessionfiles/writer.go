package sessionfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"slices"
	"strconv"

	"weft/backend/acp/callids"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Meta is what is known of a conversation besides its messages.
type Meta struct {
	Session string // the id that the program gave it
	Title   string // "" if the program gave it none
	Folder  string // absolute, "" if that is not known
	Started int64  // unix ms, 0 if that is not known
}

// Path is a way through a conversation, from its first entry to one of its last. Most conversations have one.
type Path struct {
	Key     string // identifies the last entry of the path in a tree; "" where there is one path
	Was     string // the key of the [Known] that it continues, as it was then
	From    string // the key of the path that it shares its first messages with; not used for the first path
	Shared  string // the id of the last shared message, "" if there is none
	Branch  bool   // it isn't the first path
	Current bool   // the program continues with it
	Salt    string // makes the ids of its messages others than those of the path that it leaves
	Meta
}

// Known is what an earlier import has read of a path.
type Known struct {
	Key     string
	Entries int    // how many there were
	Sum     uint64 // of their keys
}

// Piece is what an entry adds to a message, as events.
type Piece struct {
	MessageID string
	At        int64 // unix ms
	Size      int   // about, in bytes
	transcript.Output
}

// Sink takes what a [Writer] makes. An error of it ends the reading.
type Sink interface {
	// Begin begins a path. The Writer only sends what is new since known, which is nil for a path that is new.
	Begin(p Path) (known *Known, err error)
	Add(p Piece) error
	// End ends the path, with a name for it where it has no title, and what to remember.
	End(name string, read Known) error
}

var (
	// ErrRewritten says that what was imported before is not in the file any more as it was.
	ErrRewritten = errors.New("earlier entries have changed")
	// ErrSkip is returned by a Sink for a conversation that isn't wanted.
	ErrSkip = errors.New("not wanted")
)

// Writer makes events of what a program has kept of a conversation.
type Writer struct {
	message
	report
	sink    Sink
	program string
	agent   transcript.Author
	now     int64
	known   []Known
	undated int64 // the time of entries without one, unix ms

	path   Path
	before *Known // what was imported of the path
	read   Known
	sum    uint64
	caught bool // what follows is new
	begun  bool // there is a path
}

// message is the message that is being written, and the entry that adds to it.
type message struct {
	box   transcript.Outbox
	fold  *transcript.Fold // nil where none is open
	calls calls            // of it
	role  transcript.Role
	id    string
	stop  string
	parts int
	under string          // the call that what follows belongs to
	at    int64           // of the entry
	prev  int64           // of the entry before
	name  string          // what the user said first on the path
	wrote bool            // the entry has added something
	ids   map[string]bool // of the messages of the path
	// started are the messages that the entry has begun.
	started []string
	ended   bool // an earlier import has ended the message, and nothing was added to it since
}

// calls are what is known of the calls of a message.
type calls struct {
	*callids.IDs
	unnamed map[string][]string // those without an id that have no result yet, by their tools
}

// report is what is said about the conversation.
type report struct {
	notes  []string
	broken int // lines
	strays int // results whose calls aren't in their turn
}

// NewWriter returns a Writer into sink. Author is the agent that is shown as the author of its messages, now the
// present in unix ms, and known what was imported of the conversation before.
func NewWriter(sink Sink, program string, author transcript.Author, now int64, known []Known) *Writer {
	return &Writer{sink: sink, program: program, agent: author, now: now, known: known}
}

// Known returns what was imported before, for readers that have to find out which path continues which.
func (w *Writer) Known() []Known { return w.known }

// Now returns the present in unix ms, as it is for the import.
func (w *Writer) Now() int64 { return w.now }

// Note adds a sentence about the conversation to the report.
func (r *report) Note(note fault.Said) {
	sentence := note.String()
	for _, n := range r.notes {
		if n == sentence {
			return
		}
	}
	r.notes = append(r.notes, sentence)
}

// Count is Note of what was left out, see [fault.Counted]; nothing for none.
func (r *report) Count(n int, one, many fault.Template) {
	if n > 0 {
		r.Note(fault.Counted(n, one, many))
	}
}

// Broken notes how many lines couldn't be read.
func (r *report) Broken(lines int) { r.broken += lines }

// Lost reports whether there are lines that couldn't be read.
func (r *report) Lost() bool { return r.broken > 0 }

// TooLarge writes that an entry isn't there because of its size.
func (w *Writer) TooLarge(key string) error {
	if err := w.Turn(key, ""); err != nil {
		return err
	}
	w.Says(fault.Say("An entry that is larger than {{max}} MB was left out.", MaxEntry>>20))
	return nil
}

// Notes returns what was noted.
func (r *report) Notes() []string {
	all := report{notes: slices.Clone(r.notes)}
	all.Count(r.broken, "1 line couldn't be read.", "{{n}} lines couldn't be read.")
	all.Count(r.strays, "1 result was left out because its tool call isn't in the same turn.", "{{n}} results were left out because their tool calls aren't in the same turns.")
	return all.notes
}

// Undated sets the time of entries without one, where none before them has one either. The file's own serves.
func (w *Writer) Undated(at int64) { w.undated = at }

// Begin begins a path.
func (w *Writer) Begin(p Path) error {
	known, err := w.sink.Begin(p)
	if err != nil {
		return err
	}
	w.begun = true
	w.path, w.before, w.read, w.sum, w.name = p, known, Known{Key: p.Key}, 0, ""
	w.caught = known == nil || known.Entries == 0
	w.at, w.prev, w.fold, w.ended, w.ids = 0, 0, nil, false, map[string]bool{}
	return nil
}

// Entry begins an entry of the path. key identifies it and says whether it is still the same; at is its time in unix
// ms, 0 if it has none.
func (w *Writer) Entry(key []byte, at int64) error {
	if w.before != nil && !w.caught && w.read.Entries == w.before.Entries {
		if err := w.catchUp(); err != nil {
			return err
		}
	}
	w.Inner(key)
	w.read.Entries++
	switch {
	case at <= 0:
		if at = w.prev; at <= 0 {
			at = max(min(w.undated, w.now), 1)
		}
	case at > w.now:
		at = max(w.now, w.prev)
		w.Note(fault.Say("Some times were in the future and were replaced."))
	}
	w.at, w.prev, w.wrote, w.started = at, at, false, w.started[:0]
	return nil
}

// Only is Entry for a conversation of one path, which it begins with its first entry. Below a call, it is Inner.
func (w *Writer) Only(meta Meta, key string, at int64) error {
	if w.under != "" {
		w.Inner([]byte(key))
		return nil
	}
	if !w.begun {
		if err := w.Begin(Path{Current: true, Meta: meta}); err != nil {
			return err
		}
	}
	return w.Entry([]byte(key), at)
}

// Begun reports whether there is a path.
func (w *Writer) Begun() bool { return w.begun }

// Inner notes an entry that is a part of the one that was begun, such as one of a sub-agent.
func (w *Writer) Inner(key []byte) {
	h := fnv.New64a()
	_, _ = h.Write(key)
	w.sum = w.sum*1099511628211 ^ h.Sum64()
}

// Wrote reports whether the entry has added something.
func (m *message) Wrote() bool { return m.wrote }

// catchUp ends the part of the path that was imported before, as it was ended then.
func (w *Writer) catchUp() error {
	if w.sum != w.before.Sum {
		return ErrRewritten
	}
	if w.fold != nil {
		w.end()
		w.ended = true
	}
	w.box.Take()
	w.caught = true
	return nil
}

// Flush sends what the entry has added.
func (w *Writer) Flush() error {
	size := w.box.Size()
	out := w.box.Take()
	if len(out.Bodies) == 0 && len(out.Blobs) == 0 || !w.caught {
		return nil
	}
	return w.sink.Add(Piece{MessageID: w.id, At: w.at, Size: size, Output: out})
}

// Close ends the path.
func (w *Writer) Close() error {
	if !w.caught {
		if w.read.Entries < w.before.Entries {
			return ErrRewritten
		}
		if err := w.catchUp(); err != nil {
			return err
		}
	}
	if err := w.closeMessage(); err != nil {
		return err
	}
	w.read.Sum = w.sum
	return w.sink.End(w.name, w.read)
}

// MessageID returns the id of the message that is open, "" if there is none.
func (m *message) MessageID() string {
	if m.fold == nil {
		return ""
	}
	return m.id
}

// Prompting reports whether a message of the user is open.
func (m *message) Prompting() bool { return m.fold != nil && m.role == transcript.RoleUser }

// ID returns the id that a message gets which begins with an entry.
func (w *Writer) ID(entry string) string {
	sum := sha256.Sum256([]byte(w.program + "\x00" + w.path.Session + "\x00" + w.path.Salt + "\x00" + entry))
	return hex.EncodeToString(sum[:8])
}

// Prompt begins a message of the user with the entry of that key.
func (w *Writer) Prompt(key string) error {
	return w.start(key, transcript.RoleUser, "")
}

// Turn begins a message of the agent with the entry of that key, unless one is open.
func (w *Writer) Turn(key, model string) error {
	if w.fold != nil && w.role == transcript.RoleAgent {
		if model != "" {
			w.fold.Model = model
		}
		return nil
	}
	return w.start(key, transcript.RoleAgent, model)
}

// unused returns the id of a message that begins with an entry. An entry may begin several.
func (w *Writer) unused(key string) string {
	id := w.ID(key)
	for n := 2; w.ids[id]; n++ {
		id = w.ID(key + "\x00" + strconv.Itoa(n))
	}
	w.ids[id] = true
	return id
}

func (w *Writer) start(key string, role transcript.Role, model string) error {
	if err := w.closeMessage(); err != nil {
		return err
	}
	w.id, w.role, w.stop, w.parts = w.unused(key), role, "", 0
	w.started = append(w.started, w.id)
	start := transcript.MessageStart{MessageID: w.id, Role: role, Author: transcript.Author{Kind: "person"}}
	if role == transcript.RoleAgent {
		start.Author, start.Model = w.agent, model
	}
	w.fold = transcript.NewFold(&w.box, start)
	w.fold.Model = model
	w.calls = calls{IDs: callids.NewOf(w.fold)}
	w.wrote = true
	return nil
}

// closeMessage ends the message that is open.
func (w *Writer) closeMessage() error {
	if w.fold == nil {
		return nil
	}
	if !w.ended {
		w.end()
	}
	err := w.Flush()
	w.fold, w.ended = nil, false
	return err
}

// end writes the end of the message, with that of calls whose results are not known.
func (m *message) end() {
	stop := ""
	if m.role == transcript.RoleAgent {
		stop = "end_turn"
		if m.stop != "" {
			stop = m.stop
		}
	}
	at := max(m.at, m.prev)
	m.fold.End(stop, nil, at)
	m.fold.CancelOpen(at)
}

// Stop says why the turn ended, as ACP names it.
func (m *message) Stop(reason string) {
	m.ended = m.ended && reason == m.stop
	m.stop = reason
}

// Under puts what follows below a tool call, that of a sub-agent, until it is called with what it returns.
func (m *message) Under(callID string) (was string) {
	was, m.under = m.under, callID
	return was
}

// Text adds a text, a segment of its own.
func (m *message) Text(s string) {
	if s == "" {
		return
	}
	if m.name == "" && m.role == transcript.RoleUser {
		m.name = clip.Line(s, 80)
	}
	m.parts++
	m.apply(&transcript.Update{Kind: transcript.UpdateText, Text: s, MessageID: strconv.Itoa(m.parts)})
}

// Thought adds a thought.
func (m *message) Thought(s string) {
	m.apply(&transcript.Update{Kind: transcript.UpdateThought, Text: s})
}

// Block adds content that is no text: a picture, a link to a file.
func (m *message) Block(c transcript.Content) {
	m.apply(&transcript.Update{Kind: transcript.UpdateText, Block: &c})
}

// Remark adds a line that is no part of what the agent said: the words of the program.
func (m *message) Remark(s string) {
	if m.fold != nil && s != "" {
		m.wrote, m.ended = true, false
		m.fold.Remark(s)
	}
}

// Says adds a sentence of Weft's, see [transcript.Fold.Note].
func (m *message) Says(sentence fault.Said) { m.Remark(sentence.String()) }

// Call adds a tool call, or what is known of one that is there. One that is there under the same id and has ended is
// another one, unless the file repeats it.
func (m *message) Call(p transcript.ToolPatch) {
	if p.ID == "" || m.fold == nil {
		return
	}
	if m.under != "" && p.ParentID == nil {
		p.ParentID = &m.under
	}
	status := p.Status
	if status != nil && !status.Ended() {
		p.Status = nil // files tell of each call that it was begun
	}
	u := m.calls.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: &p})
	if u.Tool.Announced {
		u.Tool.Status = status
	}
	m.apply(u)
}

// CallID returns an id for a call that has none.
func (m *message) CallID() string {
	m.parts++
	return m.id + "-" + strconv.Itoa(m.parts)
}

// Unnamed returns an id for a call of a tool that has none.
func (m *message) Unnamed(tool string) string {
	id := m.CallID()
	if m.calls.unnamed == nil {
		m.calls.unnamed = map[string][]string{}
	}
	m.calls.unnamed[tool] = append(m.calls.unnamed[tool], id)
	return id
}

// Answered returns the id of the first call of a tool that has none and no result, "" if there is none.
func (m *message) Answered(tool string) string {
	list := m.calls.unnamed[tool]
	if len(list) == 0 {
		return ""
	}
	m.calls.unnamed[tool] = list[1:]
	return list[0]
}

// Result reports whether the message that is open has the tool call of a result. If not, the report says so.
func (w *Writer) Result(id string) bool {
	if w.HasCall(id) {
		return true
	}
	w.strays++
	return false
}

// HasCall reports whether the message that is open has a tool call of that id.
func (m *message) HasCall(id string) bool { return m.fold != nil && m.fold.Knows(m.calls.Of(id)) }

func (m *message) apply(u *transcript.Update) {
	if m.fold == nil {
		return
	}
	u.ParentToolCallID = m.calls.Of(m.under)
	m.wrote, m.ended = true, false
	m.fold.Apply(u, m.at)
}

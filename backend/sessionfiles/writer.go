package sessionfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"

	"weft/backend/clip"
	"weft/backend/transcript"
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
	sink    Sink
	program string
	agent   transcript.Author
	now     int64
	known   []Known

	path   Path
	before *Known // what was imported of the path
	read   Known
	sum    uint64
	caught bool // what follows is new
	name   string
	at     int64 // of the entry
	prev   int64 // of the entry before
	under  string
	box    transcript.Outbox
	fold   *transcript.Fold
	role   transcript.Role
	id     string
	stop   string
	parts  int
	wrote  bool // the entry has added something
	notes  []string
}

// NewWriter returns a Writer into sink. Author is the agent that is shown as the author of its messages, now the present in unix ms, and known
// what was imported of the conversation before.
func NewWriter(sink Sink, program string, author transcript.Author, now int64, known []Known) *Writer {
	return &Writer{sink: sink, program: program, agent: author, now: now, known: known}
}

// Known returns what was imported before, for readers that have to find out which path continues which.
func (w *Writer) Known() []Known { return w.known }

// Now returns the present in unix ms, as it is for the import.
func (w *Writer) Now() int64 { return w.now }

// Note adds a sentence about the conversation to the report.
func (w *Writer) Note(sentence string) {
	for _, n := range w.notes {
		if n == sentence {
			return
		}
	}
	w.notes = append(w.notes, sentence)
}

// Broken notes how many lines couldn't be read.
func (w *Writer) Broken(lines int) {
	switch {
	case lines == 1:
		w.Note("1 line couldn't be read.")
	case lines > 1:
		w.Note(strconv.Itoa(lines) + " lines couldn't be read.")
	}
}

// TooLarge writes that an entry isn't there because of its size.
func (w *Writer) TooLarge(key string) error {
	if err := w.Turn(key, ""); err != nil {
		return err
	}
	w.Remark(fmt.Sprintf("An entry that is larger than %d MB was left out.", MaxEntry>>20))
	return nil
}

// Notes returns what was noted.
func (w *Writer) Notes() []string { return w.notes }

// Begin begins a path.
func (w *Writer) Begin(p Path) error {
	known, err := w.sink.Begin(p)
	if err != nil {
		return err
	}
	w.path, w.before, w.read, w.sum, w.name = p, known, Known{Key: p.Key}, 0, ""
	w.caught = known == nil || known.Entries == 0
	w.at, w.prev, w.fold = 0, 0, nil
	return nil
}

// Entry begins an entry of the path. key identifies it and says whether it is still the same; at is its time in unix ms, 0 if it has none.
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
		at = max(w.prev, 1)
	case at > w.now:
		at = max(w.now, w.prev)
		w.Note("Some times were in the future and were replaced.")
	}
	w.at, w.prev, w.wrote = at, at, false
	return nil
}

// Inner notes an entry that is a part of the one that was begun, such as one of a sub-agent.
func (w *Writer) Inner(key []byte) {
	h := fnv.New64a()
	_, _ = h.Write(key)
	w.sum = w.sum*1099511628211 ^ h.Sum64()
}

// Wrote reports whether the entry has added something.
func (w *Writer) Wrote() bool { return w.wrote }

// catchUp ends the part of the path that was imported before, as it was ended then.
func (w *Writer) catchUp() error {
	if w.sum != w.before.Sum {
		return ErrRewritten
	}
	if w.fold != nil {
		w.end()
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
func (w *Writer) MessageID() string {
	if w.fold == nil {
		return ""
	}
	return w.id
}

// Prompting reports whether a message of the user is open.
func (w *Writer) Prompting() bool { return w.fold != nil && w.role == transcript.RoleUser }

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

func (w *Writer) start(key string, role transcript.Role, model string) error {
	if err := w.closeMessage(); err != nil {
		return err
	}
	w.id, w.role, w.stop, w.parts = w.ID(key), role, "", 0
	start := transcript.MessageStart{MessageID: w.id, Role: role, Author: transcript.Author{Kind: "person"}}
	if role == transcript.RoleAgent {
		start.Author, start.Model = w.agent, model
	}
	w.fold = transcript.NewFold(&w.box, start)
	w.fold.Model = model
	w.wrote = true
	return nil
}

// closeMessage ends the message that is open.
func (w *Writer) closeMessage() error {
	if w.fold == nil {
		return nil
	}
	w.end()
	err := w.Flush()
	w.fold = nil
	return err
}

// end writes the end of the message, with that of calls whose results are not known.
func (w *Writer) end() {
	stop := ""
	if w.role == transcript.RoleAgent {
		stop = "end_turn"
		if w.stop != "" {
			stop = w.stop
		}
	}
	at := max(w.at, w.prev)
	w.fold.End(stop, nil, at)
	w.fold.CancelOpen(at)
}

// Stop says why the turn ended, as ACP names it.
func (w *Writer) Stop(reason string) { w.stop = reason }

// Under puts what follows below a tool call, that of a sub-agent, until it is called with what it returns.
func (w *Writer) Under(callID string) (was string) {
	was, w.under = w.under, callID
	return was
}

// Text adds a text, a segment of its own.
func (w *Writer) Text(s string) {
	if s == "" {
		return
	}
	if w.name == "" && w.role == transcript.RoleUser {
		w.name = clip.Line(s, 80)
	}
	w.parts++
	w.apply(&transcript.Update{Kind: transcript.UpdateText, Text: s, MessageID: strconv.Itoa(w.parts)})
}

// Thought adds a thought.
func (w *Writer) Thought(s string) {
	w.apply(&transcript.Update{Kind: transcript.UpdateThought, Text: s})
}

// Block adds content that is no text: a picture, a link to a file.
func (w *Writer) Block(c transcript.Content) {
	w.apply(&transcript.Update{Kind: transcript.UpdateText, Block: &c})
}

// Remark adds a line of Weft itself.
func (w *Writer) Remark(s string) {
	if w.fold != nil {
		w.fold.Note(s)
	}
}

// Call adds a tool call, or what is known of one that is there.
func (w *Writer) Call(p transcript.ToolPatch) {
	if p.ID == "" {
		return
	}
	if w.under != "" && p.ParentID == nil {
		p.ParentID = &w.under
	}
	w.apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &p})
}

// HasCall reports whether the message that is open has a tool call of that id.
func (w *Writer) HasCall(id string) bool { return w.fold != nil && w.fold.Knows(id) }

func (w *Writer) apply(u *transcript.Update) {
	if w.fold == nil {
		return
	}
	u.ParentToolCallID = w.under
	w.wrote = true
	w.fold.Apply(u, w.at)
}

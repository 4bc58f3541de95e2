package sessionfiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strconv"

	"weft/backend/base/fault"
)

// EntryID is the id of an entry in a tree.
type EntryID [16]byte

// NoEntry is the id of no entry.
var NoEntry EntryID

// ReadEntryID makes an EntryID of an id as it is written.
func ReadEntryID(s []byte) (id EntryID) {
	if len(s) == 0 {
		return NoEntry
	}
	var digits [32]byte
	n := 0
	for _, c := range s {
		if c == '-' {
			continue
		}
		if n == len(digits) {
			n++
			break
		}
		digits[n] = c
		n++
	}
	if n == len(digits) {
		if _, err := hex.Decode(id[:], digits[:]); err == nil && id != NoEntry {
			return id
		}
	}
	sum := sha256.Sum256(s)
	copy(id[:], sum[:])
	return id
}

// EntryKind is what an entry means for the branches of a conversation.
type EntryKind uint8

// The kinds of entries.
const (
	EntryBeside EntryKind = iota // neither of the others, such as the result of a tool
	EntryPrompt                  // the user has said something: another prompt in its place is a branch
	EntrySaid                    // a piece of a response of the model: another response in its place is a branch
)

// Entry is an entry of a conversation whose entries name the one before them.
type Entry struct {
	ID, Parent EntryID // Parent is NoEntry for the first entry
	Kind       EntryKind
	Response   uint64 // identifies the response of EntrySaid; its pieces may follow each other in several ways
	At         int64  // unix ms, 0 if unknown
	Offset     int64
	Size       int64
	Sum        uint64 // of its text, 0 if it isn't known
}

// Tree is a conversation whose entries name the one before them, so that it can have branches. It holds about 110 bytes
// for each entry.
type Tree struct {
	entries  []Entry
	doubles  int // entries that were left out, as another one has their id
	byID     map[EntryID]int32
	parents  []int32 // -1 for the first ones
	children []int32 // how many
	owner    []int32 // the way that an entry is on
	message  []int32 // the message of its way that it is in, from 1
	place    []int32 // in the sequence of its way
	ways     []*way
	// responses are those that are on ways.
	responses map[responseOn]bool
}

// way is a path through the tree. It has the entries that no earlier way has.
type way struct {
	leaf     int32
	known    int   // which of the [Known] it continues, -1 for none
	from     int   // the way that it leaves, -1 for the first one
	fork     int32 // the last entry that it shares with it, -1 if there is none
	own      []int32
	sequence []int32 // of the entries to write
	ids      []string
	first    []int32 // place of the first entry of each message in sequence
	last     []int32 // place of the last entry that added something to it
	offset   int     // how many messages it shares
}

// maxWays is how many branches of a conversation are imported.
const maxWays = 200

// MaxEntries is how many entries of a conversation are read.
const MaxEntries = 4 << 20

// ErrTooMany says that a conversation has more than [MaxEntries].
var ErrTooMany = &FileError{Message: fault.Text("The conversation has more than {{max}} entries.", MaxEntries)}

// NewTree returns an empty tree.
func NewTree() *Tree { return &Tree{byID: map[EntryID]int32{}} }

// Len returns how many entries there are.
func (t *Tree) Len() int { return len(t.entries) }

// Add adds an entry in the order of the file. One whose id is known already is left out.
func (t *Tree) Add(e Entry) error {
	if len(t.entries) == MaxEntries {
		return ErrTooMany
	}
	if first, known := t.byID[e.ID]; known && e.ID != NoEntry {
		if t.entries[first].Sum != e.Sum {
			t.doubles++
		}
		return nil
	}
	if e.ID != NoEntry {
		t.byID[e.ID] = int32(len(t.entries))
	}
	t.entries = append(t.entries, e)
	return nil
}

// AddLarge adds a line that is too large to be looked at. It follows the entry before it.
func (t *Tree) AddLarge(l *Line) error { return t.Add(Unnamed(Entry{Offset: l.Offset, Size: l.Size})) }

// Unnamed returns an entry that has no id with one of its own, so that it follows the entry before it.
func Unnamed(e Entry) Entry {
	at := func(offset int64) EntryID { return ReadEntryID([]byte("offset " + strconv.FormatInt(offset, 10))) }
	e.ID, e.Parent = at(e.Offset), at(-1)
	return e
}

// connect finds the entries before entries. One whose parent is missing follows the entry before it in the file, so
// that damage in the middle doesn't cut a conversation in two; circles are opened.
func (t *Tree) connect() {
	n := len(t.entries)
	t.parents, t.children = make([]int32, n), make([]int32, n)
	t.owner, t.message, t.place = make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range t.entries {
		e := &t.entries[i]
		t.owner[i] = -1
		p := int32(-1)
		if e.Parent != NoEntry {
			before, found := t.byID[e.Parent]
			if p = before; !found || p == int32(i) {
				p = int32(i) - 1
			}
		}
		t.parents[i] = p
	}
	// 0: not looked at, 1: on the way, 2: leads to a first entry.
	state := make([]uint8, n)
	for i := range t.entries {
		at := int32(i)
		for at >= 0 && state[at] == 0 {
			state[at] = 1
			next := t.parents[at]
			if next >= 0 && state[next] == 1 {
				t.parents[at] = -1
				break
			}
			at = next
		}
		for at = int32(i); at >= 0 && state[at] == 1; at = t.parents[at] {
			state[at] = 2
		}
	}
	for _, p := range t.parents {
		if p >= 0 {
			t.children[p]++
		}
	}
}

// leaf is the last entry of a path, and which of the [Known] it continues, -1 for none.
type leaf struct {
	entry int32
	known int
}

// leaves returns the ends of all paths, newest first. The first one is of a path on which something was said, if there
// is one.
func (t *Tree) leaves() (list []leaf) {
	first := -1
	for i := len(t.entries) - 1; i >= 0; i-- {
		if t.children[i] != 0 {
			continue
		}
		if first < 0 && t.says(int32(i)) {
			first = len(list)
		}
		list = append(list, leaf{int32(i), -1})
	}
	if first > 0 {
		one := list[first]
		list = slices.Insert(slices.Delete(list, first, first+1), 0, one)
	}
	return list
}

// says reports whether something was said on the path to an entry.
func (t *Tree) says(at int32) bool {
	for ; at >= 0; at = t.parents[at] {
		if t.entries[at].Kind != EntryBeside {
			return true
		}
	}
	return false
}

// part finds the ways through the tree: first those that continue what was imported, in that order, then the current
// one, then the others, newest first. It reports whether some were left out.
func (t *Tree) part(known []Known) (more bool) {
	all := t.leaves()
	if len(known) == 0 {
		return t.take(all)
	}
	// What was imported is continued by the way that has its last entry, also where that has turned out to be beside it.
	t.take(all)
	var order []leaf
	taken := map[int32]bool{}
	for k := range known {
		var id EntryID
		if len(known[k].Key) != 2*len(id) {
			continue
		}
		if _, err := hex.Decode(id[:], []byte(known[k].Key)); err != nil {
			continue
		}
		was, found := t.byID[id]
		if !found || t.owner[was] < 0 {
			continue
		}
		if end := t.ways[t.owner[was]].leaf; !taken[end] {
			taken[end] = true
			order = append(order, leaf{end, k})
		} else if !taken[was] {
			taken[was] = true
			order = append(order, leaf{was, k})
		}
	}
	for _, end := range all {
		if !taken[end.entry] {
			order = append(order, end)
		}
	}
	t.ways, t.responses = nil, nil
	for i := range t.owner {
		t.owner[i] = -1
	}
	return t.take(order)
}

// take makes ways of the paths to leaves, in their order. It reports whether some were left out.
func (t *Tree) take(leaves []leaf) (more bool) {
	for _, end := range leaves {
		var own []int32
		at := end.entry
		for ; at >= 0 && t.owner[at] < 0; at = t.parents[at] {
			own = append(own, at)
		}
		slices.Reverse(own)
		from := -1
		if at >= 0 {
			from = int(t.owner[at])
		}
		switch {
		case len(own) == 0:
			continue
		case len(t.ways) == 0, end.known >= 0:
		case !t.branches(own, from):
			// Results of tools that ran side by side hang on different pieces of one response.
			if from >= 0 {
				t.ways[from].own = append(t.ways[from].own, own...)
				t.own(own, from)
			}
			continue
		case len(t.ways) == maxWays:
			more = true
			continue
		}
		t.own(own, len(t.ways))
		t.ways = append(t.ways, &way{leaf: end.entry, known: end.known, from: from, fork: at, own: own})
	}
	return more
}

// responseOn is a response of the model that is on a way.
type responseOn struct {
	way int
	id  uint64
}

// own notes which way entries are on.
func (t *Tree) own(entries []int32, way int) {
	if t.responses == nil {
		t.responses = map[responseOn]bool{}
	}
	for _, i := range entries {
		t.owner[i] = int32(way)
		if e := &t.entries[i]; e.Kind == EntrySaid {
			t.responses[responseOn{way, e.Response}] = true
		}
	}
}

// branches reports whether entries are another way on, and not only beside the one that they leave.
func (t *Tree) branches(own []int32, from int) bool {
	for _, i := range own {
		switch e := &t.entries[i]; e.Kind {
		case EntryPrompt:
			return true
		case EntrySaid:
			if !t.responses[responseOn{from, e.Response}] {
				return true
			}
		case EntryBeside:
		}
	}
	return false
}

// Write writes all paths. write is called with each of their entries that are written, and its text, which is nil for
// one that is too large. The text is valid until it returns.
func (t *Tree) Write(ctx context.Context, r io.ReaderAt, w *Writer, meta Meta, write func(e *Entry, text []byte) error) error {
	if len(t.entries) == 0 {
		return nil
	}
	t.connect()
	w.Count(t.doubles, "1 entry was left out because another one has its id.", "{{n}} entries were left out because others have their ids.")
	if t.part(w.Known()) {
		w.Note(fault.Say("Only {{max}} branches were imported.", maxWays))
	}
	if len(w.Known()) > 0 && !slices.ContainsFunc(t.ways, func(one *way) bool { return one.known >= 0 }) {
		return ErrRewritten // nothing of what was imported is in the file
	}
	current := 0
	for i, one := range t.ways {
		if one.leaf > t.ways[current].leaf {
			current = i
		}
	}
	var buf []byte
	for i, one := range t.ways {
		p := Path{Key: t.key(one.leaf), Branch: i > 0, Current: i == current, Meta: meta}
		if one.known >= 0 {
			p.Was = w.Known()[one.known].Key
		}
		t.begin(one, i, &p)
		if err := w.Begin(p); err != nil {
			return err
		}
		for n, at := range one.sequence {
			if err := ctx.Err(); err != nil {
				return err
			}
			e := &t.entries[at]
			var text []byte
			if e.Size <= MaxEntry {
				buf = slices.Grow(buf[:0], int(e.Size))[:e.Size]
				read, err := r.ReadAt(buf, e.Offset)
				if err != nil && !errors.Is(err, io.EOF) {
					return Unreadable(err)
				}
				text = bytes.TrimSpace(buf[:read]) // all of it, unless the file was cut off meanwhile
			}
			if err := w.Entry(e.ID[:], e.At); err != nil {
				return err
			}
			if err := write(e, text); err != nil {
				return err
			}
			t.wrote(one, i, int32(n), at, w)
			if err := w.Flush(); err != nil {
				return err
			}
			if cap(buf) > 4<<20 {
				buf = nil
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) key(entry int32) string { return hex.EncodeToString(t.entries[entry].ID[:]) }

// begin finds out what to write of a way, and what it shares with another one.
func (t *Tree) begin(one *way, index int, p *Path) {
	slices.Sort(one.own)
	one.sequence = one.own
	if index == 0 {
		return
	}
	p.Salt = t.key(one.own[0])
	if one.from < 0 { // the user has replaced the first prompt
		p.From = t.key(t.ways[0].leaf)
		return
	}
	from := t.ways[one.from]
	p.From = t.key(from.leaf)
	k := int(t.message[one.fork]) // it is in the k-th message
	if k > from.offset && k-from.offset <= len(from.last) {
		if m := k - from.offset - 1; from.last[m] > t.place[one.fork] {
			// The way leaves in the middle of a message, whose beginning is written once more.
			first := from.first[m]
			again := slices.Clone(from.sequence[first : t.place[one.fork]+1])
			one.sequence = append(again, one.own...)
			k--
		}
	}
	one.offset = k
	if k > 0 {
		p.Shared = t.messageID(one.from, k)
	}
}

// messageID returns the id of the k-th message of a way.
func (t *Tree) messageID(index, k int) string {
	for one := t.ways[index]; ; one = t.ways[one.from] {
		if k > one.offset {
			return one.ids[k-one.offset-1]
		}
		if one.from < 0 {
			return ""
		}
	}
}

// wrote notes what an entry has added to which message.
func (t *Tree) wrote(one *way, index int, n, at int32, w *Writer) {
	for _, id := range w.started {
		one.ids = append(one.ids, id)
		one.first, one.last = append(one.first, n), append(one.last, n)
	}
	if w.Wrote() && len(one.last) > 0 {
		one.last[len(one.last)-1] = n
	}
	if int(t.owner[at]) == index {
		t.message[at], t.place[at] = int32(one.offset+len(one.ids)), n
	}
}

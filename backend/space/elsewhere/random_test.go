package elsewhere

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
)

// history is a run that writes to other spaces, made up from a seed. Nothing runs concurrently: a goroutine runs when
// the history chooses it, and concurrent events happen where it waits for a space.
type history struct {
	rnd    *rand.Rand
	run    *Run[*space]
	spaces []*space
	moves  []func() // functions that wait for a goroutine
	quiet  bool     // nothing happens meanwhile
	locked string   // which lock is held
	woken  bool     // since the run was crowded
	texts  int
	pieces map[string]string // by token
	all    map[*Message[*space]]bool
	open   []*ending

	log   []string
	fault string
}

// space is a space that the run writes to.
type space struct {
	h       *history
	id      string
	missing bool // it can't be read
	gone    bool
	others  bool // the run's agent isn't a member
	failed  bool // it was missing or gone when something was written
	box     transcript.Outbox
	guests  Guests
	after   []func()

	conv           transcript.Conversation
	seq            int64
	created, ended int
	ends           map[string]bool // messages that have ended
	over           bool

	written [][]string // by message: tokens, in the order in which the run has added them
	began   int        // messages
}

// ending is a result that someone waits for.
type ending struct {
	space *space
	done  chan error
	// It was added, and is stored.
	did, stored bool
}

func (h *history) failf(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
		h.logf("FAULT: %s", h.fault)
	}
}

func (h *history) logf(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}
func (h *history) chance(percent int) bool { return h.rnd.IntN(100) < percent }

func (h *history) unlocked(who string) {
	if h.locked != "" {
		h.failf("%s is called with the lock of %s", who, h.locked)
	}
}

// The space of the run.

func (h *history) Other(spaceID string) (*space, error) {
	h.unlocked("Other")
	h.meanwhile()
	for _, s := range h.spaces {
		if s.id == spaceID && !s.missing {
			return s, nil
		} else if s.id == spaceID {
			s.failed = true
		}
	}
	return nil, &fault.Error{Code: "not_found", Message: "No space found."}
}

func (h *history) Title() string {
	h.unlocked("Title")
	h.meanwhile()
	return "Home"
}

func (h *history) Run(do func()) {
	if h.moves = append(h.moves, do); len(h.moves) > len(h.spaces) {
		h.failf("%d goroutines for %d spaces", len(h.moves), len(h.spaces))
	}
}

func (h *history) Now() int64 { return int64(h.texts) }

func (h *history) Wake() {
	h.unlocked("Wake")
	h.woken = true
}

// The space that is written to.

func (s *space) Enter() error {
	s.h.unlocked("Enter")
	s.h.meanwhile()
	if s.gone {
		s.failed = true
		return &fault.Error{Code: "closing", Message: "This space is being closed."}
	}
	s.h.locked = s.id
	return nil
}

func (s *space) holds(who string) {
	if s.h.locked != s.id {
		s.h.failf("%s of %s is called with the lock of %q", who, s.id, s.h.locked)
	}
}

func (s *space) Unlock() {
	s.holds("Unlock")
	s.h.locked = ""
	s.h.meanwhile()
}

func (s *space) Join(g *Guest) (*transcript.Fold, error) {
	s.holds("Join")
	if s.others {
		s.failed = true
		return nil, &fault.Error{Code: "not_member", Message: "Not a member."}
	}
	s.began++
	f, first := s.guests.Join(&s.box, g, fmt.Sprintf("%s-msg%d", s.id, s.began))
	if first != (s.began == 1) {
		s.h.failf("%s: message %d is the first: %v", s.id, s.began, first)
	}
	return f, nil
}

func (s *space) Over(runID, stopReason string) {
	s.holds("Over")
	s.over = true
	s.guests.Over(&s.box, runID, stopReason)
}

func (s *space) Changed() { s.holds("Changed") }

func (s *space) After(do func()) {
	s.holds("After")
	s.after = append(s.after, do)
}

func (s *space) Flush() {
	s.holds("Flush")
	s.checkWaiting()
	s.commit()
}

func (s *space) Pace(bool) {
	s.holds("Pace")
	for _, e := range s.h.open {
		if e.space == s && e.did && !e.stored {
			s.h.failf("%s: someone waits, and it isn't stored at once", s.id)
		}
	}
	if s.h.chance(50) {
		s.commit()
	}
}

// commit stores what was added to the space.
func (s *space) commit() {
	for _, b := range s.box.Take().Bodies {
		s.seq++
		if err := s.conv.Apply(&transcript.Event{Seq: s.seq, Body: b}); err != nil {
			s.h.failf("%s: %s: %v", s.id, b.EventType(), err)
		}
		switch b := b.(type) {
		case *transcript.MessageEnd:
			if s.ends[b.MessageID] {
				s.h.failf("%s: %s ends twice", s.id, b.MessageID)
			}
			s.ends[b.MessageID] = true
		case *transcript.RunCreated:
			s.created++
		case *transcript.RunCompleted:
			s.ended++
		}
	}
	for _, e := range s.h.open {
		e.stored = e.stored || e.space == s && e.did
	}
	after := s.after
	s.after = nil
	for _, do := range after {
		do()
	}
}

// checkWaiting checks before a commit that nobody has been told that it happened.
func (s *space) checkWaiting() {
	for _, e := range s.h.open {
		select {
		case err := <-e.done:
			e.done <- err
			if e.did && !e.stored {
				s.h.failf("%s: someone was told too early that it is stored", s.id)
			}
		default:
		}
	}
}

// What happens.

// meanwhile is what the run does while another goroutine waits.
func (h *history) meanwhile() {
	for !h.quiet && h.locked == "" && h.chance(20) {
		h.writes()
	}
}

// writes makes the run write to a space.
func (h *history) writes() {
	s := h.spaces[h.rnd.IntN(len(h.spaces))]
	m := h.run.In(s.id, transcript.Author{Kind: "agent", ID: "claude", Name: "Guest", MemberID: "second"})
	if s.over {
		return
	}
	before := h.run.Crowded()
	h.all[m] = true
	switch n := h.rnd.IntN(100); {
	case n < 60:
		h.texts++
		token := fmt.Sprintf("t%d", h.texts)
		last := len(s.written) - 1
		s.written[last] = append(s.written[last], token)
		piece := []string{"", "one", "two", token}[h.rnd.IntN(4)]
		h.pieces[token] = piece
		m.Text(piece, "", token+" ")
		h.logf("%s: %s", s.id, token)
	case n < 75:
		h.texts++
		id, title, kind := fmt.Sprintf("call%d", h.texts), "Look", "read"
		m.Do([]int{10, 100, 100_000}[h.rnd.IntN(3)], func(t *space, f *transcript.Fold) {
			t.holds("what is added")
			f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: id, Title: &title, Kind: &kind, Announced: true}}, h.Now())
		})
	case n < 90:
		e := &ending{space: s, done: make(chan error, 1)}
		h.open = append(h.open, e)
		m.lane.add(step[*space]{of: m, do: func(*space, *transcript.Fold) { e.did = true }, done: e.done}) // like Now
	default:
		h.logf("%s: the message ends", s.id)
		m.End("end_turn", false)
		h.run.Detach(s.id)
		s.written = append(s.written, nil)
		if h.run.Open(s.id) != nil {
			h.failf("%s: the message stays open", s.id)
		}
	}
	if !before && h.run.Crowded() {
		h.woken = false
	}
}

// move runs one of the waiting functions.
func (h *history) move() bool {
	if len(h.moves) == 0 {
		return false
	}
	i := h.rnd.IntN(len(h.moves))
	do := h.moves[i]
	h.moves = slices.Delete(h.moves, i, i+1)
	before := h.run.Crowded()
	do()
	h.unlocked("the end of a goroutine")
	if before && !h.run.Crowded() && !h.woken {
		h.failf("the agent is never read again")
	}
	return true
}

func played(seed uint64) *history {
	h := &history{rnd: rand.New(rand.NewPCG(seed, 15)), pieces: map[string]string{}, all: map[*Message[*space]]bool{}}
	h.run = NewRun(h, "run", "home", 1)
	for i := range 1 + h.rnd.IntN(3) {
		h.spaces = append(h.spaces, &space{h: h, id: fmt.Sprintf("s%d", i), written: [][]string{nil}, ends: map[string]bool{}})
	}
	for range 20 + h.rnd.IntN(80) {
		switch n := h.rnd.IntN(100); {
		case n < 70:
			h.writes()
		case n < 95:
			h.move()
		case n < 97:
			s := h.spaces[h.rnd.IntN(len(h.spaces))]
			s.missing = !s.missing
		case n < 98:
			s := h.spaces[h.rnd.IntN(len(h.spaces))]
			s.others = !s.others
		case n < 99:
			h.spaces[h.rnd.IntN(len(h.spaces))].gone = true
		}
		if h.fault != "" {
			return h
		}
	}
	h.logf("-- the run ends")
	for _, s := range h.spaces {
		s.missing = false
	}
	stop := []string{"end_turn", "cancelled"}[h.rnd.IntN(2)]
	if stop == "cancelled" {
		h.run.Stop()
	}
	for _, s := range h.spaces {
		s.over = true // it writes nothing more
	}
	h.run.End(stop)
	for h.move() {
	}
	h.final(stop)
	return h
}

// final checks the result at the end.
func (h *history) final(stop string) {
	for m := range h.all {
		if n := m.lane.pending.Load(); n != 0 {
			h.failf("%s: %d bytes wait forever", m.SpaceID(), n)
		}
	}
	for _, e := range h.open {
		select {
		case err := <-e.done:
			if (err != nil) == e.did || !e.did && !e.space.failed {
				h.failf("%s: something is over that was done: %v, with the error %v", e.space.id, e.did, err)
			}
		default:
			if !e.space.gone {
				h.failf("%s: someone waits forever", e.space.id)
			}
		}
	}
	for _, s := range h.spaces {
		s.commit()
		there := map[string]bool{}
		for _, msg := range s.conv.Messages {
			var got []string
			for _, seg := range msg.Segments {
				before := ""
				for _, word := range strings.Fields(seg.Text) {
					if word[0] != 't' {
						continue
					}
					if got = append(got, word); before != "" && h.pieces[before] != h.pieces[word] {
						h.failf("%s: %s and %s are one text", s.id, before, word)
					}
					before = word
				}
				for _, it := range seg.Items {
					if stop == "cancelled" && msg.StopReason == "cancelled" && it.Call != nil && it.Call.Status == transcript.StatusPending {
						h.failf("%s: %s stays in progress", s.id, it.Call.ID)
					}
				}
			}
			if msg.StopReason == "" && !s.gone {
				h.failf("%s: %s never ends", s.id, msg.ID)
			}
			s.checkOrder(got)
			for _, token := range got {
				if there[token] {
					h.failf("%s: %s is there twice", s.id, token)
				}
				there[token] = true
			}
		}
		switch {
		case !s.failed && len(there) != len(slices.Concat(s.written...)):
			h.failf("%s: %v is written, and %v is there", s.id, s.written, there)
		case s.created > 1 || s.ended > s.created || s.ended < s.created && !s.gone:
			h.failf("%s: the run begins %d times and ends %d times", s.id, s.created, s.ended)
		case len(s.guests.All()) > 0 && !s.gone:
			h.failf("%s: the run is still a guest", s.id)
		}
	}
}

// checkOrder checks the tokens of a message: all were added to it, in this order.
func (s *space) checkOrder(got []string) {
	for _, group := range s.written {
		if len(got) > 0 && slices.Contains(group, got[0]) {
			at := -1
			for _, token := range got {
				i := slices.Index(group, token)
				if i <= at {
					s.h.failf("%s: %v is written, and %v is there", s.id, group, got)
				}
				at = i
			}
		}
	}
}

// TestHistories runs random histories; see [history].
func TestHistories(t *testing.T) {
	for seed := range simtest.Seeds(raced.Of(simtest.Histories(2000))) {
		h := played(seed)
		simtest.Report(t, seed, h.log, h.fault)
	}
}

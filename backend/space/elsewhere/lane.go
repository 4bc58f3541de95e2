package elsewhere

import (
	"slices"
	"sync"
	"sync/atomic"

	"weft/backend/conversation/transcript"
)

// lane queues what a run adds to one other space, in order across its messages there. One goroutine at a time writes
// it, so nobody holds the locks of two spaces.
type lane[T Space] struct {
	home    Home[T]
	spaceID string

	pending atomic.Int64 // approximate bytes in todo

	mu     sync.Mutex
	todo   []step[T]
	moving bool

	// Used only by the goroutine that writes.
	target T
	found  bool
}

// step is one addition. Adjacent texts are merged.
type step[T Space] struct {
	of    *Message[T]
	text  string
	piece string // id of the text; each piece is a separate segment
	call  string // the call that sends it, "" if unknown
	size  int    // approximate bytes that do adds
	do    func(t T, f *transcript.Fold)
	ends  bool       // do ends the message; f is nil if it was never begun
	done  chan error // has room for the result, which is sent once it is stored or has failed
}

// stepSize is the size that a step counts besides its text, in bytes.
const stepSize = 256

// maxPending is how many bytes may wait for another space before the agent is no longer read.
const maxPending = 256 << 10

func (l *lane[T]) crowded() bool { return l.pending.Load() >= maxPending }

func (l *lane[T]) add(s step[T]) {
	l.mu.Lock()
	s.size += stepSize
	l.pending.Add(int64(len(s.text) + s.size))
	if n := len(l.todo); n > 0 && s.do == nil && l.todo[n-1].do == nil && l.todo[n-1].of == s.of && l.todo[n-1].piece == s.piece {
		l.todo[n-1].text += s.text
		l.todo[n-1].size += s.size
	} else {
		l.todo = append(l.todo, s)
	}
	begins := !l.moving
	l.moving = true
	l.mu.Unlock()
	if begins {
		l.home.Run(l.move)
	}
}

// move writes the queue until it is empty.
func (l *lane[T]) move() {
	for {
		l.mu.Lock()
		todo := l.todo
		l.todo = nil
		if len(todo) == 0 {
			l.moving = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		if err := l.write(todo); err != nil {
			for _, s := range todo {
				s.failed(err)
			}
		}
		full := l.crowded()
		for _, s := range todo {
			l.pending.Add(-int64(len(s.text) + s.size))
		}
		if full {
			l.home.Wake()
		}
	}
}

// begins reports whether the message has to be begun for a step. It is called by the goroutine that writes.
func (s step[T]) begins() bool { return s.of.fold == nil && !s.ends }

// failed reports that a step wasn't added.
func (s step[T]) failed(err error) {
	if s.done != nil {
		s.done <- err
	}
}

// write adds steps to the other space. If it returns an error, it has added none.
func (l *lane[T]) write(todo []step[T]) error {
	if !l.found {
		t, err := l.home.Other(l.spaceID)
		if err != nil {
			return err
		}
		l.target, l.found = t, true
	}
	t := l.target
	title := "" // read before the lock is taken
	if slices.ContainsFunc(todo, step[T].begins) {
		title = l.home.Title()
	}
	if err := t.Enter(); err != nil {
		return err
	}
	defer t.Unlock()
	waits := false
	for _, s := range todo {
		m := s.of
		if s.begins() {
			m.guest.title = title
			f, err := t.Join(&m.guest)
			if err != nil {
				s.failed(err)
				continue
			}
			m.fold = f
		}
		if s.do != nil {
			s.do(t, m.fold)
		} else {
			m.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: s.text, MessageID: s.piece, Apart: true, Via: s.call}, l.home.Now())
		}
		if s.done != nil {
			waits = true
			t.After(func() { s.done <- nil })
		}
	}
	if waits {
		t.Flush()
	} else {
		t.Pace(false)
	}
	return nil
}

package elsewhere

import (
	"sync"
	"sync/atomic"

	"weft/backend/transcript"
)

// lane is what a run adds to one other space. It waits in order, also that of several messages, and is added by one goroutine at a time, so that nobody
// holds the locks of two spaces.
type lane[T Space] struct {
	home    Home[T]
	spaceID string

	pending atomic.Int64 // bytes of todo, about

	mu     sync.Mutex
	todo   []step[T]
	moving bool

	// Of the goroutine that adds.
	target T
	found  bool
}

// step is one thing to add. Adjacent texts become one.
type step[T Space] struct {
	of    *Message[T]
	text  string
	piece string // of which text; another one is a segment of its own
	call  string // by which the agent sends it, "" if that is not known
	size  int    // of what do adds, in bytes, about
	do    func(t T, f *transcript.Fold)
	done  chan struct{} // closed when it was added, or could not be
}

// stepSize is what a step weighs besides its text, in bytes.
const stepSize = 256

// maxPending is how much may wait to be added to another space before the agent is not read any further, in bytes.
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

// move adds what waits, until nothing does.
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
			l.mu.Lock()
			for _, s := range todo {
				s.of.failed = err
			}
			l.mu.Unlock()
			for _, s := range todo {
				if s.done != nil {
					close(s.done)
				}
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

func (l *lane[T]) write(todo []step[T]) error {
	if !l.found {
		t, err := l.home.Other(l.spaceID)
		if err != nil {
			return err
		}
		l.target, l.found = t, true
	}
	t := l.target
	if err := t.Enter(); err != nil {
		return err
	}
	defer t.Unlock()
	waits := false
	for _, s := range todo {
		m := s.of
		if m.fold == nil {
			m.fold = t.Join(&m.guest)
		}
		if s.do != nil {
			s.do(t, m.fold)
		} else {
			m.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: s.text, MessageID: s.piece, Apart: true, Via: s.call}, l.home.Now())
		}
		if s.done != nil {
			waits = true
			t.After(func() { close(s.done) })
		}
	}
	if waits {
		t.Flush()
	} else {
		t.Pace(false)
	}
	return nil
}

package runs

import (
	"time"

	"weft/backend/terminal"
	"weft/backend/transcript"
)

// The bounds of what is shown and stored of a running terminal, see
// docs/decisions/0003-terminals.md.
const (
	streamed  = 256 << 10 // bytes that go out as they come, and that are held of one terminal at most
	piece     = 32 << 10  // bytes of them in one go
	tail      = 4 << 10   // bytes that go out at once after that …
	tailEvery = 500 * time.Millisecond

	// nameGrace is how long a call may take to name a terminal before that gets its own.
	nameGrace = time.Second
)

// follower shows one terminal.
type follower struct {
	l    *link
	t    *terminal.Terminal
	end  int64 // where in the output what is shown ends
	held int64 // bytes that are shown
	all  bool  // nothing was left out so far
}

// follow shows what a terminal writes until its end was shown, too.
func (l *link) follow(t *terminal.Terminal) {
	f := &follower{l: l, t: t, all: true}
	show := func() { l.s.turns.ShowTerminal(t.ID(), l.s.m.now()) }
	timer := time.NewTimer(nameGrace)
	defer timer.Stop()
	grace := timer.C
	// After each piece nothing is read for a while, so that many small ones become one.
	changed := t.Changed()
	pause := time.NewTimer(time.Hour)
	defer pause.Stop()
	for running := true; running; {
		select {
		case <-changed:
			changed = nil
			pause.Reset(f.next())
		case <-pause.C:
			changed = t.Changed()
		case <-grace:
			grace = nil
			l.put(show)
		case <-t.Exited():
			running = false
		}
	}
	f.finish()
	if grace != nil {
		select {
		case <-grace:
		case <-l.ended:
		}
	}
	l.put(func() {
		show()
		delete(l.live, t.ID())
	})
}

// put changes the session from outside of the agent's connection.
func (l *link) put(change func()) {
	s := l.s
	s.lockUntil(func() bool { return !s.full() || l.dropped.Load() })
	defer s.Unlock()
	change()
	s.pace(false)
}

// next shows what has come and answers how long to wait before the next time.
func (f *follower) next() time.Duration {
	if f.all && f.stream() {
		return frame
	}
	f.tail()
	return tailEvery
}

// stream shows all that has come, up to the bound. It reports whether it may go on.
func (f *follower) stream() bool {
	for f.end < streamed {
		text, ok := f.t.From(f.end, int(min(piece, streamed-f.end)))
		if !ok {
			break
		}
		if text == "" {
			// Either there is nothing more, or only part of a character fits.
			if f.end == f.t.Size() {
				return true
			}
			break
		}
		f.write(text, f.end)
	}
	f.all = f.end == f.t.Size()
	return f.all && f.end < streamed
}

// tail shows the end of what has come. As long as that is little it is added to what is shown.
func (f *follower) tail() {
	if text, ok := f.t.From(f.end, tail); ok && f.end+int64(len(text)) == f.t.Size() && f.held+int64(len(text)) <= streamed {
		f.write(text, f.end)
		return
	}
	f.all = false
	text, offset := f.t.Last(tail)
	f.held = 0
	f.write(text, offset)
}

func (f *follower) write(text string, offset int64) {
	if text == "" {
		return
	}
	f.l.put(func() { f.l.s.turns.TerminalOutput(f.t.ID(), text, offset) })
	f.end = offset + int64(len(text))
	f.held += int64(len(text))
}

// finish shows the rest and the end.
func (f *follower) finish() {
	if f.all {
		f.stream()
	}
	r := transcript.TerminalResult{At: f.l.s.m.now(), Size: f.t.Size()}
	if !f.all {
		r.Kept, _ = f.t.Last(terminal.MaxLimit)
	}
	if exit := f.t.Exit(); exit != nil {
		r.Code, r.Signal = exit.Code, exit.Signal
	}
	r.Killed = f.t.Killed()
	f.l.put(func() { f.l.s.turns.TerminalEnded(f.t.ID(), r) })
}

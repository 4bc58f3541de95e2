// Package terminalview shows what a terminal writes while it runs: all of it up to a bound, then its end every now and then, and the rest once it
// has ended (docs/decisions/0003-terminals.md).
//
// It starts and stops no command, and decides nothing about where a terminal is shown.
package terminalview

import (
	"time"

	"weft/backend/terminal"
	"weft/backend/transcript"
)

// The bounds of what is shown and stored of a running terminal.
const (
	streamed  = 256 << 10 // bytes that are shown as they come, and that are held of one terminal at most
	piece     = 32 << 10  // bytes of them at once
	tail      = 4 << 10   // bytes that are shown at once after that …
	tailEvery = 500 * time.Millisecond

	// nameTime is how long a call may take to name a terminal before the terminal gets its own.
	nameTime = time.Second
)

// View is where a terminal is shown. Its functions may block, for as long as too much waits to be stored.
type View struct {
	Frame time.Duration // how long output is gathered
	Now   func() int64  // unix ms
	// Show gives the terminal a call of its own, unless one has named it.
	Show func()
	// Output shows text that begins at an offset in the output, in bytes: behind what was shown, or in place of it.
	Output func(text string, offset int64)
	// Ended shows how it has ended.
	Ended func(r transcript.TerminalResult)
	// Gone is closed when no call will name the terminal any more.
	Gone <-chan struct{}
}

type follower struct {
	view View
	t    *terminal.Terminal
	end  int64 // where in the output what is shown ends
	held int64 // bytes that are shown
	all  bool  // nothing was left out so far
}

// Follow shows what a terminal writes. It blocks until its end was shown, too, and a call has had the time to name it.
func Follow(t *terminal.Terminal, view View) {
	f := &follower{view: view, t: t, all: true}
	timer := time.NewTimer(nameTime)
	defer timer.Stop()
	named := timer.C
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
		case <-named:
			named = nil
			view.Show()
		case <-t.Exited():
			running = false
		}
	}
	f.finish()
	if named != nil {
		select {
		case <-named:
		case <-view.Gone:
		}
	}
}

// next shows what has come and returns how long to wait before the next time.
func (f *follower) next() time.Duration {
	if f.all && f.stream() {
		return f.view.Frame
	}
	f.tail()
	return tailEvery
}

// stream shows all that has come, up to the bound. It reports whether there may be more.
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
	f.view.Output(text, offset)
	f.end = offset + int64(len(text))
	f.held += int64(len(text))
}

// finish shows the rest and the end.
func (f *follower) finish() {
	if f.all {
		f.stream()
	}
	r := transcript.TerminalResult{At: f.view.Now(), Size: f.t.Size()}
	if !f.all {
		r.Kept, _ = f.t.Last(terminal.MaxLimit)
	}
	if exit := f.t.Exit(); exit != nil {
		r.Code, r.Signal = exit.Code, exit.Signal
	}
	r.Killed = f.t.Killed()
	f.view.Ended(r)
}

// Package terminalview shows the output of a terminal while it runs: all of it up to a limit, then only its latest
// part from time to time, and the rest once it has ended (docs/decisions/0003-terminals.md).
//
// It neither starts nor stops commands, and doesn't decide where a terminal is shown.
package terminalview

import (
	"time"

	"weft/backend/agent/terminal"
	"weft/backend/conversation/transcript"
)

// Limits for showing and storing the output of a running terminal.
const (
	streamed  = 256 << 10 // bytes that are shown as they arrive, and the most that is held per terminal
	piece     = 32 << 10  // bytes of them per update
	tail      = 4 << 10   // bytes per update after that
	tailEvery = 500 * time.Millisecond

	// nameTime is how long calls have to refer to a terminal before it gets its own call.
	nameTime = time.Second
)

// View is where a terminal is shown. Its functions may block while too much waits to be stored.
type View struct {
	Frame time.Duration // how long output is collected
	Now   func() int64  // unix ms
	// Show gives the terminal its own call, unless another call has referred to it.
	Show func()
	// Output shows text that begins at the byte offset in the output: after the text already shown, or instead of it.
	Output func(text string, offset int64)
	// Ended shows how the command ended.
	Ended func(r transcript.TerminalResult)
	// Gone is closed when no more calls can refer to the terminal.
	Gone <-chan struct{}
}

type follower struct {
	view View
	t    *terminal.Terminal
	end  int64 // offset in the output up to which it is shown
	held int64 // bytes that are shown
	all  bool  // nothing has been left out so far
}

// Follow shows the output of a terminal. It blocks until the end is shown and calls have had time to refer to the
// terminal.
func Follow(t *terminal.Terminal, view View) {
	f := &follower{view: view, t: t, all: true}
	timer := time.NewTimer(nameTime)
	defer timer.Stop()
	named := timer.C
	// Reading pauses after each update, so that many small ones become one.
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

// next shows new output and returns how long to pause.
func (f *follower) next() time.Duration {
	if f.all && f.stream() {
		return f.view.Frame
	}
	f.tail()
	return tailEvery
}

// stream shows all new output up to the limit, and reports whether more may follow.
func (f *follower) stream() bool {
	for f.end < streamed {
		text, ok := f.t.From(f.end, int(min(piece, streamed-f.end)))
		if !ok {
			break
		}
		if text == "" {
			// Either there is no more output, or only part of a character fits.
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

// tail shows the latest output. While that is short, it is appended to what is shown.
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

// finish shows the remaining output and the end.
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

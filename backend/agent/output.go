package agent

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// output is the reading end of an agent's stdout. While the agent lives it is
// simply the pipe. Once the tree is gone it gives what is left in the pipe and
// then io.EOF, even if a stray process still holds the other end.
type output struct {
	file  *os.File
	raw   syscall.RawConn
	ended <-chan struct{}
	drain bool
	// tty: the other end may be closed by all long before they end (echo does so), and be
	// opened again as /dev/tty. To close this end then would be to hang up on them.
	tty bool

	mu      sync.Mutex // nobody sees what is in the pipe while some of it is being taken
	changed sync.Cond
	taken   int64 // bytes that have left the pipe
	handled int64 // bytes that the reader had before it asked for more
	over    bool  // nothing more will come
}

func newOutput(file *os.File, ended <-chan struct{}, tty bool) *output {
	o := &output{file: file, ended: ended, tty: tty}
	o.raw, _ = file.SyscallConn() // never fails for an open file
	o.changed.L = &o.mu
	return o
}

// Read is io.Reader's, for one caller at a time.
func (o *output) Read(b []byte) (int, error) {
	o.change(func() { o.handled = o.taken })
	if !o.drain {
		n, err := o.take(b, true)
		if n > 0 || err == nil || !os.IsTimeout(err) && !o.tty {
			return o.end(n, err)
		}
		// wake set a deadline in the past: the tree is gone.
		<-o.ended
		if err := o.file.SetReadDeadline(time.Time{}); err != nil {
			return o.end(0, err)
		}
		o.drain = true
	}
	n, err := o.take(b, false)
	if n <= 0 {
		return o.end(0, io.EOF)
	}
	return n, err
}

// end closes the pipe with the first error, so that nobody has to.
func (o *output) end(n int, err error) (int, error) {
	if err != nil {
		_ = o.file.Close()
		o.change(func() { o.over = true })
		return n, io.EOF // whatever it was, nothing more will come
	}
	return n, nil
}

func (o *output) change(what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	what()
	o.changed.Broadcast()
}

// catchUp waits until what is in the pipe now was read and the reader has asked for more, or ctx ends.
func (o *output) catchUp(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { o.change(func() {}) })()
	o.mu.Lock()
	defer o.mu.Unlock()
	for until := o.taken + o.waiting(); o.handled < until && !o.over && ctx.Err() == nil; {
		o.changed.Wait()
	}
}

// wake makes a blocked read of a pipe return. Where pipes take no deadline there
// is nothing to do: the job object has closed every other end.
func wake(f *os.File) { _ = f.SetReadDeadline(time.Unix(1, 0)) }

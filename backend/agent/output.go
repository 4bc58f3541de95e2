package agent

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// output is the reading end of an agent's stdout. While the agent lives it is simply the pipe. Once the tree is gone
// it returns the rest of the pipe and then io.EOF, even if a stray process keeps the other end open.
type output struct {
	file  *os.File
	raw   syscall.RawConn
	ended <-chan struct{}
	drain bool
	// tty reports that the other end is a terminal. All programs may close it long before they end (echo does) and
	// reopen it as /dev/tty. Closing this end then would hang up on them.
	tty bool

	mu      sync.Mutex // held while bytes are taken, so that nobody counts the pipe meanwhile
	changed sync.Cond
	taken   int64 // bytes that have left the pipe
	handled int64 // bytes that the reader had before it read again
	over    bool  // the end was reached
}

func newOutput(file *os.File, ended <-chan struct{}, tty bool) *output {
	o := &output{file: file, ended: ended, tty: tty}
	o.raw, _ = file.SyscallConn() // can't fail for an open file
	o.changed.L = &o.mu
	return o
}

// Read implements io.Reader, for one caller at a time.
func (o *output) Read(b []byte) (int, error) {
	o.change(func() { o.handled = o.taken })
	if !o.drain {
		n, err := o.take(b, true)
		if n > 0 || err == nil || !os.IsTimeout(err) && !o.tty {
			return o.end(n, err)
		}
		// wake has set a deadline in the past: the tree is gone.
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

// end closes the pipe on the first error.
func (o *output) end(n int, err error) (int, error) {
	if err != nil {
		_ = o.file.Close()
		o.change(func() { o.over = true })
		return n, io.EOF // whatever the error was, nothing more will come
	}
	return n, nil
}

func (o *output) change(what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	what()
	o.changed.Broadcast()
}

// catchUp waits until everything that is in the pipe now has been read and the reader has read again, or ctx ends.
func (o *output) catchUp(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { o.change(func() {}) })()
	o.mu.Lock()
	defer o.mu.Unlock()
	for until := o.taken + o.waiting(); o.handled < until && !o.over && ctx.Err() == nil; {
		o.changed.Wait()
	}
}

// wake makes a blocked read of a pipe return. If pipes don't support deadlines, it needn't do anything: the job object
// has closed all other ends.
func wake(f *os.File) { _ = f.SetReadDeadline(time.Unix(1, 0)) }

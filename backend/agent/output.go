package agent

import (
	"io"
	"os"
	"time"
)

// output is the reading end of an agent's stdout. While the agent lives it is
// simply the pipe. Once the tree is gone it gives what is left in the pipe and
// then io.EOF, even if a stray process still holds the other end.
type output struct {
	file  *os.File
	ended <-chan struct{}
	drain bool
	// tty: the other end may be closed by all long before they end (echo does so), and be
	// opened again as /dev/tty. To close this end then would be to hang up on them.
	tty bool
}

// Read is io.Reader's, for one caller at a time.
func (o *output) Read(b []byte) (int, error) {
	if !o.drain {
		n, err := o.file.Read(b)
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
	n, err := readNow(o.file, b)
	if n <= 0 {
		return o.end(0, io.EOF)
	}
	return n, err
}

// end closes the pipe with the first error, so that nobody has to.
func (o *output) end(n int, err error) (int, error) {
	if err != nil {
		_ = o.file.Close()
		return n, io.EOF // whatever it was, nothing more will come
	}
	return n, nil
}

// wake makes a blocked read of a pipe return. Where pipes take no deadline there
// is nothing to do: the job object has closed every other end.
func wake(f *os.File) { _ = f.SetReadDeadline(time.Unix(1, 0)) }

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// floodSDK has acp-go-sdk alone take the flood, with a handler that does nothing.
func floodSDK(p floodParams) (r floodResult, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.Command(self, "agent") //nolint:noctx // it ends with its input
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	client := &nothing{credit: &credit{r: out, more: make(chan struct{}, 1)}}
	conn := sdk.NewClientSideConnection(client, in, client.credit)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	flood := func(lines int) error {
		_, err := conn.Prompt(context.Background(), sdk.PromptRequest{SessionId: "sess_0123456789", Prompt: []sdk.ContentBlock{sdk.TextBlock(fmt.Sprint("flood ", lines))}})
		return err
	}
	if err := flood(1000); err != nil {
		return r, err
	}
	resetPeak()
	memory, before := resident(), client.seen.Load()
	begin, cpu := time.Now(), cpuTime()
	err = flood(p.Lines)
	r.Seconds, r.CPU = time.Since(begin).Seconds(), cpuTime()-cpu
	r.Grown, r.Lines = peak()-memory, int(client.seen.Load()-before)
	_ = in.Close()
	if e := cmd.Wait(); err == nil {
		err = e
	}
	return r, err
}

// nothing is a client that counts the updates and gives credit for them.
type nothing struct {
	sdk.Client
	credit *credit
	seen   atomic.Int64
}

func (n *nothing) SessionUpdate(context.Context, sdk.SessionNotification) error {
	n.seen.Add(1)
	n.credit.handled()
	return nil
}

// maxCredit is how many lines may be in the SDK's queue. It closes the connection at 1024.
const maxCredit = 512

// credit lets the SDK read no more lines than it has queue for, without which it ends
// itself under a flood.
type credit struct {
	r     io.Reader
	space []byte
	buf   []byte // the part of space that was read and not handed out yet
	err   error
	more  chan struct{}

	given, done atomic.Int64 // lines
}

func (c *credit) handled() {
	// Waking the reader for every line would cost the SDK more than needed.
	if left := c.given.Load() - c.done.Add(1); left == maxCredit/2 {
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

// Read hands out whole lines as long as there is credit for them.
func (c *credit) Read(p []byte) (int, error) {
	for bytes.IndexByte(c.buf, '\n') < 0 {
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
	left := maxCredit - (c.given.Load() - c.done.Load())
	for left == 0 {
		<-c.more
		left = maxCredit - (c.given.Load() - c.done.Load())
	}
	n, lines := 0, int64(0)
	for ; lines < left; lines++ {
		end := bytes.IndexByte(c.buf[n:], '\n') + 1
		if end == 0 || n+end > len(p) {
			break
		}
		n += end
	}
	if n == 0 {
		n = len(p) // it is shorter than a line
	}
	c.given.Add(lines)
	copy(p, c.buf[:n])
	c.buf = c.buf[n:]
	return n, nil
}

func (c *credit) fill() error {
	if c.err != nil {
		return c.err
	}
	if len(c.buf) == len(c.space) {
		c.space = make([]byte, max(2*len(c.space), 128<<10))
	}
	n := copy(c.space, c.buf)
	m, err := c.r.Read(c.space[n:])
	c.buf, c.err = c.space[:n+m], err
	if m > 0 {
		return nil
	}
	return err
}

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// How long a server may take to exit after an error, so that its exit code can be reported.
const (
	endGrace    = time.Second
	closedGrace = 5 * time.Second // a server that has closed its output usually exits
)

// stdioLink is the link to a server that is a process.
type stdioLink struct {
	proc  *agent.Process
	lines *messages
}

// dialStdio starts the server.
func dialStdio(ctx context.Context, s Server, opt Options) (link, sdk.Transport, error) {
	proc, err := agent.Start(ctx, agent.Spec{
		Name: s.Command, Command: s.Command, Args: s.Args, Env: s.Env, Dir: opt.Dir, PidDir: opt.PidDir,
		InstallHint: agent.CorrectCommand,
	})
	if err != nil {
		return nil, nil, startFailure(err)
	}
	l := &stdioLink{proc: proc, lines: &messages{r: bufio.NewReaderSize(proc.Stdout, 64<<10)}}
	return l, &sdk.IOTransport{Reader: io.NopCloser(l.lines), Writer: proc.Stdin, MaxLineLength: maxLine}, nil
}

func (l *stdioLink) end(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		grace := endGrace
		if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
			grace = closedGrace
		}
		select {
		case <-l.proc.Done():
		case <-time.After(grace):
		case <-ctx.Done():
		}
	}
	exit := l.proc.ExitErr() // set if it exited without being told to
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if ctx.Err() != nil {
		cancel() // canceled, so kill it immediately
	}
	stopErr := l.proc.Stop(stop)
	if err == nil {
		return stopErr
	}
	var e *agent.Error
	var refused *jsonrpc.Error // it answered, so it exited because it was told to
	if errors.As(exit, &e) && !errors.As(err, &refused) {
		err = fault.Told(e.Code, e.Message, e.Said()).Because(err)
	}
	detail := l.proc.StderrTail()
	if noise := l.noise(); noise != "" {
		detail += "\nOutput that isn't a message:\n" + noise
	}
	return &detailError{err, clip.Text(detail, agent.StderrLimit)}
}

func (l *stdioLink) noise() string { return l.lines.said() }

func startFailure(err error) error {
	var e *agent.Error
	if errors.As(err, &e) {
		return fault.Told(e.Code, e.Message, e.Said()).Because(err)
	}
	return err
}

// messages passes on the lines that can be messages, and keeps the beginning of the others: many servers print a
// greeting on stdout, which most clients skip.
type messages struct {
	r    *bufio.Reader
	rest []byte

	mu    sync.Mutex
	noise []byte
}

const maxNoise = 1 << 10

func (m *messages) Read(b []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if text[0] == '{' || text[0] == '[' {
				m.rest = append(line, '\n')
				break
			}
			m.mu.Lock()
			if len(m.noise) < maxNoise {
				m.noise = append(append(m.noise, text[:min(len(text), maxNoise)]...), '\n')
			}
			m.mu.Unlock()
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(b, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// line reads a line without its end. The rest of a line that is too long is skipped.
func (m *messages) line() ([]byte, error) {
	var line []byte
	for {
		part, err := m.r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine {
			if err == nil && (line[0] == '{' || line[0] == '[') {
				err = errLong
			}
			line = []byte("(a line of more than 8 MB)")
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// errLong ends a connection, because the receiver of that message would wait forever.
var errLong = errors.New("the server sent a message of more than 8 MB")

func (m *messages) said() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return clip.Text(string(m.noise), maxNoise)
}

package builtin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// maxLine is the maximum size of a message from the client, in bytes. The SDK's connection fails at 10 MiB.
const maxLine = 9 << 20

// intake passes the client's messages to the SDK's connection one at a time. It adds what the connection lacks:
//   - a prompt is registered before the next message is handled, so that a cancel right after a prompt
//     finds it (the connection starts a goroutine per request, which loses their order);
//   - a line that isn't a JSON-RPC message or is too long gets an error response;
//   - at the end of input, accepted requests are answered before the connection sees the end.
type intake struct {
	lines    *bufio.Reader
	out      *outlet
	ended    func() // called once at the end of the input
	opened   chan struct{}
	admitted chan struct{} // one token per registered request
	waiting  bool          // the last message was a request that isn't registered yet
	rest     []byte        // unread part of the current line
	closed   bool
}

func newIntake(r io.Reader, out *outlet, ended func()) *intake {
	return &intake{
		lines: bufio.NewReaderSize(r, 64<<10), out: out, ended: ended,
		opened: make(chan struct{}), admitted: make(chan struct{}, 1),
	}
}

// open lets the first message in.
func (in *intake) open() { close(in.opened) }

// admit reports that the last request is registered. Further calls for the same request do nothing.
func (in *intake) admit() {
	select {
	case in.admitted <- struct{}{}:
	default:
	}
}

// Read implements io.Reader for the connection's own reader; each call returns bytes of at most one message.
func (in *intake) Read(p []byte) (int, error) {
	<-in.opened
	for len(in.rest) == 0 {
		if in.waiting {
			<-in.admitted
			in.waiting = false
		}
		line, err := in.line()
		if err != nil {
			if !in.closed {
				in.closed = true
				in.ended()
				in.out.waitAnswered(stopGrace)
			}
			return 0, err
		}
		in.take(line)
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// take checks whether a message is a request, and rejects invalid ones.
func (in *intake) take(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		var shape *json.UnmarshalTypeError
		if errors.As(err, &shape) {
			in.out.refuse(acp.NewInvalidRequest(map[string]any{"error": "a message must be one JSON-RPC object"}))
		} else {
			in.out.refuse(acp.NewParseError(map[string]any{"error": err.Error()}))
		}
		return
	}
	if head.Method != "" && len(head.ID) > 0 && !bytes.Equal(head.ID, []byte("null")) {
		in.out.expect()
		select { // drop a token left by a handler that admitted twice
		case <-in.admitted:
		default:
		}
		in.waiting = true
	}
	in.rest = line
}

// line reads one line with its line break. It skips and rejects lines longer than maxLine.
func (in *intake) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.lines.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			if len(line) > maxLine {
				line, tooLong = nil, true
			}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && (err == nil || errors.Is(err, io.EOF)) {
			in.out.refuse(acp.NewInvalidRequest(map[string]any{"error": "the message is longer than 9 MiB"}))
			return nil, err
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return append(line, '\n'), nil
		}
		return line, err
	}
}

// outlet writes messages to the client, one at a time. It counts unanswered requests, and sends what must follow a
// response directly after it.
type outlet struct {
	mu     sync.Mutex // held while writing
	w      io.Writer
	follow map[acp.SessionId]following // by the new session that the response names

	count    sync.Mutex
	open     int           // accepted and unanswered requests
	answered chan struct{} // closed and replaced when open becomes zero
}

func newOutlet(w io.Writer) *outlet {
	return &outlet{w: w, follow: map[acp.SessionId]following{}, answered: make(chan struct{})}
}

// Write sends one message. line must be one complete line.
func (o *outlet) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(line)
	if !isResponse(line) {
		return n, err
	}
	more := o.following(line)
	if len(more.lines) > 0 && err == nil {
		_, err = o.w.Write(more.lines)
	}
	if more.then != nil {
		more.then()
	}
	o.settle()
	return n, err
}

// following is what follows a response: lines, and then a call that must not block.
type following struct {
	lines []byte
	then  func()
}

// after registers what follows the response that tells the client about a new session.
func (o *outlet) after(id acp.SessionId, f following) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follow[id] = f
}

func (o *outlet) following(line []byte) following {
	if len(o.follow) == 0 {
		return following{}
	}
	var answer struct {
		Result struct {
			SessionID acp.SessionId `json:"sessionId"`
		} `json:"result"`
	}
	if json.Unmarshal(line, &answer) != nil {
		return following{}
	}
	more := o.follow[answer.Result.SessionID]
	delete(o.follow, answer.Result.SessionID)
	return more
}

// isResponse reports whether a message is a response. The connection writes the fields of a message in a fixed order:
// jsonrpc, id, method, …
func isResponse(line []byte) bool {
	if !bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)) {
		return false
	}
	var head struct {
		Method *json.RawMessage `json:"method"`
	}
	return json.Unmarshal(line, &head) == nil && head.Method == nil
}

// refuse sends an error response for a line without a usable request id.
func (o *outlet) refuse(err *acp.RequestError) {
	line, merr := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": err})
	if merr != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	// The reading side notices a client that is gone.
	_, _ = o.w.Write(append(line, '\n'))
}

func (o *outlet) expect() {
	o.count.Lock()
	defer o.count.Unlock()
	o.open++
}

func (o *outlet) settle() {
	o.count.Lock()
	defer o.count.Unlock()
	if o.open > 0 {
		o.open--
	}
	if o.open == 0 {
		close(o.answered)
		o.answered = make(chan struct{})
	}
}

// waitAnswered blocks until all accepted requests are answered, but not longer than limit.
func (o *outlet) waitAnswered(limit time.Duration) {
	o.count.Lock()
	open, answered := o.open, o.answered
	o.count.Unlock()
	if open == 0 {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	}
}

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

// maxLine is the longest message taken from a client, in bytes. The SDK's connection ends at 10 MiB.
const maxLine = 9 << 20

// intake hands the client's messages to the SDK's connection one at a time. It adds what the connection lacks:
//   - a prompt is registered before the message after it is handled, so that a cancel sent right after a
//     prompt finds it (the connection starts a goroutine per request and so loses their order);
//   - a line that is not a JSON-RPC message, or is too long, gets an error response instead of silence;
//   - at the end of input, requests that were taken are answered before the connection hears of the end.
type intake struct {
	lines    *bufio.Reader
	out      *outlet
	ended    func() // called once when the input ends
	opened   chan struct{}
	admitted chan struct{} // one token per request that was registered
	waiting  bool          // the last message handed out was a request
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

// admit tells that the request handed out last is registered. Calls beyond one per request do nothing.
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

// take looks at a message just enough to know whether it is a request, and refuses what is no message.
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
		select { // a token left by a handler that was told to admit twice
		case <-in.admitted:
		default:
		}
		in.waiting = true
	}
	in.rest = line
}

// line reads one line with its line end. A line beyond maxLine is skipped and refused.
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

// outlet writes messages to the client, one at a time. It knows which requests are still to be answered, and
// sends what has to follow an answer directly behind it.
type outlet struct {
	mu     sync.Mutex // held while writing
	w      io.Writer
	follow map[acp.SessionId]following // what happens behind the answer that names a new session

	count    sync.Mutex
	open     int           // requests taken and not answered
	answered chan struct{} // closed and replaced when open falls to zero
}

func newOutlet(w io.Writer) *outlet {
	return &outlet{w: w, follow: map[acp.SessionId]following{}, answered: make(chan struct{})}
}

// Write sends one message; the connection calls it with one whole line.
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

// following is what follows an answer: lines, and then a call that must not block.
type following struct {
	lines []byte
	then  func()
}

// after registers what follows the answer which tells the client about a new session.
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

// isResponse tells responses from requests and notifications. The connection writes the fields of a message
// in a fixed order: jsonrpc, id, method, …
func isResponse(line []byte) bool {
	if !bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)) {
		return false
	}
	var head struct {
		Method *json.RawMessage `json:"method"`
	}
	return json.Unmarshal(line, &head) == nil && head.Method == nil
}

// refuse answers a line that has no usable request id.
func (o *outlet) refuse(err *acp.RequestError) {
	line, merr := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": err})
	if merr != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	// A client that is gone is noticed at the reading side.
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

// waitAnswered blocks until every request that was taken has its answer, at most for the given time.
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

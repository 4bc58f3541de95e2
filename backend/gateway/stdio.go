package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

// The environment variables of [Stdio]. They aren't flags, because all users of the machine can see flags.
const (
	URLVariable   = "WEFT_GATEWAY_URL"
	TokenVariable = "WEFT_GATEWAY_TOKEN"
	// SocketVariable is the Unix socket to connect to instead of the address in URLVariable; empty for none.
	SocketVariable = "WEFT_GATEWAY_SOCKET"
)

// Stdio is weft mcp-stdio: it passes MCP messages between stdin and stdout and the gateway. It blocks until stdin ends,
// the gateway ends the session, or ctx ends, and returns the exit code.
func Stdio(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	at, token := os.Getenv(URLVariable), os.Getenv(TokenVariable)
	if at == "" || token == "" {
		_, _ = io.WriteString(stderr, "weft mcp-stdio: WEFT_GATEWAY_URL and WEFT_GATEWAY_TOKEN must be set. Weft sets them when it passes this command to an agent.\n")
		return 2
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // the gateway is on this machine
	if socket := os.Getenv(SocketVariable); socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}
	}
	b := &bridge{url: at, token: token, out: stdout, errors: stderr, client: &http.Client{Transport: transport}}
	defer transport.CloseIdleConnections()
	return b.run(ctx, stdin)
}

// bridge forwards messages unchanged between stdin, stdout and the gateway. It reads only the fields that the transport
// needs.
type bridge struct {
	url, token string
	client     *http.Client
	errors     io.Writer

	writing sync.Mutex
	out     io.Writer
	cancel  context.CancelCauseFunc

	mu                sync.Mutex
	session, protocol string

	open sync.WaitGroup // requests in progress
}

var errEnded = errors.New("the session has ended")

func (b *bridge) run(ctx context.Context, stdin io.Reader) int {
	ctx, b.cancel = context.WithCancelCause(ctx)
	defer b.cancel(nil)
	lines := make(chan []byte)
	broken := make(chan error, 1)
	go func() { // ends when stdin ends, or with the process
		r := bufio.NewReaderSize(stdin, 64<<10)
		for {
			line, err := readLine(r)
			if len(line) > 0 || errors.Is(err, errTooLong) {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil && !errors.Is(err, errTooLong) {
				broken <- err
				return
			}
		}
	}()
	code := 0
loop:
	for {
		select {
		case line := <-lines:
			b.send(ctx, line)
		case err := <-broken:
			if !errors.Is(err, io.EOF) {
				b.say("stdin can't be read: " + err.Error())
				code = 1
			}
			break loop
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errEnded) {
				b.say("the session with Weft has ended.")
				code = 1
			}
			break loop
		}
	}
	b.cancel(nil)
	b.open.Wait()
	b.leave()
	return code
}

func (b *bridge) say(s string) { _, _ = fmt.Fprintln(b.errors, "weft mcp-stdio: "+s) }

var errTooLong = errors.New("the message is too long")

// readLine reads a line of at most [maxBody] bytes. It skips a longer line and returns errTooLong.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxBody; !long {
			line = append(line, part...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && err == nil {
			err = errTooLong
		}
		return bytes.TrimSpace(line), err
	}
}

// envelope has the fields of a message that the transport needs.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// send forwards a message to the gateway. It blocks until the message was written. For initialize and for messages
// other than requests, it blocks until they are answered: later messages need the session that initialize opens.
func (b *bridge) send(ctx context.Context, line []byte) {
	var m envelope
	if len(line) == 0 || json.Unmarshal(line, &m) != nil && !json.Valid(line) {
		b.fail(nil, -32700, "This isn't a JSON message of at most 4 MB.")
		return
	}
	if m.Method != "" && len(m.ID) > 0 && m.Method != "initialize" {
		sent := make(chan struct{})
		var once sync.Once
		done := func() { once.Do(func() { close(sent) }) }
		b.open.Go(func() {
			defer done()
			b.post(ctx, line, m, done)
		})
		<-sent
		return
	}
	b.post(ctx, line, m, func() {})
	if m.Method == "notifications/initialized" {
		b.open.Go(func() { b.listen(ctx) })
	}
}

package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"time"

	"weft/backend/llm/sse"
)

// The variables that [StdioMain] reads: not flags, which everybody on the machine can read.
const (
	URLVariable   = "WEFT_GATEWAY_URL"
	TokenVariable = "WEFT_GATEWAY_TOKEN"
)

const stdioHelp = `weft mcp-stdio passes MCP messages between stdin and stdout and the gateway of a
running Weft, for agents that take MCP servers over stdio only. Weft starts it by itself.

It takes no arguments. WEFT_GATEWAY_URL and WEFT_GATEWAY_TOKEN say where and as whom.
`

// StdioMain is weft mcp-stdio. It blocks until stdin ends, the gateway ends the session, or ctx ends, and answers an
// exit code.
func StdioMain(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("mcp-stdio", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, stdioHelp)
		return 0
	} else if err != nil || f.NArg() > 0 {
		_, _ = io.WriteString(stderr, "weft mcp-stdio: it takes no arguments. See weft mcp-stdio --help.\n")
		return 2
	}
	at, token := os.Getenv(URLVariable), os.Getenv(TokenVariable)
	if at == "" || token == "" {
		_, _ = io.WriteString(stderr, "weft mcp-stdio: WEFT_GATEWAY_URL and WEFT_GATEWAY_TOKEN have to be set. Weft sets them when it hands this command to an agent.\n")
		return 2
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // it is on this machine
	b := &bridge{url: at, token: token, out: stdout, errors: stderr, client: &http.Client{Transport: transport}}
	defer transport.CloseIdleConnections()
	return b.run(ctx, stdin)
}

// bridge passes messages on as they are; of what they say it reads only what the transport needs.
type bridge struct {
	url, token string
	client     *http.Client
	errors     io.Writer

	writing sync.Mutex
	out     io.Writer
	cancel  context.CancelCauseFunc

	mu                sync.Mutex
	session, protocol string

	open sync.WaitGroup // requests
}

var errEnded = errors.New("the session has ended")

func (b *bridge) run(ctx context.Context, stdin io.Reader) int {
	ctx, b.cancel = context.WithCancelCause(ctx)
	defer b.cancel(nil)
	lines := make(chan []byte)
	broken := make(chan error, 1)
	go func() { // it ends with stdin, or with the process
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
				b.say("stdin cannot be read: " + err.Error())
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

// readLine reads a line of at most [maxBody]; of a longer one nothing is kept.
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

// envelope is what the transport reads of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// send passes a message to the gateway. It blocks until the message is on its way, and for the first one until it is
// answered: the others need the session that it opens.
func (b *bridge) send(ctx context.Context, line []byte) {
	var m envelope
	if len(line) == 0 || json.Unmarshal(line, &m) != nil && !json.Valid(line) {
		b.fail(nil, -32700, "This is no message of at most 4 MB in JSON.")
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

// request makes one; headers that name the session are added when there is one.
func (b *bridge) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+b.token)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" {
		req.Header.Set("Mcp-Session-Id", b.session)
	}
	if b.protocol != "" {
		req.Header.Set("Mcp-Protocol-Version", b.protocol)
	}
	return req, nil
}

// post sends one message and passes on what comes for it. A request is always answered.
func (b *bridge) post(ctx context.Context, line []byte, m envelope, sent func()) {
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }})
	req, err := b.request(traced, http.MethodPost, line)
	if err != nil {
		b.fail(m.ID, -32603, "The gateway of Weft has no such address.")
		return
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.fail(m.ID, -32603, "Weft cannot be reached: it is no longer running, or was restarted.")
		return
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode >= 300:
		b.refused(res, m.ID)
		return
	case m.Method == "initialize":
		b.mu.Lock()
		b.session = res.Header.Get("Mcp-Session-Id")
		b.mu.Unlock()
	}
	if m.Method == "" || len(m.ID) == 0 {
		return
	}
	answered := false
	b.pass(res, func(got []byte) {
		var a envelope
		if json.Unmarshal(got, &a) == nil && a.Method == "" && bytes.Equal(a.ID, m.ID) {
			answered = true
			if m.Method == "initialize" {
				b.mu.Lock()
				b.protocol = a.Result.ProtocolVersion
				b.mu.Unlock()
			}
		}
	})
	if !answered && ctx.Err() == nil {
		b.fail(m.ID, -32603, "The session with Weft ended before there was an answer.")
	}
}

// pass writes what comes in a response to stdout.
func (b *bridge) pass(res *http.Response, look func([]byte)) {
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		body, err := io.ReadAll(res.Body)
		if err == nil && len(bytes.TrimSpace(body)) > 0 {
			look(body)
			b.write(body)
		}
		return
	}
	r := sse.NewReader(res.Body)
	for {
		data, err := r.Next()
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(data)) > 0 {
			look(data)
			b.write(data)
		}
	}
}

// listen passes on what the gateway says by itself, such as that the tools have changed.
func (b *bridge) listen(ctx context.Context) {
	for ctx.Err() == nil {
		req, err := b.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		res, err := b.client.Do(req)
		if err != nil {
			return // the next request says so
		}
		if res.StatusCode != http.StatusOK {
			if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusNotFound {
				b.cancel(errEnded)
			}
			_ = res.Body.Close()
			return
		}
		b.pass(res, func([]byte) {})
		_ = res.Body.Close()
		select {
		case <-time.After(time.Second): // the stream was cut; the session may go on
		case <-ctx.Done():
		}
	}
}

// refused answers a message that the gateway did not take.
func (b *bridge) refused(res *http.Response, id json.RawMessage) {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	var e struct{ Error struct{ Message string } }
	message := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		message = e.Error.Message
	}
	b.fail(id, -32600, bounded(message, 1000))
}

// fail answers a request with an error; what was no request is told on stderr.
func (b *bridge) fail(id json.RawMessage, code int, message string) {
	if len(id) == 0 {
		b.say(message)
		if code != -32700 {
			return
		}
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err == nil {
		b.write(text)
	}
}

// write writes a message on a line of its own.
func (b *bridge) write(message []byte) {
	var line bytes.Buffer
	if json.Compact(&line, message) != nil {
		return
	}
	line.WriteByte('\n')
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(line.Bytes()); err != nil {
		b.cancel(err) // nobody reads it any more
	}
}

// leave ends the session with the gateway.
func (b *bridge) leave() {
	b.mu.Lock()
	session := b.session
	b.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if req, err := b.request(ctx, http.MethodDelete, nil); err == nil {
		if res, err := b.client.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
}

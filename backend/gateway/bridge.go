package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"weft/backend/base/clip"
	"weft/backend/llm/sse"
)

// request returns a request to the gateway, with the headers of the MCP session once there is one.
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

// post sends one message and writes the response to stdout. It answers every request, if need be with an error. sent is
// called when the message was written.
func (b *bridge) post(ctx context.Context, line []byte, m envelope, sent func()) {
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }})
	req, err := b.request(traced, http.MethodPost, line)
	if err != nil {
		b.fail(m.ID, -32603, "The gateway of Weft has no such address.")
		return
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.fail(m.ID, -32603, "Weft can't be reached: it is no longer running, or was restarted.")
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

// pass writes the messages in a response to stdout and calls look with each.
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

// listen passes on messages that the gateway sends by itself, such as that the tools have changed.
func (b *bridge) listen(ctx context.Context) {
	for ctx.Err() == nil {
		req, err := b.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		res, err := b.client.Do(req)
		if err != nil {
			return // the next request reports it
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
		case <-time.After(time.Second): // the stream was cut; the session may continue
		case <-ctx.Done():
		}
	}
}

// refused answers a message that the gateway rejected.
func (b *bridge) refused(res *http.Response, id json.RawMessage) {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	var e struct{ Error struct{ Message string } }
	message := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		message = e.Error.Message
	}
	b.fail(id, -32600, clip.Text(message, 1000))
}

// fail answers a request with an error. For other messages it writes the error to stderr.
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

// write writes a message to stdout as one line.
func (b *bridge) write(message []byte) {
	var line bytes.Buffer
	if json.Compact(&line, message) != nil {
		return
	}
	line.WriteByte('\n')
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(line.Bytes()); err != nil {
		b.cancel(err) // the agent has closed our stdout
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

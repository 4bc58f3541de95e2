package ollama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"weft/backend/llm"
)

// The bounds of an answer and of an error on the wire, in bytes.
const (
	maxAnswer = 256 << 20
	maxError  = 1 << 20
)

// trace is between the client and the connection of one request, for what the client does not tell: the bytes of each
// line, since its types lose digits of large numbers, the headers of an error, and why a stream ended.
type trace struct {
	model   *model
	next    http.RoundTripper
	pending bytes.Buffer // what the client has read and no callback has taken
	failed  error        // why reading ended, nil at the end of the body
}

// RoundTrip implements http.RoundTripper.
func (t *trace) RoundTrip(req *http.Request) (*http.Response, error) {
	if key := t.model.opt.Key; key != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		defer res.Body.Close()
		body, err := io.ReadAll(io.LimitReader(res.Body, maxError))
		if err != nil && len(body) == 0 {
			return nil, err
		}
		return nil, t.model.statusError(res.StatusCode, res.Header, body)
	}
	body := bufio.NewReader(io.LimitReader(res.Body, maxAnswer))
	if head, _ := body.Peek(1); len(head) > 0 && head[0] == '<' {
		defer res.Body.Close()
		page, _ := io.ReadAll(io.LimitReader(body, 4096)) // a part tells enough
		return nil, t.model.end.StatusError(res.StatusCode, http.Header{"Content-Type": {"text/html"}}, string(page), time.Time{}, nil)
	}
	res.Body = &traced{body, res.Body, t}
	return res, nil
}

// traced is a body that the trace reads along.
type traced struct {
	io.Reader
	io.Closer
	trace *trace
}

func (b *traced) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.trace.pending.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		b.trace.failed = err
	}
	return n, err
}

// line takes the next line that the client has read.
func (t *trace) line() []byte {
	line, _ := t.pending.ReadBytes('\n') // the last may lack its end
	return bytes.TrimSpace(line)
}

// said is an error as Ollama writes it.
type said struct {
	Error  string `json:"error"`
	Status int    `json:"status"`
}

func (m *model) statusError(status int, header http.Header, body []byte) *llm.Error {
	var s said
	if json.Unmarshal(body, &s) != nil || s.Error == "" {
		s.Error = string(body)
	}
	if m.opt.Key != "" {
		s.Error = string(bytes.ReplaceAll([]byte(s.Error), []byte(m.opt.Key), []byte("[key]")))
	}
	return m.end.StatusError(status, header, s.Error, m.opt.Now(), nil)
}

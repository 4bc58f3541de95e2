package modelproxy

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxBehind limits how many bytes of a response wait to be parsed. Above it, parsing is given up.
const maxBehind = 8 << 20

// trace starts parsing a copy of a response if its format is known.
func (p *Proxy) trace(res *http.Response) error {
	of, _ := res.Request.Context().Value(passingKey{}).(*passing)
	if res.StatusCode != http.StatusOK || res.Body == nil || res.Body == http.NoBody || res.Request.Method != http.MethodPost {
		return nil
	}
	f := formatOf(of.path, res.Header.Get("Content-Type"))
	if f == nil {
		return nil
	}
	q := &queue{}
	q.cond.L = &q.mu
	res.Body = &traced{ReadCloser: res.Body, q: q, t: of.t}
	encoding := res.Header.Get("Content-Encoding")
	a := &answer{of: of, format: f}
	go func() {
		err := a.read(q, encoding)
		q.giveUp()
		a.end(err)
		if q.left() {
			of.t.fallBehind(-1)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			p.log.Debug().Err(err).Str("format", f.name).Msg("an answer of a model can't be read along; it passes all the same")
		}
	}()
	return nil
}

// traced is a response body that copies everything that is read to a queue.
type traced struct {
	io.ReadCloser
	q    *queue
	t    *Tunnel
	once sync.Once
}

func (b *traced) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.q.put(p[:n])
	}
	if err != nil {
		b.over(err)
	}
	return n, err
}

func (b *traced) Close() error {
	b.over(io.ErrUnexpectedEOF) // no effect if it was read to its end
	return b.ReadCloser.Close()
}

func (b *traced) over(err error) {
	b.once.Do(func() {
		b.t.fallBehind(1)
		if !b.q.end(err) {
			b.t.fallBehind(-1)
		}
	})
}

// queue is a buffer of bytes between the forwarding and the parsing of a response. put never waits.
type queue struct {
	mu      sync.Mutex
	cond    sync.Cond
	chunks  [][]byte
	size    int
	err     error // after the chunks
	given   bool  // nobody reads from it any more
	counted bool  // counted as behind
}

var errBehind = errors.New("it came faster than it can be read")

func (q *queue) put(b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.given || q.err != nil {
		return
	}
	if q.size+len(b) > maxBehind {
		q.chunks, q.size, q.err = nil, 0, errBehind
	} else {
		q.chunks, q.size = append(q.chunks, append([]byte(nil), b...)), q.size+len(b)
	}
	q.cond.Signal()
}

// end sets the error after the last byte. It reports whether the response is still being parsed.
func (q *queue) end(err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	q.cond.Signal()
	q.counted = !q.given
	return q.counted
}

// giveUp ends the parsing.
func (q *queue) giveUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.given, q.chunks, q.size = true, nil, 0
}

// left reports whether end counted the response as still being parsed.
func (q *queue) left() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counted
}

// Read implements io.Reader. It blocks until there are bytes.
func (q *queue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.chunks) == 0 && q.err == nil {
		q.cond.Wait()
	}
	if len(q.chunks) == 0 {
		return 0, q.err
	}
	n := copy(p, q.chunks[0])
	if q.chunks[0] = q.chunks[0][n:]; len(q.chunks[0]) == 0 {
		q.chunks[0] = nil
		q.chunks = q.chunks[1:]
	}
	q.size -= n
	return n, nil
}

// decoded returns a reader of the decoded body. It returns data as soon as it is complete.
func decoded(body io.Reader, encoding string) (io.Reader, func(), error) {
	nothing := func() {}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nothing, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(body)
		return z, nothing, err
	case "deflate":
		z, err := zlib.NewReader(body)
		return z, nothing, err
	case "br":
		return brotli.NewReader(body), nothing, nil
	case "zstd":
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, nothing, err
		}
		return z, z.Close, nil
	}
	return nil, nothing, fmt.Errorf("the encoding %q isn't known", encoding)
}

package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

// chunkLine is an agent_message_chunk of about 167 bytes.
func chunkLine(i int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_0123456789","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"word %07d "}}}}`, i%10_000_000)
}

// flood is a stream of n chunk lines that costs next to nothing to produce.
type flood struct {
	block []byte
	left  int // bytes
	at    int
}

func newFlood(n int) *flood {
	const per = 1000
	f := &flood{}
	for i := range per {
		f.block = append(append(f.block, chunkLine(i)...), '\n')
	}
	f.left = len(f.block) * (n / per)
	return f
}

func (f *flood) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := min(copy(p, f.block[f.at:]), f.left)
	f.at = (f.at + n) % len(f.block)
	f.left -= n
	return n, nil
}

func rate(b *testing.B, lines int) {
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkDecode is framing and decoding on one goroutine.
func BenchmarkDecode(b *testing.B) {
	for _, mode := range []string{"fast", "general"} {
		b.Run(mode, func(b *testing.B) {
			b.ReportAllocs()
			d := NewDecoder(func(*Inbound) {})
			d.slow = mode == "general"
			line := chunkLine(1)
			for b.Loop() {
				d.Line(line)
			}
			rate(b, 1)
		})
	}
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		line := chunkLine(1)
		for b.Loop() {
			var m struct {
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			var n sdk.SessionNotification
			if err := json.Unmarshal(line, &m); err != nil {
				b.Fatal(err)
			}
			if err := json.Unmarshal(m.Params, &n); err != nil {
				b.Fatal(err)
			}
		}
		rate(b, 1)
	})
}

// BenchmarkPipeline is the whole connection with a handler that does nothing, against
// the SDK's with one that does nothing but let its reader continue.
func BenchmarkPipeline(b *testing.B) {
	const lines = 100_000
	b.Run("weft", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			c := New(newFlood(lines), io.Discard, Options{})
			if err := c.Run(context.Background(), HandlerFunc(func(*Inbound, bool) { n++ })); err != nil || n != lines {
				b.Fatal(n, err)
			}
		}
		rate(b, lines)
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			client := &countingClient{tokens: make(chan struct{}, 512), done: make(chan struct{}), want: lines}
			r := &creditReader{r: newFlood(lines), tokens: client.tokens}
			sdk.NewClientSideConnection(client, io.Discard, r)
			<-client.done
		}
		rate(b, lines)
	})
}

// creditReader admits lines only as far as they have been handled, without which the
// SDK's connection ends itself under a flood.
type creditReader struct {
	r      io.Reader
	tokens chan struct{}
	buf    []byte
}

func (c *creditReader) Read(p []byte) (int, error) {
	if len(c.buf) < 64<<10 {
		fresh := make([]byte, 64<<10)
		n, err := c.r.Read(fresh)
		c.buf = append(c.buf, fresh[:n]...)
		if err != nil && len(c.buf) == 0 {
			select {} // the SDK would drop what is queued
		}
	}
	n := 0
	for n < 256 {
		end := bytes.IndexByte(c.buf, '\n') + 1
		if end == 0 || n+end > len(p) {
			break
		}
		c.tokens <- struct{}{}
		copy(p[n:], c.buf[:end])
		c.buf = c.buf[end:]
		n += end
	}
	return n, nil
}

type countingClient struct {
	sdk.Client
	tokens     chan struct{}
	done       chan struct{}
	seen, want int
}

func (c *countingClient) SessionUpdate(context.Context, sdk.SessionNotification) error {
	<-c.tokens
	if c.seen++; c.seen == c.want {
		close(c.done)
	}
	return nil
}

// BenchmarkLongLine is a tool call with a megabyte of output.
func BenchmarkLongLine(b *testing.B) {
	line := []byte(wrap(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"` + strings.Repeat(`some output\n`, 90_000) + `"}}]}`))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	d := NewDecoder(func(*Inbound) {})
	for b.Loop() {
		d.Line(line)
	}
}

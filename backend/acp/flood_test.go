package acp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"weft/backend/base/raced"
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// readAhead is how many bytes the reader holds of what no lane has yet.
const readAhead = 64 << 10

// TestFlood sends a million chunks (fewer with the race detector): none may be lost, in order, in bounded memory.
func TestFlood(t *testing.T) {
	lines := raced.Of(1_000_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	n := 0
	c := New(newFlood(lines), io.Discard, Options{})
	err := c.Run(context.Background(), HandlerFunc(func(in *Inbound, _ bool) {
		want := n % 1000
		if len(in.Update.Text) != len("word 0000000 ") || int(in.Update.Text[11]-'0') != want%10 || in.SessionID != "sess_0123456789" {
			t.Fatalf("update %d is %+v", n, in)
		}
		if n++; n%(lines/10) == 0 {
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapInuse)
		}
	}))
	if err != nil || n != lines {
		t.Errorf("%d of %d, %v", n, lines, err)
	}
	if grown := int64(peak) - int64(before.HeapInuse); grown > 64<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// TestBackPressure blocks the handler: the reader must stop reading.
func TestBackPressure(t *testing.T) {
	for _, tc := range []struct {
		name  string
		line  []byte
		lines int
	}{
		{"by count", chunkLine(1), 5000},
		{"by bytes", []byte(wrap(`{"sessionUpdate":"x","y":"` + strings.Repeat("z", 1<<20) + `"}`)), 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				release := make(chan struct{})
				c := New(r, io.Discard, Options{})
				n, sent := 0, 0
				result := make(chan error, 1)
				go func() {
					result <- c.Run(context.Background(), HandlerFunc(func(*Inbound, bool) {
						<-release
						n++
					}))
				}()
				line := append(tc.line, '\n')
				go func() {
					for range tc.lines {
						if _, err := w.Write(line); err != nil {
							t.Error(err)
						}
						sent++
					}
					w.Close()
				}()
				synctest.Wait()
				// The queue, one batch being filled and one line in the reader's buffer.
				if sent > maxQueued+batchItems+readAhead/len(line)+1 || sent*len(line) > maxQueuedBytes+4*len(line)+2*readAhead {
					t.Errorf("%d lines of %d bytes were taken", sent, len(line))
				}
				close(release)
				if err := <-result; err != nil || n != tc.lines {
					t.Errorf("%d delivered, %v", n, err)
				}
			})
		})
	}
}

// TestOversize sends lines longer than what is read between two ordinary ones.
func TestOversize(t *testing.T) {
	size := max(raced.Of(100<<20), MaxLine+1)
	long := func(head, tail string) io.Reader {
		return io.MultiReader(strings.NewReader(head), &repeat{[]byte("x"), size}, strings.NewReader(tail+"\n"))
	}
	r := io.MultiReader(
		strings.NewReader(wrap(`{"sessionUpdate":"plan","entries":[]}`)+"\n"),
		long(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","rawOutput":"`, `"}}}`),
		long(`{"jsonrpc":"2.0","id":7,"method":"fs/write_text_file","params":{"content":"`, `"}}`),
		long(`{"jsonrpc":"2.0","result":"`, `","id":1}`),
		strings.NewReader(wrap(`{"sessionUpdate":"plan","entries":[]}`)+"\n"),
	)
	written, w := &bytes.Buffer{}, make(chan struct{})
	var got []Inbound
	c := New(&gate{r, w}, written, Options{})
	result := make(chan error, 1)
	go func() {
		result <- c.Run(context.Background(), HandlerFunc(func(in *Inbound, _ bool) { got = append(got, *in) }))
	}()
	calling := make(chan error)
	go func() { calling <- c.Call(t.Context(), "x", nil, nil) }()
	for {
		c.mu.Lock()
		n := len(c.calls.byID)
		c.mu.Unlock()
		if n == 1 {
			break
		}
	}
	close(w)
	if err := <-calling; !errors.Is(err, ErrOversize) {
		t.Errorf("call: %v", err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
	if len(got) != 5 || got[1].Kind != KindOversize || got[1].SessionID != "s" || got[1].Size < size ||
		got[1].Update.Kind != transcript.UpdateOpaque || got[1].Update.UnknownKind != "tool_call_update" || len(got[1].Update.Value) > 2<<10 || !scan.Valid(got[1].Update.Value) {
		t.Fatalf("%d things: %.300v", len(got), got)
	}
	if got[2].Request == nil || got[2].Method != "fs/write_text_file" || got[4].Kind != KindUpdate {
		t.Errorf("got %.300v", got[2:])
	}
}

type repeat struct {
	b    []byte
	left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.left)
	for i := range p[:n] {
		p[i] = r.b[0]
	}
	r.left -= n
	return n, nil
}

// gate holds a reader back until it is opened.
type gate struct {
	r    io.Reader
	open chan struct{}
}

func (g *gate) Read(p []byte) (int, error) {
	<-g.open
	return g.r.Read(p)
}

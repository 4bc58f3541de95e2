package store

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/conversation/transcript"
)

// written returns the number of bytes that this process has written (Linux).
func written(b *testing.B) (n int64) {
	b.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip("only Linux counts written bytes")
	}
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "wchar: %d", &n); err == nil {
			return n
		}
	}
	b.Skip("no count of written bytes")
	return 0
}

const prose = "The quick brown fox jumps over the lazy dog, \"again\" and again;\n"

// BenchmarkBytesPerTextByte streams text fast (some deltas of 6 KB per append) and slowly (one short delta per append).
func BenchmarkBytesPerTextByte(b *testing.B) {
	for _, c := range []struct {
		name         string
		delta, batch int
		total        int
	}{{"flood", 6000, 16, 64 << 20}, {"busy", 6000, 1, 64 << 20}, {"kilobyte", 1024, 1, 16 << 20}, {"token", 24, 1, 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s := open(b, b.TempDir())
				newSpace(b, s, "a")
				add(b, s, "a", start("m"))
				text := strings.Repeat(prose, c.delta/len(prose)+1)[:c.delta]
				before, n := written(b), 0
				for n < c.total {
					bodies := make([]transcript.Body, c.batch)
					for i := range bodies {
						bodies[i] = words("m", 0, text)
						n += len(text)
					}
					add(b, s, "a", bodies...)
				}
				add(b, s, "a", &transcript.MessageEnd{MessageID: "m"})
				closeStore(b, s)
				b.ReportMetric(float64(written(b)-before)/float64(n), "bytes/byte")
				b.ReportMetric(float64(s.Stats().Commits), "commits")
				b.SetBytes(int64(n))
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name   string
		bodies func(i int) []transcript.Body
	}{
		{"token", func(int) []transcript.Body { return []transcript.Body{words("m", 0, "twenty-four characters. ")} }},
		{"delta6K", func(int) []transcript.Body { return []transcript.Body{words("m", 0, strings.Repeat("x", 6000))} }},
		{"tool", func(i int) []transcript.Body {
			p := at("m", 1, i)
			return []transcript.Body{
				&transcript.ToolCallStart{At: p, ToolCallID: "t", Title: "Read", Kind: "read", Status: transcript.StatusRunning},
				&transcript.ToolCallEnd{At: p, ToolCallID: "t", Status: transcript.StatusCompleted, Summary: "ok"},
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, b.TempDir())
			newSpace(b, s, "a")
			add(b, s, "a", start("m"), words("m", 0, "x"))
			i := 0
			for b.Loop() {
				add(b, s, "a", c.bodies(i)...)
				i++
			}
		})
	}
}

// BenchmarkCostAtPosition compares appends to a message with 1,000 and with 1,000,000 events: to the last text, to an early tool
// call, and new segments. The two alternate, so that other load on the machine affects both.
func BenchmarkCostAtPosition(b *testing.B) {
	var stores [2]*Store
	var segments [2]int
	for i, position := range []int{1000, 1_000_000} {
		var dir string
		dir, segments[i] = longMessage(b, position)
		stores[i] = open(b, dir)
	}
	for _, c := range []struct {
		name string
		body func(segments, i int) transcript.Body
	}{
		{"text", func(segments, _ int) transcript.Body { return words("m", segments-1, "twenty-four characters. ") }},
		{"tool", func(_, i int) transcript.Body {
			title := fmt.Sprint("title ", i)
			return &transcript.ToolCallUpdate{At: at("m", 1, 0), Title: &title}
		}},
		{"segment", func(segments, i int) transcript.Body { return words("m", segments+i, "x") }},
	} {
		b.Run(c.name, func(b *testing.B) {
			const rounds, each = 60, 400 // each is about a fold
			var took [2][]time.Duration
			for b.Loop() {
				for round := range rounds {
					for k := range stores {
						begin := time.Now()
						for i := range each {
							add(b, stores[k], "a", c.body(segments[k], round*each+i))
						}
						took[k] = append(took[k], time.Since(begin))
					}
				}
				if c.name == "segment" {
					segments[0], segments[1] = segments[0]+rounds*each, segments[1]+rounds*each
				}
			}
			for k := range took {
				slices.Sort(took[k])
			}
			early, late := took[0][len(took[0])/2]/each, took[1][len(took[1])/2]/each
			b.ReportMetric(float64(early.Nanoseconds()), "ns-early")
			b.ReportMetric(float64(late.Nanoseconds()), "ns-late")
			b.ReportMetric(float64(late)/float64(early), "late/early")
		})
	}
}

// longMessage creates a message with a number of events, alternating texts of a few deltas and tool groups.
func longMessage(tb testing.TB, events int) (dir string, segments int) {
	tb.Helper()
	dir = tb.TempDir()
	s := open(tb, dir)
	newSpace(tb, s, "a")
	add(tb, s, "a", start("m"))
	var batch []transcript.Body
	for n := 0; n < events; {
		for range 8 {
			batch = append(batch, words("m", segments, "twenty-four characters. "))
		}
		p := at("m", segments+1, 0)
		batch = append(batch, &transcript.ToolCallStart{At: p, ToolCallID: "t", Title: "Read", Kind: "read", Status: transcript.StatusRunning},
			&transcript.ToolCallEnd{At: p, ToolCallID: "t", Status: transcript.StatusCompleted, Summary: "ok"})
		n, segments = n+10, segments+2
		if len(batch) >= 1000 || n >= events {
			add(tb, s, "a", batch...)
			batch = nil
		}
	}
	add(tb, s, "a", words("m", segments, "the last"))
	closeStore(tb, s)
	return dir, segments + 1
}

// BenchmarkSnapshot opens spaces with 100,000 segments or items.
func BenchmarkSnapshot(b *testing.B) {
	ctx := context.Background()
	measure := func(name string, fill func(s *Store)) {
		s := open(b, b.TempDir())
		newSpace(b, s, "a")
		fill(s)
		if err := s.Events.Flush(ctx, "a"); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				snap, err := s.Pages.Snapshot(ctx, "a", 100)
				if err != nil || len(snap.Page.Messages) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
	many := func(s *Store, n int, f func(i int) []transcript.Body) {
		var batch []transcript.Body
		for i := range n {
			if batch = append(batch, f(i)...); len(batch) >= 1000 {
				add(b, s, "a", batch...)
				batch = nil
			}
		}
		add(b, s, "a", batch...)
	}
	call := func(p transcript.At) []transcript.Body {
		return []transcript.Body{
			&transcript.ToolCallStart{At: p, ToolCallID: "t", Title: "Read a file", Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"/a/b/c"}`)},
			&transcript.ToolCallEnd{At: p, ToolCallID: "t", Status: transcript.StatusCompleted, Summary: "Read 120 lines", DurationMs: 12},
		}
	}
	for _, n := range []int{1000, 100_000} {
		measure(fmt.Sprintf("messages/segments=%d", n), func(s *Store) {
			many(s, n/2, func(i int) []transcript.Body {
				m := fmt.Sprint("m", i)
				return append(append([]transcript.Body{start(m), words(m, 0, prose)}, call(at(m, 1, 0))...), &transcript.MessageEnd{MessageID: m})
			})
		})
		measure(fmt.Sprintf("oneMessage/segments=%d", n), func(s *Store) {
			add(b, s, "a", start("m"))
			many(s, n/2, func(i int) []transcript.Body {
				return append([]transcript.Body{words("m", 2*i, prose)}, call(at("m", 2*i+1, 0))...)
			})
		})
		measure(fmt.Sprintf("oneGroup/items=%d", n), func(s *Store) {
			add(b, s, "a", start("m"))
			many(s, n, func(i int) []transcript.Body { return call(at("m", 0, i)) })
		})
		measure(fmt.Sprintf("oneText/KB=%d", n), func(s *Store) {
			add(b, s, "a", start("m"))
			many(s, n, func(int) []transcript.Body { return []transcript.Body{words("m", 0, strings.Repeat(prose, 16))} })
		})
	}
}

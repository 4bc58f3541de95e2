package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"weft/backend/export"
	"weft/backend/store"
	"weft/backend/transcript"
)

// ExportParams say how often each export is measured.
type ExportParams struct{ Rounds int }

// ExportSegments is how long the conversation is.
const ExportSegments = 100_000

// Memory measures the resident memory of the process, in bytes.
type Memory struct {
	Reset     func() // forgets the peak
	Now, Peak func() int64
}

// Exported is how long an export took, in s, how much memory it needed on top, and how large its file is.
type Exported struct {
	Seconds []float64
	Grown   int64
	Bytes   int64
}

// ExportResult is what was measured, by the shape of the space and the format.
type ExportResult map[string]Exported

// exportBodies is a conversation with something in its calls, as twoSegments has nothing to write.
func exportBodies(n, each int) (bodies []transcript.Body) {
	output := strings.Repeat("package shop\n\nfunc total() int { return 0 }\n", 12)
	for i := 0; i < n; i += each {
		id := fmt.Sprint("m", i)
		bodies = append(bodies, &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent})
		for k := 0; k < each; k += 2 {
			at := transcript.At{MessageID: id, Segment: k + 1}
			call := fmt.Sprint("t", k)
			bodies = append(bodies,
				&transcript.TextDelta{MessageID: id, Segment: k, Content: "I read `cart.go` to see **what it says** about this:\n\n1. the total\n2. the tax\n\nThen I continue with the next one.\n"},
				&transcript.ToolCallStart{
					At: at, ToolCallID: call, Title: "Read cart.go", Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"cart.go"}`),
					Content: []transcript.Content{{Type: "text", Text: output}},
				},
				&transcript.ToolCallEnd{At: at, ToolCallID: call, Status: transcript.StatusCompleted, Summary: "Read 36 lines", DurationMs: 12})
		}
		bodies = append(bodies, &transcript.MessageEnd{MessageID: id, StopReason: "end_turn"})
	}
	return bodies
}

// Export exports a long conversation, in one message and in many, as HTML and as JSON. fill makes a space of events.
func Export(p ExportParams, m Memory, s *store.Store, fill func(bodies []transcript.Body) (string, error)) (r ExportResult, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft-bench-export-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	r = ExportResult{}
	for name, each := range map[string]int{"in one message": ExportSegments, "in 1,000 messages": ExportSegments / 1000} {
		id, err := fill(exportBodies(ExportSegments, each))
		if err != nil {
			return r, err
		}
		for _, format := range []export.Format{export.HTML, export.JSON} {
			var one Exported
			for range p.Rounds {
				runtime.GC()
				debug.FreeOSMemory()
				m.Reset()
				before, begin := m.Now(), time.Now()
				e, err := export.Prepare(ctx, export.Options{Store: s}, export.Request{Format: format, SpaceID: id})
				if err != nil {
					return r, err
				}
				_, result, err := e.File(ctx, filepath.Join(dir, "out."+string(format)))
				if err != nil {
					return r, err
				}
				one.Seconds = append(one.Seconds, time.Since(begin).Seconds())
				one.Grown, one.Bytes = max(one.Grown, m.Peak()-before), result.Bytes
			}
			r[string(format)+" "+name] = one
		}
	}
	return r, nil
}

package transcript

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestRetriedCallRunsAndEndsAgain retries an ended call, in the current message and in a finished one.
func TestRetriedCallRunsAndEndsAgain(t *testing.T) {
	for _, old := range []bool{false, true} {
		b := newBench(t)
		b.turns.Begin("r", "")
		kind := "other"
		b.do(text("Look:"), with(announce("t", "fetch", StatusRunning), func(p *ToolPatch) { p.Kind = &kind }),
			with(change("t", StatusFailed), func(p *ToolPatch) {
				p.Content = &[]Content{{Type: "text", Text: "HTTP 503 Service Unavailable"}}
			}))
		b.flush()
		c := b.conv.Messages[0].Segments[1].Items[0].Call
		if got := outcomeOf(c); got != "failed HTTP 503 Service Unavailable (retryable)" {
			t.Fatal(got)
		}
		f := b.turns.With("t")
		if old {
			f = Reopen(&b.box, b.conv.Messages[0].ID, At{b.conv.Messages[0].ID, 1, 0}, c)
		}
		b.now += 5000
		f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "t", Again: true}}, b.now)
		b.flush()
		if c.Status != StatusRunning || c.Error != "" || c.Retryable || c.DurationMs != nil || c.StartedAt != b.now || len(c.Content) > 0 {
			t.Errorf("old %v, running: %+v", old, c)
		}
		b.now += 30
		f.Apply(with(change("t", StatusCompleted), func(p *ToolPatch) {
			p.Output = jsontext.Value(`{"content":[{"type":"text","text":"Found 3 pears"}]}`)
		}), b.now)
		b.flush()
		if got := outcomeOf(c); got != "completed Found 3 pears" || !c.WasRetried || *c.DurationMs != 30 || *c.ResultCount != 3 {
			t.Errorf("old %v, ended: %s, %+v", old, got, c)
		}
	}
}

// TestResultIsMissedOnce: a call without a result that begins again says so of its last try only, and not where the user has stopped that.
func TestResultIsMissedOnce(t *testing.T) {
	calls := func(b *bench) (list []*ToolCall) {
		for _, m := range b.conv.Messages {
			for _, s := range m.Segments {
				for _, it := range s.Items {
					list = append(list, it.Call)
				}
			}
		}
		return list
	}
	t.Run("made again and stopped", func(t *testing.T) {
		b := newBench(t)
		f := b.turns.Begin("r", "")
		b.do(announce("t", "Serve", StatusRunning))
		b.turns.EndRun(f, "end_turn", nil, b.now)
		b.flush()
		c := calls(b)[0]
		if c.Status != StatusCancelled || c.Summary != noResult {
			t.Fatalf("left open: %s, %q", c.Status, c.Summary)
		}
		f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "t", Again: true}}, b.now+10)
		b.flush()
		if c.Status != StatusRunning || c.Summary != "" {
			t.Errorf("again: %s, %q", c.Status, c.Summary)
		}
		f.CancelOpen(b.now + 20)
		b.flush()
		if c.Status != StatusCancelled || c.Summary != "" {
			t.Errorf("stopped: %s, %q", c.Status, c.Summary)
		}
		f.Apply(change("t", StatusFailed), b.now+30) // because it was stopped, which is no failure
		b.flush()
		if c.Status != StatusCancelled {
			t.Errorf("failed after the stop: %s", c.Status)
		}
	})
	t.Run("announced again in the next turn", func(t *testing.T) {
		b := newBench(t)
		for _, run := range []string{"r1", "r2", "r3"} {
			f := b.turns.Begin(run, "")
			b.do(announce("t", "Serve", StatusRunning))
			b.turns.EndRun(f, "end_turn", nil, b.now)
			b.flush()
		}
		list := calls(b)
		if len(list) != 3 || list[0].Summary != startedAgain || list[1].Summary != startedAgain || list[2].Summary != noResult {
			t.Errorf("summaries: %q, %q, %q", list[0].Summary, list[1].Summary, list[2].Summary)
		}
	})
	t.Run("announced again after it was stopped", func(t *testing.T) {
		b := newBench(t)
		f := b.turns.Begin("r1", "")
		b.do(announce("t", "Serve", StatusRunning))
		b.turns.EndRun(f, "cancelled", nil, b.now)
		b.turns.Begin("r2", "")
		b.do(announce("t", "Serve", StatusRunning))
		b.flush()
		if c := calls(b)[0]; c.Status != StatusCancelled || c.Summary != "" {
			t.Errorf("stopped: %s, %q", c.Status, c.Summary)
		}
	})
}

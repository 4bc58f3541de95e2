package transcript

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestRetriedCallRunsAndEndsAgain: a call that has ended runs again and ends again, in the message that is written and in one that nobody writes
// any more.
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

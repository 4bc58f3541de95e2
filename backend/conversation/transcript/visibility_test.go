package transcript

import (
	"strings"
	"testing"
)

func TestVisibility(t *testing.T) {
	b := newBench(t)
	b.turns.Begin("r", "")
	tool := func(p ToolPatch) *Update { return &Update{Kind: UpdateTool, Tool: &p} }
	title := "again"
	b.do(tool(ToolPatch{ID: "full", Announced: true}), tool(ToolPatch{ID: "quiet", Announced: true, Visibility: VisibilityHidden}), tool(ToolPatch{ID: "late", Announced: true}))
	b.flush()
	b.do(tool(ToolPatch{ID: "late", Visibility: VisibilityMinimal}), tool(ToolPatch{ID: "quiet", Title: &title}), tool(ToolPatch{ID: "full", Visibility: VisibilityFull}))
	b.flush()
	look := func() (all []string) {
		for _, it := range b.conv.Messages[0].Segments[0].Items {
			all = append(all, it.Call.ID+"="+it.Call.Visibility)
		}
		return all
	}
	if got := strings.Join(look(), " "); got != "full= quiet=hidden late=minimal" {
		t.Errorf("%s", got)
	}
	n := 0
	for _, raw := range b.raw {
		n += strings.Count(raw, `"visibility"`)
	}
	if n != 2 {
		t.Errorf("it is told %d times:\n%s", n, strings.Join(b.raw, "\n"))
	}
	b.do(tool(ToolPatch{ID: "late", Visibility: VisibilityFull}))
	b.flush()
	if got := strings.Join(look(), " "); got != "full= quiet=hidden late=" {
		t.Errorf("%s", got)
	}
}

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		call ToolCall
		want bool
	}{
		{ToolCall{Status: StatusCompleted}, true},
		{ToolCall{Status: StatusCompleted, Visibility: VisibilityMinimal}, true},
		{ToolCall{Status: StatusCompleted, Visibility: VisibilityHidden}, false},
		{ToolCall{Status: StatusRejected, Visibility: VisibilityHidden}, false},
		{ToolCall{Status: StatusFailed, Visibility: VisibilityHidden}, true},
		{ToolCall{Status: StatusWaiting, Visibility: VisibilityHidden}, true},
		{ToolCall{Status: StatusRunning, Visibility: VisibilityHidden}, true}, // what is open has to be found
		{ToolCall{Status: StatusCompleted, Visibility: VisibilityHidden, Kind: "display"}, true},
	} {
		if got := c.call.Counted(); got != c.want {
			t.Errorf("%+v: %v", c.call, got)
		}
	}
}

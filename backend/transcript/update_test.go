package transcript

import "testing"

func TestChangedUpdateLeavesTheOriginal(t *testing.T) {
	title := "a"
	u := &Update{Kind: UpdateTool, Text: "kept", Tool: &ToolPatch{ID: "1", Title: &title}}
	got := u.ChangeTool(func(p *ToolPatch) { p.Title = nil })
	if got.Tool.Title != nil || got.Tool.ID != "1" || got.Text != "kept" {
		t.Errorf("%+v, %+v", got, got.Tool)
	}
	if u.Tool.Title != &title {
		t.Error("the original has changed")
	}
}

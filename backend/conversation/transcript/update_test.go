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

func TestUpdateOfAStoppedRun(t *testing.T) {
	t.Parallel()
	running := StatusRunning
	for _, ended := range []Status{StatusFailed, StatusCompleted, StatusCancelled, StatusRejected} {
		u := &Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Status: &ended}}
		if got := u.AsStopped(); !got.Tool.Stopped || got.Tool.Status != &ended || u.Tool.Stopped {
			t.Errorf("%+v, and the original is %+v", got.Tool, u.Tool)
		}
	}
	for _, u := range []*Update{
		{Kind: UpdateText, Text: "a"},
		{Kind: UpdateTool, Tool: &ToolPatch{ID: "1"}},
		{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Status: &running}},
	} {
		if u.AsStopped() != u {
			t.Errorf("%+v has changed", u)
		}
	}
}

func TestOnlyTextIsANotice(t *testing.T) {
	u := &Update{Kind: UpdateText, Text: "a"}
	if got := u.AsNotice(); !got.Notice || got.Text != "a" || u.Notice {
		t.Errorf("%+v, and the original is %+v", got, u)
	}
	for _, u := range []*Update{{Kind: UpdateThought, Text: "a"}, {Kind: UpdateText, Block: &Content{}}} {
		if u.AsNotice() != u {
			t.Errorf("%+v has changed", u)
		}
	}
}

func TestUpdateThatShowsSomething(t *testing.T) {
	for _, test := range []struct {
		u    Update
		want bool
	}{
		{Update{Kind: UpdateText, Text: " \n"}, false},
		{Update{Kind: UpdateText, Text: " a"}, true},
		{Update{Kind: UpdateText, Block: &Content{}}, true},
		{Update{Kind: UpdateText, Text: "\u200b\ufeff \x1b"}, false},
		{Update{Kind: UpdateThought, Text: "a"}, false},
		{Update{Kind: UpdateTool, Tool: &ToolPatch{}}, true},
		{Update{Kind: UpdateState}, false},
	} {
		if test.u.Shows() != test.want {
			t.Errorf("%+v: want %v", test.u, test.want)
		}
	}
}

func TestDescriptionOfASessionIsNoSignOfWork(t *testing.T) {
	for _, test := range []struct {
		u    Update
		want bool
	}{
		{Update{Kind: UpdateText, Text: "a"}, true},
		{Update{Kind: UpdateText, Text: "a", Notice: true}, true},
		{Update{Kind: UpdateText, Block: &Content{}}, true},
		{Update{Kind: UpdateText}, false},
		{Update{Kind: UpdateThought, Text: "a"}, true},
		{Update{Kind: UpdateThought, Text: " \n"}, false},
		{Update{Kind: UpdateTool, Tool: &ToolPatch{}}, true},
		{Update{Kind: UpdateState, Key: StatePlan}, true},
		{Update{Kind: UpdateState, Key: StateCommands}, false},
		{Update{Kind: UpdateState, Key: StateTitle}, false},
		{Update{Kind: UpdateState, Key: StateMode}, false},
		{Update{Kind: UpdateState, Key: StateConfig}, false},
		{Update{Kind: UpdateState, Key: StateUsage}, false},
		{Update{Kind: UpdateOpaque, UnknownKind: "subagent_update"}, true},
		{Update{Kind: UpdateOpaque, UnknownKind: "session_info_update"}, false},
		{Update{Kind: UpdateUser, Text: "what the user said"}, false},
		{Update{Kind: UpdateNothing}, false},
	} {
		if test.u.Works() != test.want {
			t.Errorf("%+v: want %v", test.u, test.want)
		}
	}
}

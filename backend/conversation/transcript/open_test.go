package transcript

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// callsOf folds what a test does with a turn and returns its calls by id.
func callsOf(t *testing.T, do func(*Turns, *Fold)) map[string]ToolCall {
	t.Helper()
	var box Outbox
	n := 0
	turns := NewTurns(&box, Author{Kind: "person"}, Author{Kind: "agent"}, func() string { n++; return string(rune('a' + n)) })
	do(turns, turns.Begin("r1", "go"))
	var conv Conversation
	for i, b := range box.Take().Bodies {
		if err := conv.Apply(&Event{Seq: int64(i + 1), At: 10, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	calls := map[string]ToolCall{}
	for _, m := range conv.Messages {
		for _, s := range m.Segments {
			for _, it := range s.Items {
				if it.Call != nil {
					calls[it.Call.ID] = *it.Call
				}
			}
		}
	}
	return calls
}

func patch(id string, status Status, announced bool) *Update {
	title := "Do " + id
	p := &ToolPatch{ID: id, Announced: announced, Status: &status}
	if announced {
		p.Title = &title
	}
	return &Update{Kind: UpdateTool, Tool: p}
}

// TestCallsLeftOpenHaveNoResult checks that calls left open at the end of a turn stop running, and that late results
// win.
func TestCallsLeftOpenHaveNoResult(t *testing.T) {
	calls := callsOf(t, func(turns *Turns, f *Fold) {
		for _, id := range []string{"open", "late", "fails", "done", "waits"} {
			turns.Update(patch(id, StatusRunning, true), 1)
		}
		turns.Update(patch("done", StatusCompleted, false), 2)
		turns.AskPermission(&ToolPatch{ID: "waits"}, "q", []PermissionOption{{ID: "yes", Name: "Yes", Kind: "allow_once"}}, nil, 2)
		turns.EndRun(f, "end_turn", nil, 3)
		turns.Update(patch("late", StatusCompleted, false), 4)
		turns.Update(patch("fails", StatusFailed, false), 4)
	})
	for id, want := range map[string]Status{"open": StatusCancelled, "late": StatusCompleted, "fails": StatusFailed, "done": StatusCompleted, "waits": StatusWaiting} {
		if c := calls[id]; c.Status != want || (id == "open") != (c.Summary == "No result reported") {
			t.Errorf("%s: %s %q", id, c.Status, c.Summary)
		}
	}
}

// TestStoppedCallsDoNotFail: what an agent says of a call that was stopped doesn't make a failure of it.
func TestStoppedCallsDoNotFail(t *testing.T) {
	calls := callsOf(t, func(turns *Turns, f *Fold) {
		turns.Update(patch("c", StatusRunning, true), 1)
		turns.EndRun(f, "cancelled", nil, 2)
		turns.Update(patch("c", StatusFailed, false), 3)
	})
	if c := calls["c"]; c.Status != StatusCancelled || c.Error != "" {
		t.Errorf("%s %q", c.Status, c.Error)
	}
}

// TestRefusedCallsAreNotRed: what the user has refused was rejected, whatever the agent says of that, and also where the agent offers no answer that refuses.
func TestRefusedCallsAreNotRed(t *testing.T) {
	t.Parallel()
	words := "Tool execution failed: the user rejected it"
	for name, c := range map[string]struct {
		how  Resolution
		want Status
	}{
		"rejected":                      {Resolution{Outcome: "selected", OptionID: "no"}, StatusRejected},
		"by a rule":                     {Resolution{Outcome: "selected", OptionID: "no", By: &By{Who: "rule", Effect: "reject"}}, StatusRejected},
		"without an answer":             {Resolution{Outcome: "cancelled"}, StatusRejected},
		"by the mode, without one":      {Resolution{Outcome: "cancelled", By: &By{Who: "mode", Effect: "reject"}}, StatusRejected},
		"allowed":                       {Resolution{Outcome: "selected", OptionID: "yes"}, StatusFailed},
		"withdrawn by the agent":        {Resolution{Outcome: "cancelled", By: &By{Who: "agent"}}, StatusFailed},
		"answered with an id of no one": {Resolution{Outcome: "selected", OptionID: "other"}, StatusFailed},
	} {
		for _, content := range []bool{false, true} {
			calls := callsOf(t, func(turns *Turns, _ *Fold) {
				turns.Update(patch("c", StatusPending, true), 1)
				turns.AskPermission(&ToolPatch{ID: "c"}, "q", []PermissionOption{{ID: "yes", Kind: "allow_once"}, {ID: "no", Kind: "reject_once"}}, jsontext.Value("null"), 2)
				turns.ResolvePermission("q", c.how, 5)
				failed := patch("c", StatusFailed, false)
				if failed.Tool.Error = &words; content {
					failed.Tool.Error, failed.Tool.Content, failed.Tool.Output = nil, &[]Content{{Type: "text", Text: words}}, jsontext.Value(`"no"`)
				}
				turns.Update(failed, 6)
			})
			if got := calls["c"]; got.Status != c.want || (got.Error != "") != (c.want == StatusFailed) || content && (len(got.Content) != 1 || string(got.Output) != `"no"`) {
				t.Errorf("%s: %s %q, content %v, output %s", name, got.Status, got.Error, got.Content, got.Output)
			}
		}
	}
}

// TestAllowedCallsRun: a call runs once it is allowed, also where its agent doesn't say so.
func TestAllowedCallsRun(t *testing.T) {
	options := []PermissionOption{{ID: "yes", Name: "Yes", Kind: "allow_once"}, {ID: "no", Name: "No", Kind: "reject_once"}}
	for _, c := range []struct {
		how  Resolution
		want Status
	}{
		{Resolution{Outcome: "selected", OptionID: "yes"}, StatusRunning},
		{Resolution{Outcome: "selected", OptionID: "yes", By: &By{Who: "rule", Effect: "allow"}}, StatusRunning},
		{Resolution{Outcome: "selected", OptionID: "no"}, StatusRejected},
		{Resolution{Outcome: "cancelled"}, StatusPending},
	} {
		calls := callsOf(t, func(turns *Turns, _ *Fold) {
			turns.Update(patch("c", StatusPending, true), 1)
			turns.AskPermission(&ToolPatch{ID: "c"}, "q", options, jsontext.Value("null"), 2)
			turns.ResolvePermission("q", c.how, 5)
		})
		if got := calls["c"].Status; got != c.want {
			t.Errorf("%+v: %s, want %s", c.how, got, c.want)
		}
	}
}

package transcript

import (
	"strings"
	"testing"
)

// folded applies what a fold has caused.
func folded(t *testing.T, box *Outbox, at int64, conv *Conversation, seq *int64) {
	t.Helper()
	for _, body := range box.Take().Bodies {
		*seq++
		if err := conv.Apply(&Event{Epoch: 1, Seq: *seq, At: at, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFailedResultAfterStopIsNotRed(t *testing.T) {
	completed, failedStatus := StatusCompleted, StatusFailed
	exit := 3
	for name, late := range map[string][]*ToolPatch{
		"completed with a failed result": {{ID: "1", Status: &completed, Output: []byte(`{"exitCode":3,"stderr":"no"}`)}},
		"the result before the end":      {{ID: "1", Output: []byte(`{"success":false,"error":"no"}`)}, {ID: "1", Status: &completed}},
		"the exit after the end":         {{ID: "1", Status: &completed}, {ID: "1", Exit: &TerminalExit{Code: &exit}}},
		"content after the end":          {{ID: "1", Status: &completed, Output: []byte(`{"isError":true,"content":[{"type":"text","text":"no"}]}`)}, {ID: "1", Content: &[]Content{{Type: "text", Text: "Error: no"}}}},
		"failed":                         {{ID: "1", Status: &failedStatus, Output: []byte(`"no"`)}},
	} {
		t.Run(name, func(t *testing.T) {
			var box Outbox
			var conv Conversation
			var seq int64
			f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent})
			running, kind := StatusRunning, "execute"
			f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Announced: true, Kind: &kind, Status: &running, Input: []byte(`{"command":"make"}`)}}, 10)
			f.CancelOpen(20)
			for _, p := range late {
				f.Apply(&Update{Kind: UpdateTool, Tool: p}, 30)
				folded(t, &box, 30, &conv, &seq)
				c := conv.byID["m"].Segments[0].Items[0].Call
				if c.Status == StatusFailed || c.Error != "" {
					t.Errorf("the call is %s: %s", c.Status, c.Error)
				}
			}
			f.End("cancelled", nil, 40)
			folded(t, &box, 40, &conv, &seq)
			c := conv.byID["m"].Segments[0].Items[0].Call
			if c.Status == StatusFailed {
				t.Errorf("the call is %s: %s", c.Status, c.Error)
			}
			if late[0].Output != nil && name != "failed" && string(c.Output) != string(late[0].Output) {
				t.Errorf("its output is %s", c.Output)
			}
		})
	}
}

// What is reported as completed once the user has stopped the turn was stopped, too, unless it is known to be done.
func TestStoppedCallIsNeitherRedNorGreen(t *testing.T) {
	t.Parallel()
	const command, aborted = `{"command":"make"}`, "one\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
	zero, killed := 0, TerminalExit{Signal: "SIGTERM"}
	for name, c := range map[string]struct {
		kind, input string
		end         ToolPatch // without its status
		after       *TerminalExit
		want        Status
	}{
		"cline: a result that failed":            {kind: "execute", input: command, end: ToolPatch{Output: []byte(`[{"query":"make","result":"","error":"Command failed: Command was aborted","success":false}]`)}, want: StatusCancelled},
		"kilo: output without an exit code":      {kind: "execute", input: command, end: ToolPatch{Output: []byte(`{"output":"` + strings.ReplaceAll(aborted, "\n", `\n`) + `","metadata":{"exit":null}}`), Content: &[]Content{{Type: "text", Text: aborted}}}, want: StatusCancelled},
		"output without an exit code":            {kind: "execute", input: command, end: ToolPatch{Content: &[]Content{{Type: "text", Text: "one\n"}}}, want: StatusCancelled},
		"nothing":                                {kind: "execute", input: command, want: StatusCancelled},
		"an exit code of 0 beside words of that": {kind: "execute", input: command, end: ToolPatch{Output: []byte(`{"metadata":{"exit":0}}`), Content: &[]Content{{Type: "text", Text: aborted}}}, want: StatusCancelled},
		"killed by a signal":                     {kind: "execute", input: command, end: ToolPatch{Exit: &killed}, want: StatusCancelled},
		"an exit code of 130":                    {kind: "execute", input: command, end: ToolPatch{Output: []byte(`{"exitCode":130}`)}, want: StatusCancelled},
		"a command that had ended":               {kind: "execute", input: command, end: ToolPatch{Output: []byte(`{"exitCode":0}`)}, want: StatusCompleted},
		"an exit code that comes later":          {kind: "execute", input: command, after: &TerminalExit{Code: &zero}, want: StatusCompleted},
		"an exit that comes later":               {kind: "execute", input: command, after: &killed, want: StatusCancelled},
		"an edit that was made":                  {kind: "edit", end: ToolPatch{Content: &[]Content{{Type: "diff", Path: "a", NewText: "b"}}}, want: StatusCompleted},
		"a page that was fetched":                {kind: "fetch", input: `{"url":"http://x/"}`, end: ToolPatch{Content: &[]Content{{Type: "text", Text: "<p>hello"}}}, want: StatusCompleted},
		"a page that was not fetched":            {kind: "fetch", input: `{"url":"http://x/"}`, end: ToolPatch{Content: &[]Content{{Type: "text", Text: "The operation was aborted."}}}, want: StatusCancelled},
		"another agent":                          {kind: "other", end: ToolPatch{Content: &[]Content{{Type: "text", Text: "[Request interrupted by user]"}}}, want: StatusCancelled},
	} {
		for _, status := range []Status{StatusCompleted, StatusFailed} {
			t.Run(name+", "+string(status), func(t *testing.T) {
				t.Parallel()
				var box Outbox
				var conv Conversation
				var seq int64
				f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent})
				running := StatusRunning
				f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Announced: true, Kind: &c.kind, Status: &running, Input: []byte(c.input)}}, 10)
				end := c.end
				end.ID, end.Status = "1", &status
				f.Apply((&Update{Kind: UpdateTool, Tool: &end}).AsStopped(), 30)
				if c.after != nil {
					f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Exit: c.after}}, 40)
				}
				f.End("cancelled", nil, 50)
				folded(t, &box, 50, &conv, &seq)
				want := c.want
				if status == StatusFailed {
					want = StatusCancelled
				}
				if call := conv.byID["m"].Segments[0].Items[0].Call; call.Status != want || call.Error != "" || *call.DurationMs != 20 {
					t.Errorf("it is %s after %d ms: %s%s", call.Status, *call.DurationMs, call.Summary, call.Error)
				}
			})
		}
	}
}

func TestClockOfACallCountsFromItsStart(t *testing.T) {
	running, done, title := StatusRunning, StatusCompleted, "Run"
	options := []PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}
	for name, early := range map[string]*Status{"pending before": nil, "running before": &running} {
		t.Run(name, func(t *testing.T) {
			var box Outbox
			var conv Conversation
			var seq int64
			f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent})
			f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Announced: true, Title: &title, Status: early}}, 1000)
			folded(t, &box, 1000, &conv, &seq)
			f.AskPermission(&ToolPatch{ID: "1", Announced: true}, "q", options, nil, 2000)
			folded(t, &box, 2000, &conv, &seq)
			f.ResolvePermission("q", Resolution{Outcome: "selected", OptionID: "y"}, 60_000)
			folded(t, &box, 60_000, &conv, &seq)
			c := conv.byID["m"].Segments[0].Items[0].Call
			if c.Status != StatusRunning || c.StartedAt != 60_000 {
				t.Errorf("%s since %d", c.Status, c.StartedAt)
			}
			f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Status: &running}}, 61_000)
			folded(t, &box, 61_000, &conv, &seq)
			if c.StartedAt != 60_000 {
				t.Errorf("it began again at %d", c.StartedAt)
			}
			f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Status: &done}}, 62_500)
			folded(t, &box, 62_500, &conv, &seq)
			if c.DurationMs == nil || *c.DurationMs != 2500 {
				t.Errorf("it took %v ms", *c.DurationMs)
			}
		})
	}
	t.Run("without a question", func(t *testing.T) {
		var box Outbox
		var conv Conversation
		var seq int64
		f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent})
		f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Announced: true, Title: &title}}, 1000)
		folded(t, &box, 1000, &conv, &seq)
		f.Apply(&Update{Kind: UpdateTool, Tool: &ToolPatch{ID: "1", Status: &running}}, 9000)
		folded(t, &box, 9000, &conv, &seq)
		if c := conv.byID["m"].Segments[0].Items[0].Call; c.StartedAt != 9000 {
			t.Errorf("since %d", c.StartedAt)
		}
	})
}

func TestSeparateMessagesStaySeparate(t *testing.T) {
	var box Outbox
	var conv Conversation
	var seq int64
	f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent})
	for _, u := range []Update{{Text: "a"}, {Text: "b", MessageID: "discrete1", Apart: true}, {Text: "c", MessageID: "discrete2", Apart: true}, {Text: "d"}, {Text: "e"}} {
		u.Kind = UpdateText
		f.Apply(&u, 1)
	}
	folded(t, &box, 1, &conv, &seq)
	var got string
	for _, s := range conv.byID["m"].Segments {
		got += "|" + s.Text
	}
	if got != "|a|b|c|de" {
		t.Errorf("%s", got)
	}
}

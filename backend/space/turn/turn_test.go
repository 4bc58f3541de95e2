package turn

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/backend/agent/failure"
	"weft/backend/conversation/transcript"
)

// ended is a turn that has ended, and its part of the conversation.
type ended struct {
	*transcript.RunCompleted
	message *transcript.Message
}

func complete(t *testing.T, change func(*Turn, *transcript.Turns), r Result) ended {
	t.Helper()
	var box transcript.Outbox
	turns := transcript.NewTurns(&box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent"}, func() string { return "m" })
	turns.Model = "model"
	box.Add(&transcript.RunCreated{RunID: "run"})
	tn, f := Turn{}, turns.Begin("run", r.Prompt)
	if change != nil {
		change(&tn, turns)
	}
	done := tn.Complete(turns, f, r, 7)
	box.Add(done)
	var conv transcript.Conversation
	for i, b := range box.Take().Bodies {
		if err := conv.Apply(&transcript.Event{Seq: int64(i + 1), At: 7, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	return ended{done, conv.Messages[len(conv.Messages)-1]}
}

func TestStopReasonSaysWhoEndedTheTurn(t *testing.T) {
	t.Parallel()
	stop := func(tn *Turn, _ *transcript.Turns) { tn.Stop() }
	for name, c := range map[string]struct {
		change func(*Turn, *transcript.Turns)
		result Result
		reason string
	}{
		"by itself":                     {result: Result{StopReason: "max_tokens"}, reason: "max_tokens"},
		"by the agent":                  {result: Result{StopReason: "cancelled"}, reason: "ended"},
		"by the agent, after a refusal": {result: Result{StopReason: "cancelled", Refused: true}, reason: "refused"},
		"by the user":                   {change: stop, result: Result{StopReason: "cancelled", Refused: true}, reason: "cancelled"},
		"by the user, who was too late": {change: stop, result: Result{StopReason: "end_turn"}, reason: "end_turn"},
		"by the user, with an error":    {change: stop, result: Result{Err: errors.New("closed")}, reason: "cancelled"},
		"by an error":                   {result: Result{Err: errors.New("closed")}, reason: "error"},
	} {
		got := complete(t, c.change, c.result)
		if got.StopReason != c.reason || got.RunID != "run" || got.Model != "model" || got.message.EndedAt == 0 || (got.Error != nil) != (c.reason == "error") {
			t.Errorf("%s: %+v, and the message ended at %d", name, got.RunCompleted, got.message.EndedAt)
		}
	}
}

func TestUsageOfATurnThatHasEndedIsKept(t *testing.T) {
	t.Parallel()
	got := complete(t, nil, Result{StopReason: "end_turn", Usage: []byte(`{"totalTokens":7}`)})
	if string(got.Usage) != `{"totalTokens":7}` || !strings.Contains(string(got.message.Usage), "7") {
		t.Errorf("the run has used %s, and its message %s", got.Usage, got.message.Usage)
	}
}

func TestOpenCallsOfAStoppedTurnAreCanceled(t *testing.T) {
	t.Parallel()
	got := complete(t, func(tn *Turn, turns *transcript.Turns) {
		running := transcript.StatusRunning
		turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "c", Announced: true, Status: &running}}, 1)
		tn.Stop()
	}, Result{StopReason: "end_turn"})
	if call := got.message.Segments[0].Items[0].Call; call.Status != transcript.StatusCancelled || call.Summary != "" {
		t.Errorf("the call is %s, %q", call.Status, call.Summary)
	}
}

func TestTurnWithNothingToShowSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Turn, *transcript.Turns)
		prompt string
		reason string
		told   bool
	}{
		"nothing":               {told: true},
		"nothing, unexplained":  {told: true, reason: "-"},
		"nothing about a path":  {told: true, prompt: "/etc/hosts is what?"},
		"something":             {change: func(tn *Turn, _ *transcript.Turns) { tn.Show() }},
		"stopped":               {change: func(tn *Turn, _ *transcript.Turns) { tn.Stop() }},
		"a command":             {prompt: "  /compact"},
		"another reason to end": {reason: "max_tokens"},
	} {
		result := Result{StopReason: "end_turn", Prompt: c.prompt, Empty: func() transcript.Failure {
			return transcript.Failure{Code: "empty_answer", Detail: "stderr"}
		}}
		if c.reason != "" {
			result.StopReason = strings.TrimPrefix(c.reason, "-")
		}
		got := complete(t, c.change, result)
		if (got.Error != nil) != c.told || (got.message.Error != nil) != c.told {
			t.Errorf("%s: %+v, and the message says %+v", name, got.Error, got.message.Error)
		}
		if c.told && (got.message.Error.Detail == "" || got.Error.Detail != "") {
			t.Errorf("%s: the detail of the message is %q, and that of the run %q", name, got.message.Error.Detail, got.Error.Detail)
		}
		noted := slices.ContainsFunc(got.message.Segments, func(s *transcript.Segment) bool {
			return s.Author == "app" && strings.Contains(s.Text, "ended its turn without saying anything.")
		})
		if noted != (c.prompt == "  /compact") {
			t.Errorf("%s: the note is %v", name, noted)
		}
	}
}

func TestFailureOfATurnIsToldInItsMessage(t *testing.T) {
	t.Parallel()
	got := complete(t, nil, Result{Err: &failure.Error{Failure: transcript.Failure{Code: "crashed", Message: "It crashed.", Detail: "stderr"}}})
	if got.Error == nil || got.Error.Code != "crashed" || got.Error.Detail != "" || got.message.Error.Detail != "stderr" {
		t.Errorf("%+v, and the message says %+v", got.Error, got.message.Error)
	}
}

func TestPhasesFollowTheTable(t *testing.T) {
	t.Parallel()
	steps := map[Phase]func(*Turn){
		Waiting:   func(tn *Turn) { tn.to(Waiting) },
		Preparing: (*Turn).Prepare,
		Sent:      (*Turn).Send,
		Over:      func(tn *Turn) { tn.to(Over) },
	}
	for from := range phases {
		for to, step := range steps {
			tn, panics := Turn{phase: Phase(from)}, false
			func() {
				defer func() { panics = recover() != nil }()
				step(&tn)
			}()
			if allowed := slices.Contains(phases[from], to); panics == allowed || allowed && tn.Phase() != to {
				t.Errorf("%s → %s: panics %v, and is %s", Phase(from), to, panics, tn.Phase())
			}
		}
	}
}

func TestTurnStartsStopsAndEndsOnce(t *testing.T) {
	t.Parallel()
	var tn Turn
	if !tn.Start() || tn.Start() || !tn.Stop() || tn.Stop() || !tn.Stopping() || tn.Prompted() || !tn.End() || tn.End() || tn.Start() {
		t.Errorf("%+v", tn)
	}
	tn = Turn{}
	tn.Start()
	tn.Prepare()
	if tn.Send(); !tn.Prompted() || !tn.End() || !tn.Prompted() {
		t.Errorf("%+v", tn)
	}
}

func TestNoteOnServersNamesThoseThatAreMissing(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{""}, "Ada doesn't accept MCP servers, so it works without Weft's own tools."},
		{[]string{"files", "web"}, "Ada doesn't accept MCP servers, so it works without files, web."},
		{[]string{"", "files"}, "Ada doesn't accept MCP servers, so it works without Weft's own tools and without files."},
	} {
		if got := WithoutServers("Ada", c.names).String(); got != c.want {
			t.Errorf("%q: %q", c.names, got)
		}
	}
}

func TestRunWaitsForAnotherSessionUntilItIsOver(t *testing.T) {
	var tn Turn
	tn.Start()
	tn.Prepare()
	tn.Again()
	tn.Prepare()
	tn.Send()
	if tn.Again(); tn.Phase() != Waiting || !tn.Prompted() {
		t.Errorf("it is %s", tn.Phase())
	}
	tn.End()
	defer func() {
		if recover() == nil {
			t.Error("a run waits again though it is over")
		}
	}()
	tn.Again()
}

package transcript

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// ending is how an agent tells the end of a call.
type ending struct {
	name    string
	kind    string
	input   string
	reports Status
	content string // one text
	output  string // raw, JSON
	exit    *int   // of a display-only terminal
	want    string
}

func (e ending) patch() func(*ToolPatch) {
	return func(p *ToolPatch) {
		p.Kind = &e.kind
		if e.input != "" {
			p.Input = jsontext.Value(e.input)
		}
		if e.content != "" {
			p.Content = &[]Content{{Type: "text", Text: e.content}}
		}
		if e.output != "" {
			p.Output = jsontext.Value(e.output)
		}
		if e.exit != nil {
			p.Exit = &TerminalExit{Code: e.exit}
		}
	}
}

// TestOutcomes: what a result says of itself decides how its call is shown, in all the forms in which agents tell it.
func TestOutcomes(t *testing.T) {
	three := 3
	shell := `{"command":"make"}`
	for _, e := range []ending{
		{"a list of results, one failed", "execute", `{"commands":["exit 3"]}`, StatusCompleted, "", `[{"query":"exit 3","result":"[Command exited with code 3]\nto-stdout\n\n[stderr]\nto-stderr\n","error":"Command exited with code 3","success":false}]`, nil, "failed Exit code 3: to-stdout to-stderr (reported completed)"},
		{"two results, one failed", "read", `{"files":[{"path":"a"},{"path":"b"}]}`, StatusCompleted, "", `[{"query":"a","result":"1 | x","success":true},{"query":"b","result":"","error":"ENOENT: no such file","success":false}]`, nil, "failed 1 of 2 failed: ENOENT: no such file (reported completed)"},
		{"two results, none failed", "read", `{"files":[{"path":"a"},{"path":"b"}]}`, StatusCompleted, "", `[{"query":"a","result":"1 | x","success":true},{"query":"b","result":"1 | y\n2 | z","success":true,"error":null}]`, nil, "completed Read 3 lines"},
		{"one result that failed", "other", "", StatusCompleted, "", `{"query":"apply_patch","result":"","error":"apply_patch failed: 1 hunk did not match.","success":false}`, nil, "failed apply_patch failed: 1 hunk did not match. (reported completed)"},
		{"a result of MCP inside", "execute", `{"server":"s","tool":"t","arguments":{}}`, StatusCompleted, "", `{"result":{"content":[{"type":"text","text":"refused: boom"}],"isError":true},"error":null}`, nil, "failed refused: boom (reported completed)"},
		{"a result of MCP inside, failed by the agent", "execute", `{"server":"s","tool":"t","arguments":{}}`, StatusFailed, "", `{"result":{"content":[{"type":"text","text":"refused: boom"}],"structuredContent":null},"error":null}`, nil, "failed refused: boom"},
		{"a result of Rust, good", "execute", `{"server":"s","tool":"t","arguments":{}}`, StatusCompleted, "", `{"Ok":{"content":[{"type":"text","text":"Found 3 laptops"}],"isError":false}}`, nil, "completed Found 3 laptops"},
		{"a result of Rust, bad", "execute", `{"server":"s","tool":"t","arguments":{}}`, StatusCompleted, "", `{"Err":"tool call error: timed out"}`, nil, "failed tool call error: timed out (reported completed, retryable)"},
		{"isError beside content", "other", "", StatusCompleted, "it is gone", `{"content":[{"type":"text","text":"it is gone"}],"isError":true}`, nil, "failed it is gone (reported completed)"},
		{"an exit code in the raw output", "execute", shell, StatusCompleted, "", `{"stdout":"one\n","stderr":"bad flag","exit_code":3}`, nil, "failed Exit code 3: one (reported completed)"},
		{"an exit code of 0 beside an error on stderr", "execute", shell, StatusCompleted, "", `{"stdout":"one\n","stderr":"a warning","exitCode":0}`, nil, "completed exit code 0: one"},
		{"labels around the output, good", "execute", "", StatusCompleted, "Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 1", "", nil, "completed exit code 0: Command: ls · 5 lines in all"},
		{"labels around the output, bad", "execute", "", StatusCompleted, "Command: false\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: 0\nProcess Group PGID: 1", "", nil, "failed Exit code 3: Command: false Directory: (root) Output: (empty) Error: (none) (reported completed)"},
		{"a tag behind the output", "execute", shell, StatusCompleted, "to-stdout\nto-stderr\n<exited with exit code 3>", "", nil, "failed Exit code 3: to-stdout to-stderr (reported completed)"},
		{"a tag with the shell behind the output", "execute", shell, StatusCompleted, "one\n<shellId: 0 completed with exit code 0>", "", nil, "completed exit code 0: one"},
		{"a line before the output", "execute", shell, StatusCompleted, "Exit code 3\nto-stdout", "", nil, "failed Exit code 3: to-stdout (reported completed)"},
		{"an exit code with time and output", "execute", shell, StatusCompleted, "Exit code: 3\nWall time: 0.1 seconds\nOutput:\nto-stdout", "", nil, "failed Exit code 3: Wall time: 0.1 seconds Output: to-stdout (reported completed)"},
		{"a sentence behind the output", "execute", shell, StatusCompleted, "(no output)\n\nCommand exited with code 3", "", nil, "failed Exit code 3 (reported completed)"},
		{"an exit code of a terminal", "execute", shell, StatusCompleted, "", "", &three, "failed Exit code 3 (reported completed)"},
		{"a line about another command, beside the code of this one", "execute", `{"command":"tail log"}`, StatusCompleted, "", `{"stdout":"Command exited with code 3\n","exit_code":0}`, nil, "completed exit code 0: Command exited with code 3"},
		{"words that look so in a file", "read", `{"path":"/a/log"}`, StatusCompleted, "one\n<exited with exit code 3>", "", nil, "completed Read 2 lines"},
		{"JSON of an error in a file", "read", `{"path":"/a/x.json"}`, StatusCompleted, `{"success":false,"error":"x"}`, "", nil, "completed Read 1 line"},
		{"JSON of an error on a page", "fetch", `{"url":"http://x/"}`, StatusCompleted, `{"error":"not found"}`, "", nil, "completed JSON, 21 B"},
		{"JSON of an error that a command prints", "execute", `{"command":"cat x"}`, StatusCompleted, `{"success":false,"error":"x"}`, "", nil, "completed JSON, 29 B"},
		{"JSON of an error that a tool returns", "other", "", StatusCompleted, `{"success":false,"error":"No such city: Lodnon"}`, "", nil, "failed No such city: Lodnon (reported completed)"},
		{"an error with a message", "other", "", StatusCompleted, `{"error":{"code":404,"message":"Repository not found"}}`, "", nil, "failed Repository not found (reported completed)"},
		{"no error", "other", "", StatusCompleted, `{"name":"Kettle","error":null}`, "", nil, "completed name: Kettle"},
		{"an id that says nothing", "other", "", StatusCompleted, `{"messageId":"msg_OOLEEJME5ISLSW6JT5KD","reply":"At most 500."}`, "", nil, "completed reply: At most 500., messageId: msg_OOLEEJME5ISLSW6JT5KD"},
		{"an id that is all", "other", "", StatusCompleted, `{"messageId":"msg_OOLEEJME5ISLSW6JT5KD"}`, "", nil, "completed messageId: msg_OOLEEJME5ISLSW6JT5KD"},
		{"an id that people say", "other", "", StatusCompleted, `{"id":"WEFT-142","state":"open"}`, "", nil, "completed id: WEFT-142, state: open"},
		{"a state that is no outcome", "other", "", StatusCompleted, `{"build":12,"status":"failed"}`, "", nil, "completed build: 12"},
		{"a line that is an error", "other", "", StatusCompleted, "Error: Access denied - path outside allowed directories", "", nil, "failed Error: Access denied - path outside allowed directories (reported completed)"},
		{"a sentence about errors", "other", "", StatusCompleted, "Error handling is described below", "", nil, "completed Error handling is described below"},
		{"an error of the protocol", "other", "", StatusCompleted, "MCP error -32602: Invalid arguments", "", nil, "failed MCP error -32602: Invalid arguments (reported completed)"},
		{"a failure in a failure's words", "other", "", StatusFailed, `MCP tool 'x' reported tool error for function call: {"name":"x"} with response: [{"functionResponse":{"name":"x","response":{"error":{"content":[{"type":"text","text":"refused: boom"}],"isError":true},"content":[{"type":"text","text":"refused: boom"}]}}}]`, `"Error: MCP tool 'x' reported an error."`, nil, "failed refused: boom"},
		{"cancelled stays so", "execute", shell, StatusCancelled, "", `{"exit_code":3}`, nil, "cancelled "},
	} {
		t.Run(e.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r", "")
			b.do(with(announce("t", "", StatusRunning), func(p *ToolPatch) {
				p.Kind = &e.kind
				if e.input != "" {
					p.Input = jsontext.Value(e.input)
				}
			}), with(change("t", e.reports), e.patch()))
			b.flush()
			if got := outcomeOf(b.conv.Messages[0].Segments[0].Items[0].Call); got != e.want {
				t.Errorf("%s\nwant %s", got, e.want)
			}
		})
	}
}

func outcomeOf(c *ToolCall) string {
	said := c.Summary
	if c.Status == StatusFailed {
		said = c.Error
	}
	note := ""
	if c.Reported != "" {
		note = "reported " + string(c.Reported)
	}
	if c.Retryable {
		if note != "" {
			note += ", "
		}
		note += "retryable"
	}
	if note != "" {
		note = " (" + note + ")"
	}
	return fmt.Sprintf("%s %s%s", c.Status, said, note)
}

// TestLateResultDecidesTheOutcome: a result that comes after the end of its call still decides.
func TestLateResultDecidesTheOutcome(t *testing.T) {
	three, zero := 3, 0
	kind := "execute"
	for _, c := range []struct {
		name string
		late []*Update
		want string
	}{
		{"an exit code", []*Update{with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Exit = nil, &TerminalExit{Code: &three} })}, "failed Exit code 3 (reported completed)"},
		{"output of a terminal", []*Update{
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.OutputDelta = nil, "one\ntwo\n" }),
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Exit = nil, &TerminalExit{Code: &zero} }),
		}, "completed exit code 0: one · 2 lines in all"},
		{"output of a terminal, and nothing after it", []*Update{
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.OutputDelta = nil, "one\ntwo\n" }),
			text("Done."),
		}, "completed one · 2 lines in all"},
		{"a raw output", []*Update{with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Output = nil, jsontext.Value(`{"output":"x","exit_code":3}`) })}, "failed Exit code 3: x (reported completed)"},
		{"a better result after a bad one", []*Update{
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Output = nil, jsontext.Value(`{"output":"x","exit_code":3}`) }),
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Output = nil, jsontext.Value(`{"output":"x","exit_code":0}`) }),
		}, "completed exit code 0: x"},
		{"the same end twice", []*Update{
			with(change("t", StatusCompleted), func(p *ToolPatch) { p.Output = jsontext.Value(`{"output":"x","exit_code":3}`) }),
			change("t", StatusCompleted),
		}, "failed Exit code 3: x (reported completed)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r", "")
			b.do(with(announce("t", "", StatusRunning), func(p *ToolPatch) { p.Kind, p.Input = &kind, jsontext.Value(`{"command":"make"}`) }), change("t", StatusCompleted))
			b.do(c.late...)
			b.flush()
			if got := outcomeOf(b.conv.Messages[0].Segments[0].Items[0].Call); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestEveryLineOfStreamedOutputCounts: also the last one where no newline ends it, in whatever pieces the output comes.
func TestEveryLineOfStreamedOutputCounts(t *testing.T) {
	kind, zero := "execute", 0
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		output := strings.Repeat("a line\n", rnd.IntN(3)) + []string{"", "1970-01-01"}[rnd.IntN(2)]
		b := newBench(t)
		b.turns.Begin("r", "")
		b.do(with(announce("t", "", StatusRunning), func(p *ToolPatch) { p.Kind, p.Input = &kind, jsontext.Value(`{"command":"make"}`) }))
		for rest := output; rest != ""; {
			n := 1 + rnd.IntN(len(rest))
			b.do(with(change("t", StatusRunning), func(p *ToolPatch) { p.Status, p.OutputDelta = nil, rest[:n] }))
			rest = rest[n:]
		}
		b.do(change("t", StatusCompleted))
		b.flush()
		want, _, _ := strings.Cut(output, "\n")
		exited := strings.TrimSuffix("exit code 0: "+want, ": ")
		if n := strings.Count(output, "a line") + strings.Count(output, "1970"); n > 1 {
			want += fmt.Sprintf(" · %d lines in all", n)
			exited = "exit code 0: " + want
		}
		if output == "" {
			want = "Ran"
		}
		if got := b.conv.Messages[0].Segments[0].Items[0].Call.Summary; got != want {
			t.Errorf("seed %d: %q of %q, want %q", seed, got, output, want)
		}
		b.do(with(change("t", StatusCompleted), func(p *ToolPatch) { p.Status, p.Exit = nil, &TerminalExit{Code: &zero} }))
		b.flush()
		if got := b.conv.Messages[0].Segments[0].Items[0].Call.Summary; got != exited {
			t.Errorf("seed %d: %q of %q, want %q", seed, got, output, exited)
		}
	}
}

package transcript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var writeGolden = flag.Bool("update", false, "write the golden tables anew")

// reported is the end of a call as an agent tells it; testdata/kinds.json has one of each kind from every agent
// that was run, shortened.
type reported struct {
	Agent, Kind, Title string
	Input              jsontext.Value
	Locations          []Location
	Content            *[]Content
	Output             jsontext.Value
	Exit               *TerminalExit
	Failed             bool
}

// TestSummaries compares summaries of calls of every kind with testdata/kinds.txt. Run it with -update to rewrite the
// file, and review the changes.
func TestSummaries(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "kinds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []reported
	if err := json.Unmarshal(raw, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	seen := map[string]bool{}
	for _, r := range list {
		b := newBench(t)
		b.turns.Begin("r", "")
		status := StatusCompleted
		if r.Failed {
			status = StatusFailed
		}
		b.do(with(announce("t", r.Title, StatusRunning), func(p *ToolPatch) {
			p.Kind, p.Input = &r.Kind, r.Input
			if r.Locations != nil {
				p.Locations = &r.Locations
			}
		}), with(change("t", status), func(p *ToolPatch) { p.Content, p.Output, p.Exit = r.Content, r.Output, r.Exit }))
		b.flush()
		seen[r.Kind] = true
		c := b.conv.Messages[0].Segments[0].Items[0].Call
		said, n := c.Summary, "–"
		if c.Error != "" {
			said = "✗ " + c.Error
			if c.Retryable {
				said += " (retryable)"
			}
		}
		if c.ResultCount != nil {
			n = fmt.Sprint(*c.ResultCount)
		}
		fmt.Fprintf(&table, "%-11s %-10s %-4s %s\n", r.Kind, r.Agent, n, said)
		if !r.Failed && c.Summary == "" && c.Error == "" {
			t.Errorf("%s of %s: nothing is said", r.Kind, r.Agent)
		}
	}
	for _, kind := range []string{"read", "edit", "delete", "move", "search", "execute", "fetch", "think", "switch_mode", "other"} {
		if !seen[kind] {
			t.Errorf("no call of kind %s", kind)
		}
	}
	golden := filepath.Join("testdata", "kinds.txt")
	if *writeGolden {
		if err := os.WriteFile(golden, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if table.String() != string(want) {
		t.Errorf("the table differs from %s:\n%s", golden, table.String())
	}
}

func TestRetries(t *testing.T) {
	asked := func(input string) func(*ToolPatch) {
		return func(p *ToolPatch) { kind := "execute"; p.Kind, p.Input = &kind, jsontext.Value(input) }
	}
	b := newBench(t)
	b.turns.Begin("r", "")
	b.do(with(announce("a", "", StatusRunning), asked(`{"command":"make"}`)), change("a", StatusFailed),
		with(announce("b", "", StatusRunning), asked(`{"command":"make test"}`)), change("b", StatusCompleted),
		with(announce("c", "", StatusRunning), asked(`{"command":"make"}`)), change("c", StatusFailed),
		with(announce("d", "", StatusRunning), asked(`{"command":"make"}`)), change("d", StatusCompleted),
		announce("e", "", StatusRunning), change("e", StatusFailed), announce("f", "", StatusRunning), change("f", StatusFailed))
	b.flush()
	got := ""
	for _, it := range b.conv.Messages[0].Segments[0].Items {
		got += fmt.Sprintf("%s %v, ", it.Call.ID, it.Call.WasRetried)
	}
	if want := "a false, b false, c true, d true, e false, f false, "; got != want {
		t.Errorf("was retried: %s", got)
	}
}

func TestRetryable(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		text string
		told *bool
		want bool
	}{
		{"Request timed out after 30 s", nil, true},
		{"HTTP 429 Too Many Requests", nil, true},
		{"status code: 503", nil, true},
		{"connect ECONNREFUSED 127.0.0.1:9", nil, true},
		{"The model is overloaded", nil, true},
		{"Rate limit exceeded", nil, true},
		{"File not found: /a/timeout.go", nil, false},
		{"String to replace not found in file", nil, false},
		{"exit code 1", nil, false},
		{"rate limit", &no, false},
		{"no such file", &yes, true},
	} {
		b := newBench(t)
		b.turns.Begin("r", "")
		b.do(announce("t", "", StatusRunning), with(change("t", StatusFailed), func(p *ToolPatch) {
			p.Retryable, p.Content = c.told, &[]Content{{Type: "text", Text: c.text}}
		}))
		b.flush()
		if got := b.conv.Messages[0].Segments[0].Items[0].Call.Retryable; got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

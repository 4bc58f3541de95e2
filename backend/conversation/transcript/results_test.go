package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript/results"
)

// published is a result of a published MCP server or agent, shortened if long, and the expected summary.
type published struct {
	From, Kind string
	Input      jsontext.Value
	Locations  []Location
	Asked      *[]Content // by a request for permission, which is the first to tell of the call
	Streamed   string
	Reported   Status
	Result     jsontext.Value // as MCP has it: agents hand it on as content and raw output
	Content    *[]Content     // as the agent sent it, where it is an agent's
	Output     jsontext.Value
	Exit       *TerminalExit
	Want       Status
	Says       string
	Count      *int
}

// TestPublishedResults holds the summaries, counts and outcomes of results of published servers and agents.
func TestPublishedResults(t *testing.T) {
	var list []published
	for _, name := range []string{"servers.json", "agents.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var some []published
		if err := json.Unmarshal(raw, &some, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		list = append(list, some...)
	}
	if len(list) < 60 {
		t.Errorf("these are %d results only", len(list))
	}
	right := 0
	for _, p := range list {
		if p.Result != nil {
			p.Output, p.Content = p.Result, p.texts()
		}
		b := newBench(t)
		b.turns.Begin("r", "")
		if p.Asked != nil {
			b.turns.AskPermission(&ToolPatch{ID: "t", Announced: true, Content: p.Asked}, "q", nil, nil, b.now)
			b.turns.ResolvePermission("q", Resolution{Outcome: "selected"}, b.now)
		}
		b.do(with(announce("t", p.From, StatusRunning), func(u *ToolPatch) {
			u.Kind, u.Input, u.OutputDelta = &p.Kind, p.Input, p.Streamed
			if p.Locations != nil {
				u.Locations = &p.Locations
			}
		}),
			with(change("t", p.Reported), func(u *ToolPatch) { u.Content, u.Output, u.Exit = p.Content, p.Output, p.Exit }))
		b.flush()
		c := b.conv.Messages[0].Segments[0].Items[0].Call
		says := c.Summary
		if c.Status == StatusFailed {
			says = c.Error
		}
		same := (c.ResultCount == nil) == (p.Count == nil) && (p.Count == nil || *p.Count == *c.ResultCount)
		if c.Status != p.Want || says != p.Says || !same {
			t.Errorf("%s: %s %q %s\nwant %s %q %s", p.From, c.Status, says, told(c.ResultCount), p.Want, p.Says, told(p.Count))
			continue
		}
		right++
		// The same result as a display has it, or the built-in agent.
		if said, n := results.Summarize(p.Kind, p.Result); p.Result != nil && p.Input == nil && p.Want == StatusCompleted && (said != p.Says || told(n) != told(p.Count)) {
			t.Errorf("%s: at hand it is %q %s, not %q %s", p.From, said, told(n), p.Says, told(p.Count))
		}
	}
	t.Logf("%d of %d", right, len(list))
}

func told(n *int) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

// texts are the texts of a result, as agents send them as content.
func (p *published) texts() *[]Content {
	var r struct {
		Content []struct{ Type, Text string } `json:"content"`
	}
	_ = json.Unmarshal(p.Result, &r, json.MatchCaseInsensitiveNames(true))
	list := []Content{}
	for _, c := range r.Content {
		list = append(list, Content{Type: c.Type, Text: c.Text})
	}
	return &list
}

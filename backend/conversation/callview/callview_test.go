package callview

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"weft/backend/conversation/transcript"
)

// oneCase is a call, the rules, and how the call is drawn. The frontend's tests read the same files.
type oneCase struct {
	Case     string `json:"case"`
	Rules    []Rule `json:"rules,omitempty"`
	Displays bool   `json:"displays,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Parent   bool   `json:"parent,omitempty"`
	Call     called `json:"call"`
	Want     string `json:"want"`
	Display  bool   `json:"display,omitempty"`
}

type called struct {
	Name        string            `json:"toolName,omitempty"`
	Derived     bool              `json:"toolNameDerived,omitempty"`
	Title       string            `json:"title,omitempty"`
	Kind        string            `json:"kind,omitempty"`
	Status      transcript.Status `json:"status,omitempty"`
	Visibility  string            `json:"visibility,omitempty"`
	Permissions []struct {
		Outcome string `json:"outcome"`
	} `json:"permissions,omitempty"`
}

func (c called) call() *transcript.ToolCall {
	call := &transcript.ToolCall{
		ID: "c", Name: c.Name, NameDerived: c.Derived, Title: c.Title, Kind: c.Kind, Visibility: c.Visibility, Status: cmp.Or(c.Status, transcript.StatusCompleted),
	}
	for _, p := range c.Permissions {
		call.Permissions = append(call.Permissions, transcript.Permission{Outcome: p.Outcome})
	}
	return call
}

func (c oneCase) drawn() (string, bool) {
	visibility, display := Looks{Rules: c.Rules, Displays: c.Displays}.Of(c.Agent, c.Call.call(), c.Parent)
	return cmp.Or(visibility, transcript.VisibilityFull), display
}

func read(t *testing.T, path string) []oneCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []oneCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestCallsAreDrawnAsRulesSay(t *testing.T) {
	for _, c := range read(t, "testdata/cases.json") {
		if got, display := c.drawn(); got != c.Want || display != c.Display {
			t.Errorf("%s: %s, display %t; want %s, %t", c.Case, got, display, c.Want, c.Display)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/random.json anew")

// The Go and TypeScript implementations share these random cases. This test writes them (-update).
func TestRandomCasesAreThoseOfTheFrontend(t *testing.T) {
	made := random(600)
	if *update {
		text := bytes.NewBufferString("[\n")
		for i, c := range made {
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				text.WriteString(",\n")
			}
			text.Write(line)
		}
		text.WriteString("\n]\n")
		if err := os.WriteFile("testdata/random.json", text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept := read(t, "testdata/random.json")
	if len(kept) != len(made) {
		t.Fatalf("%d cases are kept, %d are made: run this test with -update", len(kept), len(made))
	}
	hidden := 0
	for i, c := range kept {
		got, display := c.drawn()
		if got != c.Want || display != c.Display {
			t.Errorf("case %d: %s, display %t; want %s, %t: %+v", i, got, display, c.Want, c.Display, c)
		}
		if made[i].Call.Name != c.Call.Name || made[i].Want != c.Want {
			t.Errorf("case %d is not what is made today: run this test with -update", i)
		}
		if got == transcript.VisibilityHidden {
			hidden++
		}
		if stays(c.Call.call()) && got == transcript.VisibilityHidden {
			t.Errorf("case %d is hidden, though it failed, waits or was not asked about", i)
		}
	}
	if hidden < len(kept)/20 {
		t.Errorf("only %d of %d are hidden: they say little", hidden, len(kept))
	}
}

// random generates cases: servers and tools with odd characters, combined as agents do, and sometimes wrongly.
func random(n int) []oneCase {
	r := rand.New(rand.NewPCG(7, 27))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	servers := []string{"weft", "tracker", "my server", "my-server", "a", "a_b", "Ünï", "mcp", "tool", "--", "İx"}
	tools := []string{"find", "deleteIssue", "delete_issue", "delete-issue", "listSpaces", "readSpaceMessages", "showCard", "Read", "read", "b", "tool", "b_c", "c"}
	tools = append(tools, append(slices.Clone(spaceTools), displayTools...)...)
	agents := []string{"", "claude", "gemini"}
	list := make([]oneCase, n)
	for i := range list {
		server, tool := pick(servers...), pick(tools...)
		c := oneCase{Displays: r.IntN(3) == 0, Agent: pick(agents...), Parent: r.IntN(10) == 0}
		form := pick("", "", "mcp__S__T", "mcp_S_T", "S_T", "S__T", "S-T", "S.T", "S/T", "T", "T", "S:T")
		put := func(form string) string {
			out := ""
			for _, ch := range form {
				switch ch {
				case 'S':
					out += server
				case 'T':
					out += tool
				default:
					out += string(ch)
				}
			}
			return out
		}
		c.Call = called{
			Name: put(form), Derived: r.IntN(3) == 0, Kind: pick("", "other", "read", "execute", "other", "other", "display"),
			Title:  put(pick("", "S/T", "T", "T (S MCP Serveras)", "T (S)", "x: S/T", "mcp__S__T", "T (S", "S/T {1}", "S/T\nx")),
			Status: transcript.Status(pick("completed", "completed", "completed", "failed", "waiting", "running", "rejected", "cancelled")), Visibility: pick("", "", "", "minimal", "hidden"),
		}
		if r.IntN(3) == 0 {
			c.Call.Title = tool + " (" + server + pick(" MCP Server)", " MCP Server): {}", " MCP Server", ")")
		}
		if r.IntN(4) == 0 {
			c.Call.Title = "Tool: " + server + "/" + tool
		}
		for range r.IntN(4) {
			rule := Rule{Agent: pick("", "", c.Agent, "claude"), Server: pick("", server, server, pick(servers...)), Tool: pick(tool, tool, put(form), pick(tools...)), Visibility: pick("hidden", "hidden", "minimal", "full")}
			if rule.Tool != "" {
				c.Rules = append(c.Rules, rule)
			}
		}
		c.Want, c.Display = c.drawn()
		list[i] = c
	}
	return list
}

func TestApplyWritesTheDrawnView(t *testing.T) {
	call := func(id, name, parent string) *transcript.Item {
		return &transcript.Item{Type: transcript.ItemToolCall, Call: &transcript.ToolCall{ID: id, Name: name, ParentID: parent, Status: transcript.StatusCompleted}}
	}
	m := &transcript.Message{Role: transcript.RoleAgent, Author: transcript.Author{ID: "claude"}, Segments: []*transcript.Segment{{
		Type: transcript.SegmentToolGroup, Items: []*transcript.Item{call("1", "Task", ""), call("2", "Task", "1"), call("3", "mcp__weft__listSpaces", ""), {Type: transcript.ItemThought, Text: "So."}},
	}}}
	Looks{Rules: []Rule{{Agent: "claude", Tool: "Task", Visibility: "hidden"}}, Displays: true}.Apply(m)
	items := m.Segments[0].Items
	for i, want := range []transcript.ToolCall{{}, {Visibility: "hidden"}, {Kind: transcript.KindDisplay}} {
		if got := items[i].Call; got.Visibility != want.Visibility || got.Kind != want.Kind {
			t.Errorf("call %d: %q %q, want %q %q", i, got.Visibility, got.Kind, want.Visibility, want.Kind)
		}
	}
}

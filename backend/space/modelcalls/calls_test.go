package modelcalls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/space/gatecalls"
	"weft/backend/space/toolcalls"
)

func none(string) bool { return false }

func read(c *Calls, call int, id, name, fragment string) []Change {
	return c.Read(modelproxy.Event{Request: 1, Call: call, ID: id, Name: name, Fragment: fragment}, none)
}

func announced(id, name, input string) *transcript.Update {
	pending := transcript.StatusPending
	return &transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: id, Announced: true, Name: &name, Status: &pending, Input: jsontext.Value(input)}}
}

// texts joins the fragments of changes at an agent's call.
func texts(list []Change) (at string) {
	for _, c := range list {
		at += c.ID + ":" + c.Text + " "
	}
	return strings.TrimSpace(at)
}

func TestInputReadBeforeTheAgentShowsTheCallFollowsItsReport(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "Write", "")
	if list := read(c, 1, "call_1", "Write", `{"a":`); list != nil {
		t.Fatalf("shown before the call: %+v", list)
	}
	if _, found := c.Report(announced("call_1", "Write", "")); found == nil || *found != (Key{1, 1}) {
		t.Fatalf("found %v", found)
	}
	if got := texts(c.Next("call_1")); got != `call_1:{"a":` {
		t.Errorf("after the report: %s", got)
	}
	if got := texts(read(c, 1, "call_1", "Write", `1}`)); got != `call_1:1}` {
		t.Errorf("a fragment after that: %s", got)
	}
	if list := c.Next("call_1"); list != nil {
		t.Errorf("shown again: %+v", list)
	}
}

func TestShownCallIsPutTogetherByTheProvidersID(t *testing.T) {
	c := New(find, message)
	list := c.Read(modelproxy.Event{Request: 1, Call: 1, ID: "call_1", Name: "Write", Fragment: "{"}, func(id string) bool { return id == "call_1" })
	if got := texts(list); got != "call_1:{" {
		t.Error(got)
	}
}

func TestProvidersIDThatIsUsedAgainIsAnotherCall(t *testing.T) {
	c := New(find, message)
	read(c, 1, "c", "Write", `{"n":1}`)
	c.Report(announced("c", "Write", ""))
	for call, name := range map[int]string{2: "Write", 3: "Other"} {
		read(c, call, map[int]string{2: "c", 3: "d"}[call], name, `{"n":2}`)
	}
	if _, found := c.Report(announced("c~2", "Other", "")); found == nil || *found != (Key{1, 2}) {
		t.Errorf("found %v", found)
	}
}

func TestMatchPrefersTheProvidersID(t *testing.T) {
	for _, test := range []struct {
		name, id, input string
		want            int
	}{
		{"same id", "call_00000003", `{"n":2}`, 3},
		{"id within", "toolu_call_00000003_x", `{"n":2}`, 3},
		{"same input", "x", `{ "n" : 2 }`, 2},
		{"input that differs", "x", `{"n":9}`, 0},
		{"no input", "x", "", 1},
		{"empty input", "x", "{}", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(find, message)
			for i := 1; i <= 3; i++ {
				id := fmt.Sprintf("call_%08d", i)
				read(c, i, id, "Write", "")
				c.Read(modelproxy.Event{Request: 1, Call: i, ID: id, Fragment: fmt.Sprintf(`{"n":%d}`, i), Ended: true}, none)
			}
			got := 0
			if _, found := c.Report(announced(test.id, "Write", test.input)); found != nil {
				got = found.Call
			}
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestCallOfAnotherToolIsNotMatched(t *testing.T) {
	c := New(find, message)
	read(c, 1, "", "Write", "{")
	if _, found := c.Report(announced("a", "Read", "")); found != nil {
		t.Error("a call of another tool was found")
	}
	title := "Write"
	p := announced("a", "", "")
	p.Tool.Name, p.Tool.Title = nil, &title
	if _, found := c.Report(p); found == nil {
		t.Error("the title doesn't count as the tool's name")
	}
}

func TestUpdateIsNoFirstReport(t *testing.T) {
	c := New(find, message)
	read(c, 1, "", "Write", "{")
	u := announced("a", "Write", "")
	u.Tool.Announced = false
	if _, found := c.Report(u); found != nil {
		t.Error("a plain update was taken for the first report of a call")
	}
	if found := c.Request(u.Tool); found == nil {
		t.Error("a request wasn't taken for the first report of a call")
	}
}

func TestPartOfTheInputIsLeftOutUntilTheCallRuns(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "Write", `{"a":1,"b":`)
	c.Report(announced("call_1", "Write", ""))
	c.Next("call_1")
	part := announced("call_1", "Write", `{"a":1}`)
	part.Tool.Announced = false
	u, _ := c.Report(part)
	if u.Tool.Input != nil || part.Tool.Input == nil {
		t.Errorf("got %s, and the agent's report has %s", u.Tool.Input, part.Tool.Input)
	}
	running := transcript.StatusRunning
	u, _ = c.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "call_1", Status: &running}})
	if string(u.Tool.Input) != `{"a":1}` {
		t.Errorf("got %s as the call runs", u.Tool.Input)
	}
}

func TestEndedCallGetsNoMoreInput(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "Write", `{"a":`)
	done := transcript.StatusCompleted
	u := announced("call_1", "Write", "")
	u.Tool.Status = &done
	c.Report(u)
	if list := append(c.Next("call_1"), read(c, 1, "call_1", "Write", "1}")...); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

func TestMessageIsShownAhead(t *testing.T) {
	c := New(find, message)
	list := read(c, 1, "call_1", "mcp__weft__"+message, `{"text":`)
	if len(list) != 1 || list[0].Kind != Ahead || list[0].Text != `{"text":` || list[0].Provider != "call_1" || list[0].Whole != nil {
		t.Fatalf("%+v", list)
	}
	list = c.Read(modelproxy.Event{Request: 1, Call: 1, ID: "call_1", Fragment: `""}`, Ended: true}, none)
	if len(list) != 1 || list[0].Text != `""}` || string(list[0].Whole) != `{"text":""}` {
		t.Fatalf("at its end: %+v", list)
	}
	c.Report(announced("call_1", "mcp__weft__"+message, ""))
	list = c.Next("call_1")
	if len(list) != 1 || list[0].Kind != Missed || list[0].Text != `{"text":""}` {
		t.Errorf("once the agent shows it: %+v", list)
	}
}

func TestBrokenMessageIsSaidToBeBroken(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "mcp__weft__"+message, `{"text":`)
	list := c.Read(modelproxy.Event{Request: 1, Call: 1, Ended: true, Broken: true}, none)
	if len(list) != 1 || !list[0].Broken || list[0].Whole != nil {
		t.Errorf("%+v", list)
	}
}

func TestBrokenInputDoesNotHoldBackTheAgents(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "Write", `{"a":1,"b"`)
	c.Read(modelproxy.Event{Request: 1, Call: 1, Ended: true, Broken: true}, none)
	u, _ := c.Report(announced("call_1", "Write", `{"a":1}`))
	if string(u.Tool.Input) != `{"a":1}` {
		t.Errorf("got %s", u.Tool.Input)
	}
}

func TestTooLongInputIsBroken(t *testing.T) {
	c := New(find, message)
	read(c, 1, "call_1", "mcp__weft__"+message, strings.Repeat("a", gatecalls.MaxInput-1))
	if list := read(c, 1, "call_1", "", "bb"); len(list) != 1 || list[0].Text != "" || !list[0].Broken {
		t.Errorf("%+v", list)
	}
}

func TestCallsOfARunAreBounded(t *testing.T) {
	c := New(find, message)
	for i := range toolcalls.MaxCalls + 5 {
		read(c, i+1, "", "Write", "")
	}
	if len(c.calls) != toolcalls.MaxCalls {
		t.Errorf("%d calls", len(c.calls))
	}
}

func TestWithInputReturnsTheWholeReport(t *testing.T) {
	p := &transcript.ToolPatch{ID: "a"}
	if got := WithInput(p, jsontext.Value("{}")); string(got.Input) != "{}" || p.Input != nil {
		t.Errorf("%s, and the report has %s", got.Input, p.Input)
	}
	if WithInput(p, nil) != p {
		t.Error("a report without input was copied")
	}
	p.Input = jsontext.Value("1")
	if got := WithInput(p, jsontext.Value("2")); string(got.Input) != "1" {
		t.Errorf("%s", got.Input)
	}
}

func TestTooLongInputHasNoGap(t *testing.T) {
	c := New(find, message)
	c.Report(announced("call_1", "Write", ""))
	known := func(string) bool { return true }
	shown := ""
	for _, fragment := range []string{strings.Repeat("a", gatecalls.MaxInput-1), "bb", "c"} {
		for _, change := range c.Read(modelproxy.Event{Request: 1, Call: 1, ID: "call_1", Name: "Write", Fragment: fragment}, known) {
			shown += change.Text
		}
	}
	if strings.HasSuffix(shown, "c") {
		t.Error("a fragment behind one that was left out is shown")
	}
}

func TestInputReadAfterItWasReportedWholeIsNotShownAgain(t *testing.T) {
	for _, test := range []struct {
		name, reported, want string
	}{
		{"same", `{ "text": "one two" }`, ""},
		{"other form", `{"text":"one, and two and three"}`, `call_1:e two"}`}, // nothing shows that it is the same input
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(find, message)
			read(c, 1, "call_1", "Write", `{"text":"on`)
			running := transcript.StatusRunning
			u := announced("call_1", "Write", test.reported)
			u.Tool.Status = &running
			c.Report(u)
			list := append(c.Next("call_1"), read(c, 1, "call_1", "", `e two`)...)
			list = append(list, c.Read(modelproxy.Event{Request: 1, Call: 1, Fragment: `"}`, Ended: true}, none)...)
			if got := texts(list); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

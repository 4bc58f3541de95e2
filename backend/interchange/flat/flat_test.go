package flat

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
)

// readAll reads a text as a file.
func readAll(t *testing.T, text string, lines bool) (list []*Conversation) {
	t.Helper()
	if err := Read(strings.NewReader(text), lines, func(c *Conversation) error { list = append(list, c); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// drawn folds a conversation and returns one line per message: "u:" or "a:", texts in quotes, thoughts in (), calls as
// name=status/result, groups in [].
func drawn(t *testing.T, c *Conversation) string {
	t.Helper()
	var conv transcript.Conversation
	n, seq := 0, int64(0)
	blobs := map[string]string{}
	for _, m := range c.Fold(As{AgentID: "g", AgentName: "Guide", Now: 1000, NewID: func() string { n++; return fmt.Sprint("m", n) }}) {
		for _, b := range m.Blobs {
			blobs[b.Ref.Hash] = string(b.Data)
		}
		for _, body := range m.Bodies {
			seq++
			e := transcript.Event{Epoch: 1, Seq: seq, At: m.At, Body: body}
			if raw, err := e.JSON(); err != nil || len(raw) > transcript.MaxEvent || strings.Contains(string(raw), "\n") {
				t.Fatalf("event of %d bytes: %v", len(raw), err)
			}
			if err := conv.Apply(&e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out []string
	for _, m := range conv.Messages {
		if m.EndedAt == 0 {
			t.Errorf("message %s has no end", m.ID)
		}
		line := string(m.Role)[:1] + ":"
		for _, s := range m.Segments {
			switch s.Type {
			case transcript.SegmentText:
				line += fmt.Sprintf(" %q", s.Text)
			case transcript.SegmentDisplay:
				line += " <" + s.Display.Type + ">"
			case transcript.SegmentToolGroup:
				var items []string
				for _, it := range s.Items {
					if it.Call == nil {
						items = append(items, "("+it.Text+")")
						continue
					}
					result := string(it.Call.Output) + it.Call.Error
					for _, c := range it.Call.Content {
						result += c.Text
					}
					items = append(items, it.Call.Name+"="+string(it.Call.Status)+"/"+result)
				}
				line += " [" + strings.Join(items, ", ") + "]"
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// forms are conversations as programs write them, and as they are drawn.
var forms = []struct{ name, file, want string }{
	{
		"flat", `{"title":"T","folder":"/p","agent":"Guide","messages":[
		{"role":"user","content":"Fix it","time":"2026-03-01T10:00:00Z"},
		{"role":"agent","content":"Done.","thinking":"hm","time":1772359260,
		 "toolCalls":[{"id":"1","name":"Read","kind":"read","input":{"path":"a.go"},"result":"package a","status":"completed","durationMs":12},
		              {"id":"2","name":"Bash","input":{"command":"go test"},"result":"FAIL","status":"failed","error":"exit 1"}]}]}`,
		`u: "Fix it"` + "\n" + `a: [(hm), Read=completed/package a, Bash=failed/exit 1FAIL] "Done."`,
	},
	{
		"OpenAI", `[{"role":"system","content":"You are"},{"role":"user","content":[{"type":"text","text":"Fix it"}]},
		{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"package a"},
		{"role":"assistant","content":"Done."}]`,
		`u: "Fix it"` + "\n" + `a: "Looking." [read=completed/package a] "Done."`,
	},
	{
		"Anthropic", `{"messages":[{"role":"user","content":"Fix it"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Read","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a.go"}]},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no such file"}]},
		{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":"Thanks"}]}`,
		`u: "Fix it"` + "\n" + `a: [(hm)] "Looking." [Bash=completed/a.go, Read=failed/no such fileno such file] "Done."` + "\n" + `u: "Thanks"`,
	},
	{
		"Google", `{"messages":[{"role":"user","parts":[{"text":"Fix it"}]},{"role":"model","parts":[{"text":"Looking."},{"functionCall":{"name":"read","args":{"path":"a"}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"text":"x"}}}]},{"role":"model","parts":[{"text":"Done."}]}]}`,
		`u: "Fix it"` + "\n" + `a: "Looking." [read=completed/{"text":"x"}] "Done."`,
	},
	{
		"Claude export", `[{"uuid":"x","name":"T","created_at":"2026-01-02T03:04:05.678901Z","chat_messages":[{"sender":"human","text":"Hi","created_at":"2026-01-02T03:04:05Z"},{"sender":"assistant","text":"Hello","content":[{"type":"text","text":"Hello"}]}]}]`,
		`u: "Hi"` + "\n" + `a: "Hello"`,
	},
	{
		"JSON Lines of messages", `{"title":"T","folder":"/p"}` + "\n" + `{"role":"user","content":"a"}` + "\n\n" + `{"role":"assistant","content":"b","ts":1}` + "\n",
		`u: "a"` + "\n" + `a: "b"`,
	},
	{
		"log entries", `{"type":"user","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"a"}}` + "\n" + `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"b"}]}}`,
		`u: "a"` + "\n" + `a: "b"`,
	},
	{
		"ids that come twice", `{"messages":[{"role":"assistant","content":"x","toolCalls":[{"id":"1","name":"a","result":"1"},{"id":"1","name":"b","result":"2"},{"name":"c"}]}]}`,
		`a: [a=completed/1, b=completed/2, c=cancelled/] "x"`,
	},
	{
		"pictures and what is unknown", `{"messages":[{"role":"user","content":["see",{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image_url","image_url":{"url":"https://x.example/a.png"}},{"type":"riddle","x":1}]}]}`,
		`u: "see" <image> <resource_link> <unknown>`,
	},
	{"NUL, bad UTF-8 and a BOM", "\xef\xbb\xbf" + `{"messages":[{"role":"user","content":"a\u0000b` + "\xff" + `"}]}`, "u: \"a\\x00b\uFFFD\""},
	{
		"segments", `{"messages":[{"role":"assistant","content":"Looking.Done.","segments":[{"type":"text","content":"Looking."},{"type":"tool-group","tools":[
		{"toolCallId":"1","toolName":"read","input":{"path":"a.go"},"status":"completed","summary":"Read 3 lines","resultCount":3,"durationMs":5,"output":"package a"},{"toolCallId":"2","toolName":"bash","status":"failed","error":"exit 1"}]},
		{"type":"text","content":"Done."}]}]}`,
		`a: "Looking." [read=completed/package a, bash=failed/exit 1] "Done."`,
	},
	{
		"segments in the metadata", `[{"role":"user","content":"Fix it"},{"role":"assistant","content":"Looking.\n\nDone.","metadata":{"thinking":"hm","segments":[{"type":"text","text":"Looking."},{"type":"tool_group","toolCalls":["1",{"id":"2","name":"bash","result":"ok"}]},
		{"type":"text","text":"Done."}],"toolCalls":[{"id":"1","name":"read","args":{"path":"a"},"result":"package a"}]}}]`,
		`u: "Fix it"` + "\n" + `a: [(hm)] "Looking." [read=completed/package a, bash=completed/ok] "Done."`,
	},
	{
		"segments in metadata that is a text", `{"messages":[{"role":"assistant","content":"","metadata":"{\"segments\":[{\"type\":\"tools\",\"items\":[{\"type\":\"thought\",\"text\":\"hm\"},{\"type\":\"tool\",\"call\":{\"id\":\"1\",\"name\":\"read\",\"output\":{\"n\":1},\"status\":\"completed\"}}]},{\"type\":\"text\",\"text\":\"Done.\"}]}"}]}`,
		`a: [(hm), read=completed/{"n":1}] "Done."`,
	},
	{
		"segments with their calls told in full elsewhere", `{"messages":[{"role":"assistant","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"text","text":"More."}],"thinking":"hm","toolCalls":[{"id":"1","name":"read","result":"package a"},{"id":"9","name":"ls","result":"b"}],
		"segments":[{"type":"thinking","content":"hm"},{"type":"tool-group","tools":[{"id":"1","name":"read","status":"success"}]},{"type":"text","content":"Done."}]}]}`,
		`a: [ls=completed/b, (hm), read=completed/package a] "Done." <image> "More."`,
	},
	{
		"AI SDK", `{"messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"Fix it"}]},{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"hm"},{"type":"tool-read","toolCallId":"1","state":"output-available","input":{"path":"a"},"output":"package a"},
		{"type":"dynamic-tool","toolName":"bash","toolCallId":"2","state":"output-error","input":{},"errorText":"exit 1"},{"type":"text","text":"Done."}]},
		{"role":"assistant","content":[{"type":"tool-call","toolCallId":"3","toolName":"ls","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"3","toolName":"ls","output":{"type":"text","value":"b"}}]},
		{"role":"assistant","content":"","parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"4","toolName":"cat","args":{},"result":"c"}}]}]}`,
		`u: "Fix it"` + "\n" + `a: [(hm), read=completed/package a, bash=failed/exit 1] "Done."` + "\n" + `a: [ls=completed/b, cat=completed/c]`,
	},
	{"texts of one list stay apart", `{"messages":[{"role":"assistant","content":["a","b"]}]}`, `a: "a" "b"`},
}

func TestFormsOfOtherProgramsAreDrawn(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			list := readAll(t, f.file, false)
			if len(list) != 1 || len(list[0].Faults) > 0 {
				t.Fatalf("%d conversations: %+v", len(list), list[0].Faults)
			}
			if got := drawn(t, list[0]); got != f.want {
				t.Errorf("drawn as\n%s\nwant\n%s", got, f.want)
			}
		})
	}
}

func TestTimesAreReadInEveryForm(t *testing.T) {
	const want = 1772359200000
	for _, text := range []string{`"2026-03-01T10:00:00Z"`, `"2026-03-01T11:00:00+01:00"`, `"2026-03-01 10:00:00"`, `"2026-03-01T10:00:00.000000"`, `1772359200`, `1772359200.0`, `1772359200000`, `1772359200000000`, `1772359200000000000`, `"1772359200"`} {
		got, err := timeOf(node{raw: []byte(text)})
		if err != nil || got != want {
			t.Errorf("%s is read as %d, %v", text, got, err)
		}
	}
	for _, text := range []string{`"yesterday"`, `-5`, `1e300`, `{}`, `"0001-01-01T00:00:00Z"`} {
		if got, err := timeOf(node{raw: []byte(text)}); err == nil {
			t.Errorf("%s is read as %d", text, got)
		}
	}
}

func TestFaultsNameTheirPlace(t *testing.T) {
	for _, c := range []struct {
		file  string
		lines bool
		want  string
	}{
		{"{\"messages\":[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"robot\",\"content\":\"a\"}]}", false, "line 3: messages[1]: The role “robot” is unknown. Use user, assistant, system or tool."},
		{"[\n{\"messages\":[\n\n{\"role\":\"assistant\",\"toolCalls\":[{\"name\":\"x\"},\n{\"id\":\"2\"}]}]}]", false, "line 5: [0].messages[0].toolCalls[1]: A tool call needs a name."},
		{`{"messages":[{"role":"tool","tool_call_id":"nope","content":"x"}]}`, false, "line 1: messages[0]: The result of the tool call “nope” doesn't belong to an earlier tool call."},
		{`{"messages":[{"role":"user","content":"a","time":"soon"}]}`, false, `line 1: messages[0]: The time "soon" can't be read, use ISO 8601, such as 2026-03-01T09:30:00Z, or a unix time.`},
		{`{"messages":[{"role":"user","content":7}]}`, false, "line 1: messages[0].content: The content must be a text or a list of blocks."},
		{`{"messages":[{"role":"assistant","toolCalls":[{"name":"x","status":"odd"}]}]}`, false, "line 1: messages[0].toolCalls[0]: The status “odd” is unknown. Use completed, failed, cancelled or rejected."},
		{"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"cont", true, "line 2: Invalid JSON: it ends in the middle of a value."},
		{"{\"messages\":[\n{\"role\":\"user\",", false, "line 2: Invalid JSON: it ends in the middle of a value."},
		{`{"messages":[]}`, false, "line 1: The conversation has no messages."},
		{"", false, "line 1: No conversations found in the file."},
		{"\n\n", false, "line 1: No conversations found in the file."},
		{"[]", false, "line 1: No conversations found in the file."},
		{"hello", false, "line 1: Invalid JSON: "},
		{"\xff\xfe{\x00", false, "line 1: The file is in UTF-16. Save it as UTF-8."},
		{`{"a":1}`, false, "line 1: This is neither a conversation (with messages) nor a message (with a role)."},
	} {
		list := readAll(t, c.file, c.lines)
		if len(list) != 1 || len(list[0].Faults) == 0 || !strings.HasPrefix(list[0].Faults[0].String(), c.want) {
			t.Errorf("%q:\n%+v\nwant %s", c.file, list, c.want)
		}
	}
}

func TestOneBadConversationLeavesTheOthers(t *testing.T) {
	list := readAll(t, "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[{\"role\":\"x\"}]}\n{broken\n{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}\n", true)
	var got []int
	for _, c := range list {
		got = append(got, len(c.Faults))
	}
	if fmt.Sprint(got) != "[0 1 1 0]" || list[3].Line != 4 {
		t.Errorf("faults %v, lines %d", got, list[3].Line)
	}
}

// zeros reads as n bytes of JSON without a line break, followed by more.
type zeros struct {
	n    int64
	then io.Reader
}

func (z *zeros) Read(b []byte) (int, error) {
	if z.n <= 0 {
		return z.then.Read(b)
	}
	n := min(int64(len(b)), z.n)
	for i := range b[:n] {
		b[i] = 'x'
	}
	z.n -= n
	return int(n), nil
}

func TestLineOf200MBIsRefusedAndTheNextOneRead(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"messages":[{"role":"user","content":"`), &zeros{200 << 20, strings.NewReader("\"}]}\n" + `{"messages":[{"role":"user","content":"b"}]}`)})
	var list []*Conversation
	if err := Read(in, true, func(c *Conversation) error { list = append(list, c); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || len(list[0].Faults) != 1 || list[0].Faults[0].Message != "This line is longer than 64 MB." || len(list[1].Faults) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestKeyDependsOnlyOnTheMessages(t *testing.T) {
	file := forms[0].file
	a := readAll(t, file, false)[0]
	b := readAll(t, strings.ReplaceAll(strings.ReplaceAll(file, "\n", " "), "\t", ""), false)[0]
	c := readAll(t, strings.ReplaceAll(file, "Done.", "Done!"), false)[0]
	if a.Key() != b.Key() || a.Key() == c.Key() {
		t.Error("the key depends on how it is written, or not on what was said")
	}
}

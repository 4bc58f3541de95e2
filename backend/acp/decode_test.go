package acp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/transcript"
)

// decodeAll returns what a line decodes to.
func decodeAll(slow bool, lines ...string) []Inbound {
	var out []Inbound
	d := NewDecoder(func(in *Inbound) { out = append(out, *in) })
	d.slow = slow
	for _, l := range lines {
		d.Line([]byte(l))
	}
	d.End(nil)
	return out
}

// dump is a readable form of decoded things, one a line.
func dump(list []Inbound) string {
	var b strings.Builder
	for i := range list {
		in := &list[i]
		switch in.Kind {
		case KindUpdate:
			fmt.Fprintf(&b, "%s %s", in.SessionID, dumpUpdate(&in.Update))
		case KindRequest:
			fmt.Fprintf(&b, "request %s %s %s", in.Request.ID, in.Method, in.Request.Params)
		case KindNotification:
			fmt.Fprintf(&b, "notification %s %s", in.Method, in.Params)
		case KindResponse:
			fmt.Fprintf(&b, "response %s %s %v", in.Response.ID, in.Response.Result, in.Response.Err)
		case KindBroken:
			fmt.Fprintf(&b, "broken %q: %v", in.Text, in.Err)
		default:
			fmt.Fprintf(&b, "kind %d", in.Kind)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func dumpUpdate(u *transcript.Update) string {
	var b strings.Builder
	chunk := func(name string) {
		b.WriteString(name)
		if u.Block != nil {
			v, _ := json.Marshal(u.Block, json.OmitZeroStructFields(true))
			fmt.Fprintf(&b, " %s", v)
		} else {
			fmt.Fprintf(&b, " %q", u.Text)
		}
		if u.MessageID != "" {
			fmt.Fprintf(&b, " id=%s", u.MessageID)
		}
		if u.ParentToolCallID != "" {
			fmt.Fprintf(&b, " parent=%s", u.ParentToolCallID)
		}
	}
	switch u.Kind {
	case transcript.UpdateText:
		chunk("text")
	case transcript.UpdateThought:
		chunk("thought")
	case transcript.UpdateUser:
		chunk("user")
	case transcript.UpdateState:
		fmt.Fprintf(&b, "state %s %s", u.Key, u.Value)
	case transcript.UpdateOpaque:
		fmt.Fprintf(&b, "opaque %s %s", u.UnknownKind, u.Value)
	case transcript.UpdateNothing:
		b.WriteString("nothing")
	case transcript.UpdateTool:
		dumpTool(&b, u.Tool)
	}
	return b.String()
}

func dumpTool(b *strings.Builder, p *transcript.ToolPatch) {
	fmt.Fprintf(b, "tool %s", p.ID)
	str := func(name string, v *string) {
		if v != nil {
			fmt.Fprintf(b, " %s=%q", name, *v)
		}
	}
	str("name", p.Name)
	str("title", p.Title)
	str("kind", p.Kind)
	if p.Status != nil {
		fmt.Fprintf(b, " status=%s", *p.Status)
	}
	str("parent", p.ParentID)
	if p.Input != nil {
		fmt.Fprintf(b, " input=%s", p.Input)
	}
	if p.Output != nil {
		fmt.Fprintf(b, " output=%s", p.Output)
	}
	if p.Content != nil {
		v, _ := json.Marshal(*p.Content, json.OmitZeroStructFields(true))
		fmt.Fprintf(b, " content=%s", v)
	}
	if p.Locations != nil {
		v, _ := json.Marshal(*p.Locations, json.OmitZeroStructFields(true))
		fmt.Fprintf(b, " locations=%s", v)
	}
	if p.InputDelta != "" {
		fmt.Fprintf(b, " inputDelta=%q", p.InputDelta)
	}
	if p.OutputDelta != "" {
		fmt.Fprintf(b, " outputDelta=%q", p.OutputDelta)
	}
	str("summary", p.Summary)
	if p.ResultCount != nil {
		fmt.Fprintf(b, " count=%d", *p.ResultCount)
	}
	if p.DurationMs != nil {
		fmt.Fprintf(b, " ms=%d", *p.DurationMs)
	}
	str("error", p.Error)
	if p.Retryable != nil {
		fmt.Fprintf(b, " retryable=%v", *p.Retryable)
	}
}

// TestAnnounced tells a call that is new from one that is changed: ids come again every turn.
func TestAnnounced(t *testing.T) {
	for kind, want := range map[string]bool{"tool_call": true, "tool_call_update": false} {
		NewDecoder(func(in *Inbound) {
			if got := in.Update.Tool.Announced; got != want {
				t.Errorf("%s: announced is %v", kind, got)
			}
		}).Line([]byte(wrap(`{"sessionUpdate":"` + kind + `","toolCallId":"t"}`)))
	}
}

// No agent draws a form of Weft's by calling its own call one.
func TestAgentCannotUseDisplayKind(t *testing.T) {
	for _, kind := range []string{"tool_call", "tool_call_update"} {
		NewDecoder(func(in *Inbound) {
			if got := *in.Update.Tool.Kind; got != "other" {
				t.Errorf("%s: the kind is %s", kind, got)
			}
		}).Line([]byte(wrap(`{"sessionUpdate":"` + kind + `","toolCallId":"t","kind":"display"}`)))
	}
	if req := DecodePermission([]byte(`{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"display"}}`)); *req.Tool.Kind != "other" {
		t.Errorf("the kind is %s", *req.Tool.Kind)
	}
}

// TestDiscreteMessagesAreSeparate: qwen marks what is a message of its own (a notice, the answer of a command) and gives it no id.
func TestDiscreteMessagesAreSeparate(t *testing.T) {
	var got []string
	d := NewDecoder(func(in *Inbound) {
		got = append(got, fmt.Sprint(in.Update.Text, " ", in.Update.MessageID, " ", in.Update.Apart))
	})
	for _, meta := range []string{`{"qwenDiscreteMessage":true}`, `{"qwenDiscreteMessage":true}`, `{"qwenDiscreteMessage":false}`, `{}`, `{"qwenDiscreteMessage":"yes"}`} {
		d.Line([]byte(wrap(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":` + meta + `}`)))
	}
	d.Line([]byte(wrap(`{"sessionUpdate":"agent_message_chunk","messageId":"own","content":{"type":"text","text":"x"},"_meta":{"qwenDiscreteMessage":true}}`)))
	want := []string{"x discrete1 true", "x discrete2 true", "x  false", "x  false", "x  false", "x own true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestNoteIsMarkedThought(t *testing.T) {
	got := map[string]bool{}
	d := NewDecoder(func(in *Inbound) { got[in.Update.Text] = in.Update.Note })
	for text, update := range map[string]string{
		"a note":      `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a note"},"_meta":{"weft/note":true}}`,
		"a thought":   `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a thought"},"_meta":{"weft/note":"true"}}`,
		"an answer":   `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an answer"},"_meta":{"weft/note":true}}`,
		"from others": `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"from others"}}`,
	} {
		d.Line([]byte(wrap(update)))
		if want := text == "a note"; got[text] != want {
			t.Errorf("%s: note is %v", text, got[text])
		}
	}
}

// wrap puts an update into a notification.
func wrap(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

func TestDecodeUpdates(t *testing.T) {
	big := strings.Repeat("9", 40)
	for _, tc := range []struct{ name, update, want string }{
		{"text", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\n\"b\" \u00e9\ud83d\ude00"}}`, `s text "a\n\"b\" é😀"`},
		{"text, other order", `{"content":{"text":"x","type":"text"},"messageId":"m1","sessionUpdate":"agent_message_chunk"}`, `s text "x" id=m1`},
		{"text with annotations", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","annotations":null}}`, `s text "x"`},
		{"empty text", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}`, `s text ""`},
		{"lone surrogate", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud800b"}}`, `s text "a�b"`},
		{"invalid UTF-8", "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"a\xff\xfeb\"}}", `s text "a�b"`},
		{"thought", `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"},"messageId":null}`, `s thought "hm"`},
		{"user", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}`, `s user "hi"`},
		{"parent of claude", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"claudeCode":{"parentToolUseId":"toolu_1"}}}`, `s text "x" parent=toolu_1`},
		{"number as message id", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"messageId":7}`, `s text "x" id=7`},
		{"content is a string", `{"sessionUpdate":"agent_message_chunk","content":"plain"}`, `s text "plain"`},
		{"content is a list", `{"sessionUpdate":"agent_message_chunk","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "s text \"a\"\ns text \"b\""},
		{"image", `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"iVBO","mimeType":"image/png"}}`, `s text {"type":"image","text":"iVBO","mimeType":"image/png"}`},
		{"audio", `{"sessionUpdate":"agent_message_chunk","content":{"type":"audio","data":"UklG","mimeType":"audio/wav"}}`, `s text {"type":"audio","text":"UklG","mimeType":"audio/wav"}`},
		{"resource", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/x","text":"T"}}}`, `s text {"type":"resource","text":"T","uri":"file:///a","mimeType":"text/x"}`},
		{"blob", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","blob":"AAEC"}}}`, `s text {"type":"resource","uri":"file:///a","raw":{"uri":"file:///a","blob":"AAEC"}}`},
		{"resource link", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","uri":"file:///a","name":"a","description":"d"}}`, `s text {"type":"resource_link","text":"d","uri":"file:///a","name":"a"}`},
		{"unknown block", `{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","x":1}}`, `s text {"type":"unknown","raw":{"type":"hologram","x":1}}`},
		{"text is a number", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}`, `s text {"type":"unknown","raw":{"type":"text","text":5}}`},
		{"no content", `{"sessionUpdate":"agent_message_chunk"}`, `s opaque agent_message_chunk {"sessionUpdate":"agent_message_chunk"}`},
		{"null content", `{"sessionUpdate":"agent_message_chunk","content":null}`, `s opaque agent_message_chunk {"sessionUpdate":"agent_message_chunk","content":null}`},
		{"unknown kind", `{"sessionUpdate":"brand_new","content":{"type":"text","text":"x"}}`, `s opaque brand_new {"sessionUpdate":"brand_new","content":{"type":"text","text":"x"}}`},
		{"no kind", `{"content":{"type":"text","text":"x"}}`, `s opaque  {"content":{"type":"text","text":"x"}}`},
		{"kind is a number", `{"sessionUpdate":3}`, `s opaque  {"sessionUpdate":3}`},
		{"update is null", `null`, `s opaque  {"sessionId":"s","update":null}`},
		{"update is a string", `"x"`, `s opaque  "x"`},
		{"kind comes last", `{"rawInput":{"sessionUpdate":"plan"},"toolCallId":"t","sessionUpdate":"tool_call"}`, `s tool t input={"sessionUpdate":"plan"}`},
		{"escaped member name", `{"session\u0055pdate":"plan","entries":[]}`, `s state plan []`},

		{
			"tool call", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","kind":"read","status":"pending","locations":[{"path":"/a","line":3},{"path":"/b","line":null}],"rawInput":{"z":1,"a":` + big + `, "f":1.50}}`,
			`s tool t title="Read" kind="read" status=pending input={"z":1,"a":` + big + `, "f":1.50} locations=[{"path":"/a","line":3},{"path":"/b"}]`,
		},
		{"update with nulls", `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,"kind":null,"status":null,"content":null,"locations":null,"rawInput":null,"rawOutput":null,"_meta":null}`, `s tool t`},
		{"in progress", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","rawOutput":[1, 2]}`, `s tool t status=running output=[1, 2]`},
		{"completed, empty lists", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[],"locations":[]}`, `s tool t status=completed content=[] locations=[]`},
		{"failed", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no"}}]}`, `s tool t status=failed content=[{"type":"text","text":"no"}]`},
		{"status of another protocol", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"success","title":"T","rawOutput":1}`, `s tool t title="T" status=completed output=1`},
		{"status in capitals", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"ERROR","content":[{"type":"content","content":{"type":"text","text":"no"}}]}`, `s tool t status=failed content=[{"type":"text","text":"no"}]`},
		{"status running", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"running"}`, `s tool t status=running`},
		{"status that waits", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"awaiting_approval"}`, `s tool t status=pending`},
		{"status denied", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"denied"}`, `s tool t status=failed`},
		{"empty status", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"","title":"T"}`, `s tool t title="T"`},
		{"status is a number", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":1,"title":"T"}`, "s tool t title=\"T\"\ns opaque tool_call_update {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"status\":1,\"title\":\"T\"}"},
		{"unknown status", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"paused"}`, "s tool t\ns opaque tool_call_update {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"paused\"}"},
		{"title is a number", `{"sessionUpdate":"tool_call","toolCallId":"t","title":42}`, `s tool t title="42"`},
		{"title is an object", `{"sessionUpdate":"tool_call","toolCallId":"t","title":{}}`, "s tool t\ns opaque tool_call {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":{}}"},
		{"id is a number", `{"sessionUpdate":"tool_call","toolCallId":12}`, `s tool 12`},
		{"no id", `{"sessionUpdate":"tool_call","title":"x"}`, `s opaque tool_call {"sessionUpdate":"tool_call","title":"x"}`},
		{
			"diffs", `{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"diff","path":"a","oldText":null,"newText":"n"},{"type":"diff","path":"b","newText":"n"},{"type":"diff","path":"c","oldText":"","newText":"n"}]}`,
			`s tool t content=[{"type":"diff","path":"a","newFile":true,"newText":"n"},{"type":"diff","path":"b","newFile":true,"newText":"n"},{"type":"diff","path":"c","newText":"n"}]`,
		},
		{"terminal", `{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"terminal","terminalId":"x"}]}`, `s tool t content=[{"type":"terminal","terminalId":"x"}]`},
		{
			"strange content", `{"sessionUpdate":"tool_call","toolCallId":"t","content":[null,7,"s",{"type":"content","content":null},{"type":"diff","path":3},{"type":"chart"},{"type":"text","text":"bare"}]}`,
			`s tool t content=[{"type":"unknown","raw":null},{"type":"unknown","raw":7},{"type":"text","text":"s"},{"type":"unknown","raw":{"type":"content","content":null}},{"type":"unknown","raw":{"type":"diff","path":3}},{"type":"unknown","raw":{"type":"chart"}},{"type":"text","text":"bare"}]`,
		},
		{"content is one block", `{"sessionUpdate":"tool_call","toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"x"}}}`, `s tool t content=[{"type":"text","text":"x"}]`},
		{"claude's meta", `{"sessionUpdate":"tool_call","toolCallId":"t","_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"p"}}}`, `s tool t name="Bash" parent="p"`},
		{"codex's meta", `{"sessionUpdate":"tool_call","toolCallId":"t","_meta":{"codex":{"subagent":{"threadId":"x","path":"y","activity":"started"}}}}`, `s tool t`},
		{"weft's meta, cancelled", `{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"weft":{"cancelled":true}},"status":"failed"}`, `s tool t status=cancelled`},
		{"weft's meta, rejected", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","_meta":{"weft":{"rejected":true}}}`, `s tool t status=rejected`},
		{"weft's meta", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","_meta":{"weft":{"summary":"3 files","resultCount":3,"durationMs":12},"weft/inputDelta":"{\"a"}}`, `s tool t status=completed inputDelta="{\"a" summary="3 files" count=3 ms=12`},
		{"name", `{"sessionUpdate":"tool_call","toolCallId":"t","name":"grep"}`, `s tool t name="grep"`},
		{"terminal output", `{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"out\n"}}}`, `s tool t outputDelta="out\n"`},

		{"plan", `{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}`, `s state plan [{"content":"a","priority":"high","status":"pending"}]`},
		{"plan without entries", `{"sessionUpdate":"plan","entries":null}`, `s opaque plan {"sessionUpdate":"plan","entries":null}`},
		{"plan of a draft", `{"sessionUpdate":"plan_update","plan":{}}`, `s opaque plan_update {"sessionUpdate":"plan_update","plan":{}}`},
		{"commands", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"x","description":"y"}]}`, `s state commands [{"name":"x","description":"y"}]`},
		{"mode", `{"sessionUpdate":"current_mode_update","currentModeId":"code"}`, `s state mode "code"`},
		{"config", `{"sessionUpdate":"config_option_update","configOptions":[{"id":"model"}]}`, `s state config [{"id":"model"}]`},
		{"title", `{"sessionUpdate":"session_info_update","title":"T","updatedAt":"2026-01-01"}`, `s state title "T"`},
		{"no title, a date", `{"sessionUpdate":"session_info_update","updatedAt":"2026-01-01"}`, `s nothing`},
		{"no title, _meta", `{"sessionUpdate":"session_info_update","_meta":{"piAcp":{"queueDepth":0,"running":true}}}`, `s nothing`},
		{"no title, something new", `{"sessionUpdate":"session_info_update","archived":true}`, `s opaque session_info_update {"sessionUpdate":"session_info_update","archived":true}`},
		{"title cleared", `{"sessionUpdate":"session_info_update","title":null}`, `s state title null`},
		{"usage", `{"sessionUpdate":"usage_update","used":1,"size":200000,"cost":{"amount":0.0010,"currency":"USD"},"_meta":{}}`, `s state usage {"used":1,"size":200000,"cost":{"amount":0.0010,"currency":"USD"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, slow := range []bool{true, false} {
				got := strings.TrimSuffix(dump(decodeAll(slow, wrap(tc.update))), "\n")
				if got != tc.want {
					t.Errorf("slow=%v\ngot  %s\nwant %s", slow, got, tc.want)
				}
			}
		})
	}
}

func TestDecodeMessages(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"blank", "  \t", ""},
		{"request", `{"jsonrpc":"2.0","id":"8f-uuid","method":"fs/read_text_file","params":{"path":"/a"}}`, `request "8f-uuid" fs/read_text_file {"path":"/a"}`},
		{"request with a big id", `{"id":12345678901234567890,"method":"x"}`, `request 12345678901234567890 x null`},
		{"notification", `{"jsonrpc":"2.0","method":"_ext/x","params":[1]}`, `notification _ext/x [1]`},
		{"id null", `{"id":null,"method":"x"}`, `notification x null`},
		{"response", `{"jsonrpc":"2.0","id":3,"result":{"a": 1}}`, `response 3 {"a": 1} <nil>`},
		{"error", `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Sign in","data":{"details":"now"}}}`, `response 3 null the agent reported: Sign in: now (error -32000)`},
		{"error as text", `{"id":3,"error":"no"}`, `response 3 null the agent reported: no (error 0)`},
		{"update without params", `{"method":"session/update"}`, ` opaque  null`},
		{"update with a number as session", `{"method":"session/update","params":{"sessionId":5,"update":{"sessionUpdate":"plan","entries":[]}}}`, `5 state plan []`},
		{"white space", " { \"method\" : \"session/update\" , \"params\" : { \"sessionId\" : \"s\" , \"update\" : { \"sessionUpdate\" : \"agent_message_chunk\" , \"content\" : { \"type\" : \"text\" , \"text\" : \"x\" } } } } \r", `s text "x"`},
		{"batch", `[{"id":1,"result":null},` + wrap(`{"sessionUpdate":"plan","entries":[]}`) + `,7]`, "response 1 null <nil>\ns state plan []\nbroken \"7\": neither a request nor a response"},
		{"empty batch", `[]`, `broken "[]": an empty batch`},
		{"banner", `Welcome to agent 1.0!`, `broken "Welcome to agent 1.0!": not a JSON message`},
		{"HTML", `<!DOCTYPE html><html>`, `broken "<!DOCTYPE html><html>": not a JSON message`},
		{"half a line", `{"jsonrpc":"2.0","id":3,"resu`, `broken "{\"jsonrpc\":\"2.0\",\"id\":3,\"resu": incomplete or malformed JSON`},
		{"banner before a message", `Loading… {"jsonrpc":"2.0","id":1,"result":1}`, "broken \"Loading… \": text before a message\nresponse 1 1 <nil>"},
		{"a number", `42`, `broken "42": neither a request nor a response`},
		{"neither", `{"jsonrpc":"2.0"}`, `broken "{\"jsonrpc\":\"2.0\"}": neither a request nor a response`},
		{"repeated member", `{"method":"a","method":"b"}`, `notification b null`},
		{"update as request", `{"id":1,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`, "s state plan []\nrequest 1 session/update null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := strings.TrimSuffix(dump(decodeAll(false, tc.line)), "\n")
			if got != tc.want {
				t.Errorf("\ngot  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestTerminalOutputResent(t *testing.T) {
	send := func(key, data string) string {
		return wrap(`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"` + key + `":{"terminal_id":"x","data":` + strconv.Quote(data) + `}}}`)
	}
	for _, tc := range []struct {
		name, key string
		data      []string
		want      string
	}{
		{"pieces", "terminal_output", []string{"one\n", "two\n", "three\n"}, "one\ntwo\nthree\n"},
		{"repeated pieces", "terminal_output", []string{"y\n", "y\n", "y\n"}, "y\ny\ny\n"},
		{"deltas are never taken as resent", "terminal_output_delta", []string{"line\n", "line\nline\n"}, "line\nline\nline\n"},
		{"resent whole", "terminal_output", []string{"one\n", "one\ntwo\n", "one\ntwo\n", "one\ntwo\nthree\n"}, "one\ntwo\nthree\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var lines []string
			for _, d := range tc.data {
				lines = append(lines, send(tc.key, d))
			}
			got := ""
			for _, in := range decodeAll(false, lines...) {
				got += in.Update.Tool.OutputDelta
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestManyPieces(t *testing.T) {
	got := decodeAll(false, wrap(`{"sessionUpdate":"tool_call","toolCallId":"t","content":[`+strings.Repeat("1,", maxPieces+2)+`2]}`))
	list := *got[0].Update.Tool.Content
	if len(list) != maxPieces+1 || string(list[maxPieces].Raw) != "[1,1,2]" {
		t.Errorf("%d pieces, the last %s", len(list), list[len(list)-1].Raw)
	}
}

func TestDecodePermission(t *testing.T) {
	r := DecodePermission([]byte(`{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run","status":"pending"},"options":[{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"b","kind":"allow_once"},{"name":"no id"}]}`))
	if r.SessionID != "s" || r.Tool.ID != "t" || len(r.Options) != 2 || r.Options[1].Name != "b" {
		t.Errorf("%+v", r)
	}
	if r := DecodePermission([]byte(`{"sessionId":"s","options":[]}`)); r.SessionID != "s" || len(r.Options) != 0 {
		t.Errorf("without options: %+v", r)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		wrap(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\nb\u00e9"},"messageId":"m"}`),
		wrap(`{"content":{"text":"x","type":"text"},"sessionUpdate":"agent_thought_chunk"}`),
		wrap(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\ud800"}}`),
		wrap(`{"sessionUpdate":"tool_call","toolCallId":"t","title":1,"content":[{"type":"diff"}]}`),
		`[{"id":1,"result":null}]`, `{"id":"x","method":"m","params":{}}`, `banner {"jsonrpc":"2.0","id":1}`,
		"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\\\\n\",\"update\":{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"\xff\"}}}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		keep := string(line)
		// Twice, so that interned ids are met again.
		slow, fast := decodeAll(true, keep, keep), decodeAll(false, keep, keep)
		if a, b := dump(slow), dump(fast); a != b {
			t.Errorf("%q\nslow %s\nfast %s", line, a, b)
		}
		if len(slow) == 0 && strings.Trim(keep, " \t\r\n\v\f\u0085\u00a0") != "" && strings.TrimSpace(keep) != "" {
			t.Errorf("%q caused nothing", line)
		}
	})
}

func TestParentsInMeta(t *testing.T) {
	for _, c := range []struct {
		meta   string
		parent string
		thread transcript.Thread
	}{
		{`{"claudeCode":{"parentToolUseId":"toolu_1","toolName":"Read"}}`, "toolu_1", transcript.Thread{}},
		{`{"toolName":"read_file","parentToolCallId":"call_1","subagentType":"general"}`, "call_1", transcript.Thread{}},
		{`{"weft":{"parentToolCallId":"w"}}`, "w", transcript.Thread{}},
		{`{"codex":{"subagent":{"threadId":"t-1","path":"/root/echo","activity":"started"}}}`, "", transcript.Thread{ID: "t-1", Path: "/root/echo"}},
		{`{"codex":{"toolName":"Agent","subAgent":{"agentThreadId":"t-2","runId":"r"}}}`, "", transcript.Thread{ID: "t-2"}},
		{`{"codex":{"subagent":"started"},"claudeCode":[1],"weft":null,"parentToolCallId":7,"other":{"parent":"x"}}`, "", transcript.Thread{}},
		{`{"parentToolCallId":"","claudeCode":{"parentToolUseId":null}}`, "", transcript.Thread{}},
	} {
		for _, kind := range []string{"tool_call", "tool_call_update", "agent_message_chunk", "agent_thought_chunk"} {
			var got []transcript.Update
			d := NewDecoder(func(in *Inbound) { got = append(got, in.Update) })
			d.Line([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `","toolCallId":"c","content":` +
				map[bool]string{true: `[]`, false: `{"type":"text","text":"x"}`}[strings.HasPrefix(kind, "tool")] + `,"_meta":` + c.meta + `}}}`))
			if len(got) != 1 {
				t.Fatalf("%s %s: %d updates", kind, c.meta, len(got))
			}
			parent, thread := got[0].ParentToolCallID, got[0].Thread
			if p := got[0].Tool; p != nil {
				thread = p.Thread
				if p.ParentID != nil {
					parent = *p.ParentID
				}
			}
			if parent != c.parent || thread != c.thread {
				t.Errorf("%s %s: parent %q, thread %v", kind, c.meta, parent, thread)
			}
		}
	}
}

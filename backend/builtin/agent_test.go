package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weft/backend/llm"
)

func TestInitialize(t *testing.T) {
	c := start(t, t.TempDir())
	var r struct {
		ProtocolVersion   int
		AgentInfo         struct{ Name, Title, Version string }
		AuthMethods       []any
		AgentCapabilities struct {
			LoadSession         bool
			SessionCapabilities map[string]any
		}
	}
	if err := json.Unmarshal(c.call("initialize", map[string]any{"protocolVersion": 7}).Result, &r); err != nil {
		t.Fatal(err)
	}
	if r.ProtocolVersion != 1 || r.AgentInfo.Name == "" || r.AuthMethods == nil || !r.AgentCapabilities.LoadSession || len(r.AgentCapabilities.SessionCapabilities) != 5 {
		t.Errorf("%+v", r)
	}
}

func TestCommandsFollowTheNewSession(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open(t.TempDir(), nil)
	next := c.until("commands", func(m message) bool { return true })
	if u := next.update(); u.Kind != "available_commands_update" || next.Params.SessionID != session || !strings.Contains(string(next.Params.Update), `"summary"`) {
		t.Errorf("after session/new came %s", next.Params.Update)
	}
}

func TestFindInterleavesTextAndCalls(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open(jsProject(t), nil)
	from := len(c.seen)
	if stop := c.prompt(session, "where is tideAt defined?"); stop != "end_turn" {
		t.Fatalf("stop %q", stop)
	}
	got := c.transcript(from)
	order := []string{
		"not a language model", "call call-1-1", "call call-1-1 completed: Find files", "call call-1-2",
		"call call-1-2 completed: Search “tideAt”: Found 4 matches in 3 files", `**4 matches in 3 files**`, "`src/tide.js`", "1  export function tideAt",
	}
	rest := got
	for _, want := range order {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("%q is missing or out of order in\n%s", want, got)
		}
		rest = after
	}
	if strings.Contains(got, "ignored.js") {
		t.Errorf("an ignored file was searched:\n%s", got)
	}
	for _, m := range c.seen {
		if u := m.update(); u.Kind == "tool_call_update" && u.ID == "call-1-2" && u.Status == "completed" {
			if u.Raw["summary"] != "Found 4 matches in 3 files" || u.Raw["resultCount"] != 4.0 || u.Meta.Weft["resultCount"] != 4.0 || u.Meta.Weft["durationMs"] == nil {
				t.Errorf("raw output %v, meta %v", u.Raw["summary"], u.Meta.Weft)
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open(jsProject(t), nil)
	for _, tc := range []struct {
		prompt string
		want   []string
	}{
		{"summarize this project", []string{"offline guide", "## Tide clock", "> Tells the tide.", "JavaScript (3 files)", "`npm test` — `vitest run`"}},
		{"list TODOs", []string{"**1 note in 1 file**", "3  // TODO: read the port"}},
		{"show the tree", []string{"**6 files in 1 folder", "src/\n  index.js\n", "1 entry is left out"}},
		{"explain tide.js", []string{"`src/tide.js`, 3 lines:", "export function tideAt"}},
		{"read README.md", []string{"`README.md`, 3 lines:", "# Tide clock"}},
		{"find no-such-thing-here", []string{"No match found"}},
		{"find database tide", []string{"search for its words", "README.md"}},
		{"explain nothere.py", []string{"No file named `nothere.py` found"}},
		{"read ../../etc/passwd", []string{"outside this session's folder"}},
		{"/help", []string{"Summarize", "if you allow it"}},
		{"why is the database so lovely", []string{"not a language model", "add an agent"}},
	} {
		from := len(c.seen)
		if stop := c.prompt(session, tc.prompt); stop != "end_turn" {
			t.Errorf("%s: stop %q", tc.prompt, stop)
		}
		got := c.said(from)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", tc.prompt, want, got)
			}
		}
		if strings.Contains(got, "%!") {
			t.Errorf("%s: formatting slip in\n%s", tc.prompt, got)
		}
	}
}

func TestGuideReportsAnUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{t.TempDir(): "is empty", "/no/such/folder": "doesn't exist", file: "is a file"} {
		c := start(t, t.TempDir())
		session := c.open(cwd, nil)
		if stop := c.prompt(session, "summarize this project"); stop != "end_turn" || !strings.Contains(c.said(0), want) {
			t.Errorf("%s: %s %q", cwd, stop, c.said(0))
		}
	}
}

func TestAttachments(t *testing.T) {
	dir := jsProject(t)
	c := start(t, t.TempDir())
	session := c.open(dir, nil)
	prompt := func(blocks ...any) string {
		from := len(c.seen)
		c.call("session/prompt", map[string]any{"sessionId": session, "prompt": blocks})
		return c.said(from)
	}
	text := func(s string) any { return map[string]any{"type": "text", "text": s} }
	link := func(uri string) any {
		return map[string]any{"type": "resource_link", "name": filepath.Base(uri), "uri": uri}
	}
	if got := prompt(text("what does this do?"), link("file://"+dir+"/src/tide.js")); !strings.Contains(got, "`src/tide.js`, 3 lines:") {
		t.Error(got)
	}
	if got := prompt(text("explain"), link("file:///etc/passwd")); !strings.Contains(got, "outside this session's folder") {
		t.Error(got)
	}
	embedded := map[string]any{"type": "resource", "resource": map[string]any{"uri": "file://" + dir + "/src/index.js", "text": "// Starts the server.\n", "mimeType": "text/javascript"}}
	if got := prompt(text("explain this"), embedded); !strings.Contains(got, "`src/index.js`, 4 lines:") {
		t.Error(got)
	}
	if got := prompt(text("/help"), map[string]any{"type": "image", "data": "AA==", "mimeType": "image/png"}); !strings.Contains(got, "only read text files") {
		t.Error(got)
	}
}

func TestSecondPromptIsRefusedAndCancelStopsTheFirst(t *testing.T) {
	working := make(chan struct{})
	c := startWith(t, t.TempDir(), script(func(ctx context.Context, _ llm.Request, emit func(llm.Delta)) (llm.Response, error) {
		emit(llm.Delta{Kind: llm.DeltaCallStart, Name: "read"})
		close(working)
		<-ctx.Done()
		return llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: "a", Name: "read"}}}}, ctx.Err()
	}))
	session := c.open(t.TempDir(), nil)
	first := c.request("session/prompt", promptOf(session, "one"))
	c.until("tool call", func(m message) bool { return m.update().Kind == "tool_call" })
	<-working
	second := c.response(c.request("session/prompt", promptOf(session, "two")))
	if second.Error == nil || !strings.Contains(second.Error.Message, "still working") {
		t.Errorf("second prompt: %+v %s", second.Error, second.Result)
	}
	load := c.response(c.request("session/load", map[string]any{"sessionId": session, "cwd": "/", "mcpServers": []any{}}))
	if load.Error == nil {
		t.Error("a session was loaded in the middle of its turn")
	}
	from := len(c.seen)
	c.notify("session/cancel", map[string]any{"sessionId": session})
	if stop := stopReason(c.response(first)); stop != "cancelled" {
		t.Errorf("stop %q", stop)
	}
	if got := c.transcript(from); got != "call call-1-1 failed: : Cancelled.\n" {
		t.Errorf("after cancel: %s", got)
	}
}

func TestCancelRightBehindThePrompt(t *testing.T) {
	c := startWith(t, t.TempDir(), script(func(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}))
	session := c.open(t.TempDir(), nil)
	for range 50 {
		id := c.request("session/prompt", promptOf(session, "go"))
		c.notify("session/cancel", map[string]any{"sessionId": session})
		if stop := stopReason(c.response(id)); stop != "cancelled" {
			t.Fatalf("stop %q", stop)
		}
	}
}

func TestSessionsRunAtTheSameTime(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	c := startWith(t, t.TempDir(), script(func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		both.Done()
		both.Wait() // until the other session's turn has begun too
		return say("done"), nil
	}))
	one, two := c.open(t.TempDir(), nil), c.open(t.TempDir(), nil)
	a, b := c.request("session/prompt", promptOf(one, "x")), c.request("session/prompt", promptOf(two, "x"))
	got := map[string]string{}
	for range 2 {
		m := c.until("responses", func(m message) bool { return m.Method == "" && (string(m.ID) == a || string(m.ID) == b) })
		got[string(m.ID)] = stopReason(m)
	}
	if got[a] != "end_turn" || got[b] != "end_turn" {
		t.Errorf("%v", got)
	}
}

func TestPanicBecomesAnError(t *testing.T) {
	first := true
	c := startWith(t, t.TempDir(), script(func(_ context.Context, _ llm.Request, emit func(llm.Delta)) (llm.Response, error) {
		if first {
			first = false
			panic("boom")
		}
		emit(llm.Delta{Kind: llm.DeltaText, Text: "fine"})
		return say("fine"), nil
	}))
	session := c.open(t.TempDir(), nil)
	if m := c.response(c.request("session/prompt", promptOf(session, "x"))); m.Error == nil || m.Error.Code != -32603 || !strings.Contains(m.Error.Message, "boom") {
		t.Errorf("%+v", m.Error)
	}
	if stop := c.prompt(session, "again"); stop != "end_turn" || c.said(0) != "fine" {
		t.Errorf("%s %q", stop, c.said(0))
	}
}

func TestBadInput(t *testing.T) {
	c := start(t, t.TempDir())
	anyResponse := func(m message) bool { return m.Method == "" }
	for line, code := range map[string]int{
		"hello there":                                  -32700,
		`{"jsonrpc":"2.0","id":1,`:                     -32700,
		`[{"jsonrpc":"2.0"}]`:                          -32600,
		strings.Repeat("x", maxLine+1):                 -32600,
		`{"jsonrpc":"2.0","id":90,"method":"no/such"}`: -32601,
		`{"jsonrpc":"2.0","id":91,"method":"session/prompt","params":{"sessionId":"none","prompt":[]}}`: -32002,
		`{"jsonrpc":"2.0","id":92,"method":"session/prompt","params":7}`:                                -32602,
		`{"jsonrpc":"2.0","id":93,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}`:  -32602,
		`{"jsonrpc":"2.0","id":94,"method":"session/load","params":{"sessionId":"../../x","cwd":"/"}}`:  -32002,
		`{"jsonrpc":"2.0","id":"s","method":"session/list","params":{"cursor":"what"}}`:                 -32602,
	} {
		c.write(line)
		if m := c.until("answer", anyResponse); m.Error == nil || m.Error.Code != code {
			t.Errorf("%.60s: %+v", line, m.Error)
		}
	}
	c.write("")
	c.notify("no/such", nil)
	c.notify("session/cancel", map[string]any{"sessionId": "none"})
	c.call("initialize", map[string]any{"protocolVersion": 1})
}

func TestArguments(t *testing.T) {
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, 0, "weft agent login"},
		{[]string{"--provider", "gpt"}, 2, "unknown provider"},
		{[]string{"--nope"}, 2, "unknown flag: --nope. See weft agent --help."},
		{[]string{"--max-tokens", "many"}, 2, `invalid argument "many" for "--max-tokens"`},
		{[]string{"login", "--help"}, 0, "--provider NAME"},
		{[]string{"logout", "--all"}, 2, "weft agent logout: unknown flag: --all."},
		{[]string{"login", "openai"}, 2, `unexpected argument "openai". See weft agent login --help.`},
		{[]string{"extra"}, 2, "unexpected argument"},
		{[]string{"--data", "/dev/null/x"}, 1, "can't store sessions"},
	} {
		var out, errs bytes.Buffer
		says, silent := &errs, &out
		if tc.code == 0 {
			says, silent = silent, says
		}
		if code := Main(context.Background(), tc.args, strings.NewReader(""), &out, &errs); code != tc.code || !strings.Contains(says.String(), tc.want) || silent.Len() > 0 {
			t.Errorf("%v: code %d, stdout %q, stderr %q", tc.args, code, out.String(), errs.String())
		}
	}
}

func TestRequestsBeforeTheEndOfInputAreAnswered(t *testing.T) {
	var out, errs bytes.Buffer
	cwd := jsProject(t)
	script := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, cwd)
	if code := Main(context.Background(), []string{"--data", t.TempDir()}, strings.NewReader(script), &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), `"protocolVersion":1`) || !strings.Contains(out.String(), `"sessionId":"guide-`) {
		t.Errorf("stdout %s", out.String())
	}
}

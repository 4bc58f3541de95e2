package recording

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// turnOf returns a recording of one turn. Each message is an update, a JSON-RPC message, or "answer " and one of the
// client.
func turnOf(t *testing.T, messages ...string) string {
	t.Helper()
	var b strings.Builder
	at := 0
	line := func(dir, msg string) {
		at += 1000
		if !json.Valid([]byte(msg)) {
			t.Fatalf("this is no JSON: %s", msg)
		}
		fmt.Fprintf(&b, `{"t":%d,"dir":%q,"msg":%s}`+"\n", at, dir, msg)
	}
	line(ToAgent, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go"}]}}`)
	for _, m := range messages {
		switch {
		case strings.HasPrefix(m, `{"jsonrpc"`):
			line(FromAgent, m)
		case strings.HasPrefix(m, "answer "):
			line(ToAgent, strings.TrimPrefix(m, "answer "))
		default:
			line(FromAgent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+m+`}}`)
		}
	}
	line(FromAgent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	return b.String()
}

// folded folds a turn and returns the transcript without the prompt.
func folded(t *testing.T, messages ...string) string {
	t.Helper()
	f, err := Fold(strings.NewReader(turnOf(t, messages...)))
	if err != nil {
		t.Fatal(err)
	}
	_, answer, _ := strings.Cut(f.Text(), "── agent")
	return "── agent" + answer
}

// TestWordsForTheStatusOfACall checks that nonstandard statuses of agents are understood and the rest of the update is
// kept.
func TestWordsForTheStatusOfACall(t *testing.T) {
	for word, want := range map[string]string{
		"success": "completed", "done": "completed", "COMPLETED": "completed", "error": "failed", "failure": "failed", "canceled": "cancelled", "denied": "failed",
		"running": "cancelled", "": "cancelled", "dancing": "cancelled", // still open at the end of its turn
	} {
		got := folded(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"First","kind":"other","status":"queued"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Then","status":"`+word+`","rawOutput":{"a":1},"content":[{"type":"content","content":{"type":"text","text":"The output."}}]}`)
		for _, part := range []string{"Then", want} {
			if !strings.Contains(got, part) {
				t.Errorf("%q, no %q:\n%s", word, part, got)
			}
		}
	}
}

// TestMessagesOfAnAgentStayApart checks that text of another message doesn't continue the previous one.
func TestMessagesOfAnAgentStayApart(t *testing.T) {
	chunk := func(kind, id, text string) string {
		if id != "" {
			id = `"messageId":"` + id + `",`
		}
		return `{"sessionUpdate":"agent_` + kind + `_chunk",` + id + `"content":{"type":"text","text":"` + text + `"}}`
	}
	for name, c := range map[string]struct {
		said []string
		want string
	}{
		"text without an id, then with one": {
			[]string{chunk("message", "", "See /a/"), chunk("message", "", "x"), chunk("message", "m1", "I will "), chunk("message", "", "go.")},
			`See /a/x|I will go.`,
		},
		"text of two messages": {
			[]string{chunk("message", "m1", "See /a/x"), chunk("message", "m2", "I will "), chunk("message", "m2", "go.")},
			`See /a/x|I will go.`,
		},
		"thoughts of two messages": {
			[]string{chunk("thought", "m1", "See /a/x"), chunk("thought", "m2", "I will "), chunk("thought", "", "go.")},
			`~ See /a/x|~ I will go.`,
		},
		"a thought without an id, then with one": {
			[]string{chunk("thought", "", "See /a/x"), chunk("thought", "m2", "I will "), chunk("thought", "m2", "go.")},
			`~ See /a/x|~ I will go.`,
		},
	} {
		if got := pieces(folded(t, c.said...)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// pieces returns the lines of a one-message transcript without its header.
func pieces(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")[1:]
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "|")
}

// TestNoticesOfAnAgentAreNoAnswer checks that notices of all forms stay separate and are not part of the answer.
func TestNoticesOfAnAgentAreNoAnswer(t *testing.T) {
	marked := func(kind, text string) string {
		return `{"sessionUpdate":"agent_message_chunk","_meta":{"claudeCode":{"kind":"` + kind + `","level":"warning"}},"content":{"type":"text","text":"` + text + `"}}`
	}
	const answer = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The answer"}}`
	f, err := Fold(strings.NewReader(turnOf(t, marked("informational", "A hook failed."), marked("informational", "Another one did."), answer, marked("mcpServerStatus", "No server."),
		answer, `{"sessionUpdate":"notice","severity":"warning","title":"Fast mode turned off","description":"Not available."}`, `{"sessionUpdate":"notice","title":"Only a title"}`)))
	if err != nil {
		t.Fatal(err)
	}
	m := f.Messages[1]
	var got []string
	for _, s := range m.Segments {
		got = append(got, s.Author+": "+s.Text)
	}
	want := "notice: A hook failed.|notice: Another one did.|: The answer|notice: No server.|: The answer|notice: Fast mode turned off: Not available.|notice: Only a title"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if got := m.Content(); got != "The answerThe answer" {
		t.Errorf("its content is %q", got)
	}
}

// TestCallIDUsedAgainIsAnotherCall checks that a reused id is shown as another call, and a repeated report is not.
func TestCallIDUsedAgainIsAnotherCall(t *testing.T) {
	call := func(kind, id, title, status, more string) string {
		return `{"sessionUpdate":"` + kind + `","toolCallId":"` + id + `","title":"` + title + `","kind":"execute","status":"` + status + `"` + more + `}`
	}
	input := func(command string) string { return `,"rawInput":{"command":"` + command + `"}` }
	output := func(text string) string {
		return `,"content":[{"type":"content","content":{"type":"text","text":"` + text + `"}}]`
	}
	ask := func(n, id, title, more string) string {
		return `{"jsonrpc":"2.0","id":` + n + `,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"` + id + `","title":"` + title + `","kind":"execute"` + more +
			`},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}`
	}
	answer := func(n, option string) string {
		return `answer {"jsonrpc":"2.0","id":` + n + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`
	}
	const done = `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`
	rm, ls := call("tool_call", "c", "rm -rf build", "pending", input("rm -rf build")), call("tool_call", "c", "ls", "pending", input("ls"))
	for name, c := range map[string]struct {
		sent []string
		want []string // how each call is shown
	}{
		"refused, then another one allowed": {
			[]string{rm, ask("7", "c", "rm -rf build", ""), answer("7", "no"), ls, ask("8", "c", "ls", ""), answer("8", "yes"), done},
			[]string{"rm -rf build [rejected]", "ls"},
		},
		"known by their requests alone": {
			[]string{ask("7", "c", "rm -rf build", input("rm -rf build")), answer("7", "no"), ask("8", "c", "ls", input("ls")), answer("8", "yes"), done},
			[]string{"rm -rf build [rejected]", "ls"},
		},
		"asked twice about the same": {
			[]string{ask("7", "c", "ls", ""), answer("7", "no"), ask("8", "c", "ls", ""), answer("8", "yes"), done},
			[]string{"ls [rejected]", "ls"},
		},
		"completed, then another one":         {[]string{rm, done, ls, done}, []string{"rm -rf build", "ls"}},
		"told by their titles alone":          {[]string{call("tool_call", "c", "One", "pending", ""), done, call("tool_call", "c", "Two", "pending", ""), done}, []string{"One", "Two"}},
		"three of them":                       {[]string{rm, done, ls, done, rm, done}, []string{"rm -rf build", "ls", "rm -rf build"}},
		"the same, done again":                {[]string{ls, done, call("tool_call", "c", "ls", "in_progress", input("ls")), done}, []string{"ls", "ls"}},
		"the same, announced and done again":  {[]string{ls, done, ls, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"}`, done}, []string{"ls", "ls"}},
		"its input is written anew":           {[]string{ls, done, call("tool_call", "c", "ls", "pending", `,"rawInput":{}`), `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"pwd","rawInput":{"command":"pwd"}}`, done}, []string{"ls", "pwd"}},
		"reported whole":                      {[]string{call("tool_call", "c", "ls", "completed", input("ls")+output("a")), call("tool_call", "c", "ls", "completed", input("ls -a")+output("b"))}, []string{"ls", "ls"}},
		"continued without being announced":   {[]string{rm, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`, call("tool_call_update", "c", "ls", "in_progress", input("ls")), done}, []string{"rm -rf build [failed]", "ls"}},
		"an id that looks like one of Weft's": {[]string{ls, done, rm, done, call("tool_call", "c~2", "pwd", "pending", input("pwd")), `{"sessionUpdate":"tool_call_update","toolCallId":"c~2","status":"completed"}`}, []string{"ls", "rm -rf build", "pwd"}},

		"one that is repeated":                {[]string{ls, done, ls, done}, []string{"ls"}},
		"one that is repeated with its end":   {[]string{ls, done, call("tool_call", "c", "ls", "completed", input("ls")), done}, []string{"ls"}},
		"one that is repeated after a reject": {[]string{call("tool_call_update", "c", "ls", "pending", input("ls")), ask("7", "c", "ls", input("ls")), answer("7", "no"), `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`, ls, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`}, []string{"ls [rejected]"}},
		"one that is repeated with the title it had first": {
			[]string{call("tool_call", "c", "bash", "pending", `,"rawInput":{}`), call("tool_call_update", "c", "ls", "in_progress", input("ls")), done, call("tool_call", "c", "bash", "pending", input("ls")), done},
			[]string{"bash"},
		},
		"one that is repeated without its input": {[]string{ls, done, call("tool_call", "c", "ls", "pending", "")}, []string{"ls"}},
		"one that is announced twice":            {[]string{call("tool_call", "c", "bash", "pending", ""), ls, done}, []string{"ls"}},
		"one that is announced once permitted":   {[]string{ask("7", "c", "Run it", ""), answer("7", "yes"), ls, done}, []string{"ls"}},
		"late output": {
			[]string{ls, done, `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"ls, done"` + output("a") + `}`},
			[]string{"ls, done"},
		},
	} {
		got := folded(t, c.sent...)
		for _, want := range c.want {
			before, after, found := strings.Cut(got, "execute "+want)
			if !found {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
			got = before + after
		}
		if strings.Contains(got, "execute ") {
			t.Errorf("%s: more than %q:\n%s", name, c.want, got)
		}
	}
}

package recording

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// turnOf is a recording of one turn in which the agent sends these messages: an update, or, with a method, that.
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

// TestWordsForTheStatusOfACall: a call whose agent has other words for its status is shown as what they say, and with what else is said of it.
func TestWordsForTheStatusOfACall(t *testing.T) {
	for word, want := range map[string]string{
		"success": "completed", "done": "completed", "COMPLETED": "completed", "error": "failed", "failure": "failed", "canceled": "cancelled", "denied": "failed",
		"running": "cancelled", "": "cancelled", "dancing": "cancelled", // it has not ended with its turn
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

// TestMessagesOfAnAgentStayApart: what belongs to another message of the agent doesn't continue what came before it.
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

// pieces are the lines of a transcript of one message, without its header.
func pieces(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")[1:]
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "|")
}

// TestNoticesOfAnAgentAreNoAnswer: what an agent marks as a notice stands for itself, in whatever form it comes, and is no part of what it answers.
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

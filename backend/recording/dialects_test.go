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

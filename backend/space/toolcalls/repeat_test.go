package toolcalls

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

func TestRepeatedCallEndsAsItsResultSays(t *testing.T) {
	t.Parallel()
	if p := Repeated("call", jsontext.Value(`{"ok":true}`), nil); p.ID != "call" || *p.Status != transcript.StatusCompleted || string(p.Output) != `{"ok":true}` || p.Error != nil {
		t.Errorf("%+v", p)
	}
	if p := Repeated("call", nil, errors.New("no route to host")); *p.Status != transcript.StatusFailed || *p.Error != "no route to host" {
		t.Errorf("%+v", p)
	}
}

// The agent gets the tool's name and as much of the result as fits, without splitting a character.
func TestRepeatedNoticeContainsTheResult(t *testing.T) {
	t.Parallel()
	if text := RepeatedNotice(&transcript.ToolCall{Name: "deploy", Title: "Deploy it"}, jsontext.Value(`"done"`)); !strings.Contains(text, "I ran deploy again") || !strings.HasSuffix(text, `"done"`) {
		t.Error(text)
	}
	for i := range 4 {
		long := jsontext.Value(`"` + strings.Repeat("x", i) + strings.Repeat("€", maxRepeated) + `"`)
		text := RepeatedNotice(&transcript.ToolCall{Title: "Deploy it"}, long)
		if !utf8.ValidString(text) || len(text) > maxRepeated+200 || !strings.HasPrefix(text, "I ran Deploy it again") || !strings.HasSuffix(text, "€ … (cut)") {
			t.Errorf("%d bytes, valid: %t, ends with %q", len(text), utf8.ValidString(text), text[len(text)-20:])
		}
	}
}

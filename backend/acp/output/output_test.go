package output

import (
	"fmt"
	"testing"

	"weft/backend/conversation/transcript"
)

func TestCallsAreForgotten(t *testing.T) {
	var s Seen
	for i := range 10 * maxCalls {
		s.Report("s", &transcript.ToolPatch{ID: fmt.Sprint(i)}, []byte(`{"terminal_output":{"terminal_id":"x","data":"text"}}`))
	}
	if len(s.calls) != maxCalls || len(s.order) != maxCalls {
		t.Errorf("%d calls are remembered", len(s.calls))
	}
	for i := range 10 * maxTerminals {
		s.Report("s", &transcript.ToolPatch{ID: "last"}, fmt.Appendf(nil, `{"terminal_output":{"terminal_id":"%d","data":"text"}}`, i))
	}
	if n := len(s.calls[key{"s", "last"}].terminals); n != maxTerminals {
		t.Errorf("%d terminals of a call are remembered", n)
	}
}

// TestCallAnnouncedAgainStartsWithEmptyOutput: what an earlier call with its id has printed is not taken for the beginning of its output.
func TestCallAnnouncedAgainStartsWithEmptyOutput(t *testing.T) {
	var s Seen
	ended := transcript.StatusCompleted
	say := func(p transcript.ToolPatch, data string) string {
		p.ID = "t"
		return s.Report("s", &p, fmt.Appendf(nil, `{"terminal_output":{"terminal_id":"x","data":%q}}`, data))
	}
	var got []string
	for _, data := range []string{"one\n", "one\ntwo\n"} {
		got = append(got, say(transcript.ToolPatch{}, data))
	}
	got = append(got, say(transcript.ToolPatch{Status: &ended}, "one\ntwo\nthree\n"), say(transcript.ToolPatch{}, "one\ntwo\nthree\nlate\n"))
	s.Report("s", &transcript.ToolPatch{ID: "t", Announced: true}, nil)
	for _, data := range []string{"one\ntwo\nthree\nlate\n", "one\ntwo\nthree\nlate\nfour\n"} {
		got = append(got, say(transcript.ToolPatch{}, data))
	}
	if fmt.Sprintf("%q", got) != `["one\n" "two\n" "three\n" "late\n" "one\ntwo\nthree\nlate\n" "four\n"]` {
		t.Errorf("got %q", got)
	}
}

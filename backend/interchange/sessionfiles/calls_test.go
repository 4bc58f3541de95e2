package sessionfiles_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// started takes the calls that are written.
type started struct{ calls []string }

func (s *started) Begin(sessionfiles.Path) (*sessionfiles.Known, error) { return nil, nil }
func (s *started) End(string, sessionfiles.Known) error                 { return nil }
func (s *started) Add(p sessionfiles.Piece) error {
	for _, body := range p.Bodies {
		switch b := body.(type) {
		case *transcript.ToolCallStart:
			s.calls = append(s.calls, b.ToolCallID+" "+string(b.Status)+" "+string(b.Input))
		case *transcript.ToolCallEnd:
			s.calls = append(s.calls, b.ToolCallID+" "+string(b.Status))
		}
	}
	return nil
}

// TestCallIDUsedAgainInAFileIsAnotherCall: models that number their calls begin at 0 in each request.
func TestCallIDUsedAgainInAFileIsAnotherCall(t *testing.T) {
	var s started
	w := sessionfiles.NewWriter(&s, "test", transcript.Author{Kind: "agent"}, 1<<40, nil)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Begin(sessionfiles.Path{Key: "k"}))
	must(w.Entry([]byte("e"), 1))
	must(w.Turn("e", ""))
	running, done, kind := transcript.StatusRunning, transcript.StatusCompleted, "execute"
	for _, input := range []string{`{"command":"rm -rf build"}`, `{"command":"ls"}`, `{"command":"ls"}`} { // the file repeats the last
		w.Call(transcript.ToolPatch{ID: "call_0", Announced: true, Kind: &kind, Status: &running, Input: jsontext.Value(input)})
		if !w.Result("call_0") {
			t.Fatal("there is no call for the result")
		}
		w.Call(transcript.ToolPatch{ID: "call_0", Status: &done})
	}
	must(w.Flush())
	must(w.Close())
	want := []string{`call_0 running {"command":"rm -rf build"}`, "call_0 completed", `call_0~2 running {"command":"ls"}`, "call_0~2 completed"}
	if !slices.Equal(s.calls, want) {
		t.Errorf("got %q", s.calls)
	}
}

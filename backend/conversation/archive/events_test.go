package archive

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
)

// randomBody returns a random event of a call.
func randomBody(r *rand.Rand, at transcript.At, n int) transcript.Body {
	texts := []string{"a", "naïve ", "日本語", "👩‍👩‍👧‍👦", "\n", "\"q\"", "\x00", strings.Repeat("long ", 3000)}
	text := func() string { return texts[r.IntN(len(texts))] }
	status := []transcript.Status{"pending", "running", "waiting", "completed", "failed", "cancelled", "rejected"}[r.IntN(7)]
	ref := &transcript.Ref{Hash: strings.Repeat("ab", 32), Size: 9, Mime: "text/plain"}
	value := jsontext.Value([]string{`{"a":[1,2]}`, `"o"`, `{}`, `[]`}[r.IntN(4)])
	terminal := fmt.Sprint("x", r.IntN(3))
	count, code, short := r.IntN(5), r.IntN(3), "s"
	switch r.IntN(16) {
	case 0:
		return &transcript.ToolInputDelta{At: at, Delta: text()}
	case 1:
		return &transcript.ToolOutputDelta{At: at, Delta: text()}
	case 2:
		return &transcript.ToolOutputDelta{At: at, Delta: text(), TerminalID: terminal, Offset: int64(r.IntN(4))}
	case 3:
		return &transcript.TerminalStart{At: at, TerminalID: terminal, Command: short, StartedAt: int64(n)}
	case 4:
		return &transcript.TerminalEnd{At: at, TerminalID: terminal, TerminalExit: transcript.TerminalExit{Code: &code}, Size: 7, Ref: ref}
	case 5:
		return &transcript.ToolCallUpdate{At: at, Title: &short, Status: &status, Content: &[]transcript.Content{{Type: "text", Text: short}, {Type: "diff", Path: "p", OldText: "a", NewText: "b", Added: 1, Removed: 1}}}
	case 6:
		return &transcript.ToolCallUpdate{At: at, Input: value, OutputRef: ref, Visibility: []string{"", "hidden", "full"}[r.IntN(3)]}
	case 7:
		return &transcript.ToolCallUpdate{At: at, Status: &status, Drawn: jsontext.Value(`{"n":1}`)}
	case 8:
		return &transcript.ToolCallUpdate{At: at, Summary: &short, ResultCount: []*int{nil, &count}[r.IntN(2)]}
	case 9:
		return &transcript.ToolCallUpdate{At: at, Error: &short, Exit: &transcript.TerminalExit{Signal: "SIGTERM"}}
	case 10:
		running := transcript.StatusRunning
		return &transcript.ToolCallUpdate{At: at, Status: &running, StartedAt: int64(n)}
	case 11:
		return &transcript.ToolCallEnd{At: at, Status: []transcript.Status{"completed", "cancelled", "rejected"}[r.IntN(3)], Summary: short, ResultCount: &count, DurationMs: int64(n), Output: value, WasRetried: r.IntN(2) == 0}
	case 12:
		return &transcript.ToolCallError{At: at, Error: short, Retryable: r.IntN(2) == 0, WasRetried: r.IntN(2) == 0, Reported: []transcript.Status{"", "completed"}[r.IntN(2)], DurationMs: int64(n), OutputRef: ref}
	case 13:
		return &transcript.PermissionRequest{At: at, RequestID: fmt.Sprint("q", n), Options: []transcript.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}, ReadingRef: ref}
	case 14:
		return &transcript.PermissionResolved{At: at, RequestID: fmt.Sprint("q", n-1-r.IntN(3)), Outcome: "selected", OptionID: "y", Status: status, By: &transcript.By{Who: "rule", Effect: "allow"}}
	}
	return &transcript.ToolCallUpdate{At: at, ParentToolCallID: &short, LocationsRef: ref}
}

// The events made from any call recreate it.
func TestCallIsMadeAgainByItsEvents(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &transcript.Message{ID: "m", CreatedAt: 5}
	for i := range uint64(raced.Of(5_000)) {
		r := rand.New(rand.NewPCG(seed, i))
		at := transcript.At{MessageID: "m"}
		var want transcript.ToolCall
		transcript.ApplyToCall(&want, 100, &transcript.ToolCallStart{At: at, ToolCallID: "c", ToolName: "Read", Kind: "read", Status: "pending", Title: "Read"})
		for n := range 1 + r.IntN(12) {
			transcript.ApplyToCall(&want, int64(100+n), randomBody(r, at, 100+n))
		}
		want.StartedAt = max(want.StartedAt, 1)
		var have transcript.ToolCall
		for _, e := range Item(m, 0, 0, &transcript.Item{Type: transcript.ItemToolCall, Call: &want}) {
			raw, err := e.JSON()
			if err != nil || len(raw) > transcript.MaxEvent {
				t.Fatalf("seed %d, case %d: an event of %d bytes, %v", seed, i, len(raw), err)
			}
			back, err := transcript.ParseEvent(raw)
			if err != nil {
				t.Fatal(err)
			}
			transcript.ApplyToCall(&have, back.At, back.Body)
		}
		if a, b := plain(t, want), plain(t, have); !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d, case %d:\nwant %s\nhave %s", seed, i, a, b)
		}
	}
}

func plain(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, lenient, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestThoughtKeepsItsTimes(t *testing.T) {
	for _, text := range []string{"a", "日本", strings.Repeat("word ", 5000)} {
		for _, ended := range []int64{10, 25} {
			m := &transcript.Message{ID: "m", CreatedAt: 5}
			want := &transcript.Item{Type: transcript.ItemThought, Text: text, StartedAt: 10, EndedAt: ended, ParentToolCallID: "p"}
			var conv transcript.Conversation
			for i, e := range append(Begin(m), Item(m, 0, 0, want)...) {
				e.Epoch, e.Seq = 1, int64(i+1)
				if err := conv.Apply(&e); err != nil {
					t.Fatal(err)
				}
			}
			if have := conv.Messages[0].Segments[0].Items[0]; !reflect.DeepEqual(have, want) {
				t.Errorf("%d bytes, ended at %d: %+v", len(text), ended, have)
			}
		}
	}
}

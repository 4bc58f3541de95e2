package store

import (
	"context"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
)

// A page opened while the input of a call is streamed has the input so far, which later events continue. It has no
// streamed input once the complete input has arrived or the call has ended.
func TestSnapshotHasStreamedInputOfOpenCall(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	call := at("m", 0, 0)
	add(t, s, id, start("m"), &transcript.ToolCallStart{At: call, ToolCallID: "t", Kind: "edit", Status: transcript.StatusPending})
	look := func() (text string, seq int64, epoch int64) {
		t.Helper()
		snap, err := s.Pages.Snapshot(ctx, id, 10)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Page.Messages[0].Segments[0].Items[0].Call.InputText, snap.Seq, snap.Epoch
	}
	piece := `{"content":"` + strings.Repeat("größe ", 800)
	var all strings.Builder
	for i := range 100 {
		all.WriteString(piece)
		add(t, s, id, &transcript.ToolInputDelta{At: call, ToolCallID: "t", Delta: piece})
		if i%30 != 0 {
			continue
		}
		if err := s.Events.Flush(ctx, id); err != nil {
			t.Fatal(err)
		}
		text, seq, epoch := look()
		since, _, err := s.Events.Since(id, epoch, seq)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range since {
			text += e.Body.(*transcript.ToolInputDelta).Delta
		}
		if text != all.String() {
			t.Fatalf("after %d pieces: %d bytes, want %d", i+1, len(text), all.Len())
		}
	}
	for all.Len() <= 1<<20 {
		all.WriteString(piece)
		add(t, s, id, &transcript.ToolInputDelta{At: call, ToolCallID: "t", Delta: piece})
	}
	if err := s.Events.Flush(ctx, id); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := look(); text != "" {
		t.Errorf("%d bytes of an input without its beginning", len(text))
	}
	add(t, s, id, &transcript.ToolCallUpdate{At: call, ToolCallID: "t", Input: []byte(`{"content":"x"}`)},
		&transcript.ToolInputDelta{At: call, ToolCallID: "t", Delta: "{"})
	if err := s.Events.Flush(ctx, id); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := look(); text != "{" {
		t.Errorf("after the whole input: %q", text)
	}
	add(t, s, id, &transcript.ToolCallEnd{At: call, ToolCallID: "t", Status: transcript.StatusCompleted})
	if err := s.Events.Flush(ctx, id); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := look(); text != "" {
		t.Errorf("of a call that has ended: %q", text)
	}
}

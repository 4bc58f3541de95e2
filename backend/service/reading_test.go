package service

import (
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/store/events"
	"weft/backend/transcript"
)

// A page shows what has just been said and tells at which event, so that a reader can continue it without a hole or a word twice.
func TestAPageStandsAtTheLastEvent(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	sp, err := s.CreateSpace(t.Context(), CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.store.Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1, Bodies: []transcript.Body{
		&transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent"}},
		&transcript.TextDelta{MessageID: "m", Content: "in one "},
		&transcript.TextDelta{MessageID: "m", Content: "go"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	last := events[len(events)-1]
	for _, req := range []PageRequest{{SpaceID: sp.ID}, {SpaceID: sp.ID, After: &Cursor{Ord: 1}}} {
		page, err := s.Page(t.Context(), req)
		if err != nil || page.Epoch != last.Epoch || page.Seq != last.Seq {
			t.Fatalf("the page stands at %d/%d, want %d/%d (%v)", page.Epoch, page.Seq, last.Epoch, last.Seq, err)
		}
		if n := len(page.Messages); n != 1 || page.Messages[0].Segments[0].Text != "in one go" {
			t.Errorf("%d messages: %+v", n, page.Messages)
		}
	}
}

package conversation_test

import (
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
)

// A page has the latest text and the position of its last event, so a reader continues without gaps or duplicates.
func TestPageIsAtTheLastEvent(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1, Bodies: []transcript.Body{
		&transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent"}},
		&transcript.TextDelta{MessageID: "m", Content: "in one "},
		&transcript.TextDelta{MessageID: "m", Content: "go"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	last := events[len(events)-1]
	for _, req := range []conversation.PageRequest{{SpaceID: sp.ID}, {SpaceID: sp.ID, After: &conversation.Cursor{Ord: 1}}} {
		page, err := servicetest.Call[conversation.Page](t, s, "Page", req)
		if err != nil || page.Epoch != last.Epoch || page.Seq != last.Seq {
			t.Fatalf("the page is at %d/%d, want %d/%d (%v)", page.Epoch, page.Seq, last.Epoch, last.Seq, err)
		}
		if n := len(page.Messages); n != 1 || page.Messages[0].Segments[0].Text != "in one go" {
			t.Errorf("%d messages: %+v", n, page.Messages)
		}
	}
}

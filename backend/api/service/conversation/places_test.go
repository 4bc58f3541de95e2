package conversation_test

import (
	"fmt"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/find"
	"weft/backend/store/pages"
)

// What was just said is found and outlined at once, and the page around a hit has it.
func TestPlacesHaveWhatWasJustSaid(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	bodies := []transcript.Body{
		&transcript.MessageStart{MessageID: "u", Role: transcript.RoleUser}, &transcript.TextDelta{MessageID: "u", Content: "Find it"},
		&transcript.MessageEnd{MessageID: "u"}, &transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent},
	}
	for i := range 30 {
		p := transcript.At{MessageID: "m", Segment: 2*i + 1}
		bodies = append(bodies, &transcript.TextDelta{MessageID: "m", Segment: 2 * i, Content: fmt.Sprint("Line ", i)},
			&transcript.ToolCallStart{At: p, ToolCallID: fmt.Sprint(i), Title: fmt.Sprint("Read ", i), Kind: "read", Status: transcript.StatusRunning})
	}
	if _, err := s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1, Bodies: bodies}); err != nil {
		t.Fatal(err)
	}
	found, err := servicetest.Call[find.Page](t, s, "FindInSpace", conversation.FindInSpaceRequest{SpaceID: sp.ID, Query: "READ 17", Limit: 10})
	if err != nil || len(found.Hits) != 1 || found.Next != nil || found.Open != 2 {
		t.Fatalf("found: %+v, %v", found, err)
	}
	hit := found.Hits[0]
	page, err := servicetest.Call[conversation.Page](t, s, "Page", conversation.PageRequest{
		SpaceID: sp.ID, Around: &conversation.Around{MessageID: hit.MessageID, Segment: hit.Segment}, Limit: 10,
	})
	if err != nil || len(page.Messages) != 1 || page.Messages[0].FirstSegment != hit.Segment-5 || !page.HasBefore || !page.HasAfter {
		t.Errorf("the page: %+v, %v", page, err)
	}
	outline, err := servicetest.Call[pages.Outline](t, s, "Outline", conversation.OutlineRequest{SpaceID: sp.ID})
	if err != nil || len(outline.Entries) != 1 || outline.Entries[0].Text != "Find it" || outline.Open != 2 {
		t.Errorf("the outline: %+v, %v", outline, err)
	}
	if _, err := servicetest.Call[find.Page](t, s, "FindInSpace", conversation.FindInSpaceRequest{SpaceID: "none", Query: "x", Limit: 10}); err == nil {
		t.Error("a search of a space that there is not")
	}
}

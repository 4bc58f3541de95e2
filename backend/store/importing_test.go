package store

import (
	"fmt"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/spaces"
)

// said returns the steps that import a message in pieces.
func said(spaceID, id, text string, pieces int) (steps []ImportStep) {
	add := func(bodies ...transcript.Body) {
		steps = append(steps, ImportPiece{SpaceID: spaceID, Imported: Imported{ID: id, At: 5, Output: transcript.Output{Bodies: bodies}}})
	}
	add(&transcript.MessageStart{MessageID: id, Role: transcript.RoleUser, Author: transcript.Author{Kind: "person"}})
	for i := range pieces {
		add(&transcript.TextDelta{MessageID: id, Segment: i, Content: fmt.Sprint(text, i)})
	}
	add(&transcript.MessageEnd{MessageID: id})
	return steps
}

// TestImportedSpacesAreShownWhenTheyAreComplete stores each step in a separate transaction.
func TestImportedSpacesAreShownWhenTheyAreComplete(t *testing.T) {
	s, _, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	im := s.Importing()
	space := func(id string) spaces.Space {
		return spaces.Space{ID: id, Title: id, Folder: "/", AgentID: "a", AgentName: "A", ImportedFrom: "claude", CreatedAt: 3, LastActivity: 3}
	}
	record := func(path string) ImportRecord {
		return ImportRecord{Program: "claude", Session: "s", Path: path, Entries: 2, Sum: 1 << 63}
	}
	session := func(id string) spaces.Session {
		return spaces.Session{SpaceID: id, AgentID: "a", SessionID: "acp", Cwd: "/"}
	}
	steps := []ImportStep{ImportBegin{Space: space("root")}}
	steps = append(steps, said("root", "m1", "one", 3)...)
	steps = append(steps, said("root", "m2", "two", 2)...)
	steps = append(steps, ImportEnd{SpaceID: "root", Title: "Root", Record: record("p1"), Session: session("root"), Meta: map[string]string{"k": "v"}})
	steps = append(steps, ImportBegin{Space: space("branch"), From: Branch{SpaceID: "root", MessageID: "m1"}})
	steps = append(steps, said("branch", "m3", "three", 1)...)
	for _, step := range steps {
		if err := im.Store(t.Context(), []ImportStep{step}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Spaces.Get(t.Context(), "branch"); CodeOf(err) != CodeNotFound {
			t.Fatalf("the branch is shown before its end: %v", err)
		}
	}
	if err := im.Store(t.Context(), []ImportStep{ImportEnd{SpaceID: "branch", Title: "Branch", Record: record("p2"), Session: session("branch")}}); err != nil {
		t.Fatal(err)
	}
	sp, err := s.Spaces.Get(t.Context(), "branch")
	if err != nil || sp.Title != "Branch" || sp.Parent != "root" || sp.Shared != 1 || sp.ParentMessage != "m1" || sp.ImportedFrom != "claude" || sp.CreatedAt != 3 || sp.LastActivity != 5 {
		t.Errorf("%+v, %v", sp, err)
	}
	text := ""
	for m, err := range s.Pages.Messages(t.Context(), "branch") {
		if err != nil {
			t.Fatal(err)
		}
		text += m.ID + ":" + m.Content() + " "
	}
	if text != "m1:one0one1one2 m3:three0 " {
		t.Errorf("it has %q", text)
	}
	// The agent continues the conversation with the branch.
	for id, want := range map[string]bool{"root": false, "branch": true} {
		if _, ok, err := s.Sessions.Last(t.Context(), id, "", "a"); ok != want || err != nil {
			t.Errorf("%s has the session: %t, %v", id, ok, err)
		}
	}
	list, err := s.ImportedSpaces(t.Context(), "claude", "s")
	if err != nil || len(list) != 2 || list[0].SpaceID != "root" || list[0].Messages != 2 || list[1].ImportRecord != record("p2") {
		t.Errorf("%+v, %v", list, err)
	}
	// A space whose import hasn't ended is deleted.
	if err := im.Store(t.Context(), append([]ImportStep{ImportBegin{Space: space("half")}}, said("half", "m", "x", 4)...)); err != nil {
		t.Fatal(err)
	}
	if err := im.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	deleted, err := s.Spaces.List(t.Context(), spaces.Filter{Deleted: true})
	all, err2 := s.Spaces.List(t.Context(), spaces.Filter{})
	if err != nil || err2 != nil || len(deleted) != 0 || len(all) != 2 {
		t.Errorf("%d deleted, %d shown, %v, %v", len(deleted), len(all), err, err2)
	}
}

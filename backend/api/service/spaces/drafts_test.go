package spaces_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
)

func TestDraftsAreKeptWithWhatGoesAlong(t *testing.T) {
	dir := t.TempDir()
	s := servicetest.Open(t, dir)
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]spaces.SaveDraftRequest{
		"text":        {SpaceID: sp.ID, Text: "half a thought\n😀"},
		"odd text":    {SpaceID: sp.ID, Text: "a\x00b\r\n\u2028\u202e"},
		"attachments": {SpaceID: sp.ID, Parts: []spaces.DraftPart{{Path: "a/b.go", Name: "a/b.go", Kind: "text"}, {Hash: strings.Repeat("a", 64), Name: "x.png", Size: 3, Kind: "image"}}},
		"the form": {Text: "Build it", Start: &spaces.DraftStart{
			AgentID: "guide", Folder: "/home", Members: []spaces.MemberInput{{AgentID: "guide", Role: "Reviews."}}, Worktree: true, Branch: "b",
		}},
		"set aside":      {SpaceID: sp.ID, Text: "new", Aside: []string{"old, changed", "a\x00\u2028"}},
		"nothing chosen": {Text: "x", Start: &spaces.DraftStart{}},
		"nothing":        {SpaceID: sp.ID},
	} {
		if _, err := servicetest.Call[spaces.Draft](t, s, "SaveDraft", req); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := servicetest.Call[spaces.Draft](t, s, "Draft", ref.SpaceRef{SpaceID: req.SpaceID})
		want := spaces.Draft{Text: req.Text, Parts: append([]spaces.DraftPart{}, req.Parts...), Start: req.Start, Aside: req.Aside, EditedAt: got.EditedAt}
		if name == "nothing chosen" {
			want.Start = nil
		}
		if err != nil || got.EditedAt == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestBadDraftsAreRefusedAndNothingIsLost(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := servicetest.Call[spaces.Draft](t, s, "SaveDraft", spaces.SaveDraftRequest{SpaceID: sp.ID, Text: strings.Repeat("x", spaces.MaxDraft)}); err != nil {
		t.Errorf("as long as it may be: %v", err)
	}
	for name, refused := range map[string]struct {
		req  spaces.SaveDraftRequest
		code string
	}{
		"too long":             {spaces.SaveDraftRequest{SpaceID: sp.ID, Text: strings.Repeat("x", spaces.MaxDraft+1)}, "too_large"},
		"too many attachments": {spaces.SaveDraftRequest{SpaceID: sp.ID, Parts: make([]spaces.DraftPart, 21)}, fault.Invalid},
		"names like novels":    {spaces.SaveDraftRequest{SpaceID: sp.ID, Parts: []spaces.DraftPart{{Name: strings.Repeat("x", 70_000)}}}, "too_large"},
		"no such space":        {spaces.SaveDraftRequest{SpaceID: "gone", Text: "x"}, fault.NotFound},
	} {
		if _, err := servicetest.Call[spaces.Draft](t, s, "SaveDraft", refused.req); fault.CodeOf(err) != refused.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := servicetest.Call[spaces.Draft](t, s, "Draft", ref.SpaceRef{SpaceID: sp.ID}); err != nil || len(got.Text) != spaces.MaxDraft {
		t.Errorf("%d bytes are left, %v", len(got.Text), err)
	}
}

// An attachment of a draft survives a restart; one without a draft is deleted.
func TestAttachmentsOfDraftsOutliveAStart(t *testing.T) {
	dir := t.TempDir()
	open := func() *service.Service {
		s, err := service.Open(t.Context(), servicetest.Options(dir))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	hashes := []string{}
	for _, text := range []string{"kept", "dropped"} {
		a, err := s.Attachments().Upload(t.Context(), sp.ID, text+".txt", bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, a.Hash)
	}
	if _, err := servicetest.Call[spaces.Draft](t, s, "SaveDraft", spaces.SaveDraftRequest{SpaceID: sp.ID, Parts: []spaces.DraftPart{{Hash: hashes[0], Name: "kept.txt", Kind: "text"}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close(context.Background())
	if _, _, err := s.Store().Blobs.Bytes(t.Context(), hashes[0]); err != nil {
		t.Errorf("the attachment of a draft is gone: %v", err)
	}
	if _, _, err := s.Store().Blobs.Bytes(t.Context(), hashes[1]); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an attachment of nothing is kept: %v", err)
	}
}

package spaces_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/store/relay"
	stored "weft/backend/store/spaces"
)

func space(t *testing.T, s *service.Service, req spaces.CreateSpaceRequest) spaces.Space {
	t.Helper()
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", req)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func tagsOf(t *testing.T, s *service.Service, id string) []string {
	t.Helper()
	list, err := servicetest.Call[[]spaces.Space](t, s, "ListSpaces", spaces.ListSpacesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(sp spaces.Space) bool { return sp.ID == id })
	if i < 0 {
		t.Fatalf("space %s is not listed", id)
	}
	return list[i].Tags
}

func TestRemovedTagCanComeBack(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	a, b := space(t, s, spaces.CreateSpaceRequest{NoFolder: true}), space(t, s, spaces.CreateSpaceRequest{NoFolder: true})
	view, err := servicetest.Call[spaces.SpaceOrder](t, s, "SaveTag", spaces.Tag{Name: "  Next \n release ", Tone: 3})
	if err != nil || len(view.Tags) != 1 || view.Tags[0].Name != "Next release" {
		t.Fatalf("%+v, %v", view, err)
	}
	tag := view.Tags[0]
	if _, err := servicetest.Call[command.None](t, s, "TagSpaces", spaces.TagSpacesRequest{SpaceIDs: []string{a.ID, b.ID}, Add: []string{tag.ID}}); err != nil {
		t.Fatal(err)
	}
	removed, err := servicetest.Call[spaces.RemovedTag](t, s, "RemoveTag", spaces.TagRef{TagID: tag.ID})
	if err != nil || len(removed.SpaceIDs) != 2 || len(removed.Order.Tags) != 0 {
		t.Fatalf("%+v, %v", removed, err)
	}
	if _, err := servicetest.Call[spaces.SpaceOrder](t, s, "SaveTag", tag); err != nil {
		t.Fatal(err)
	}
	if _, err := servicetest.Call[command.None](t, s, "TagSpaces", spaces.TagSpacesRequest{SpaceIDs: removed.SpaceIDs, Add: []string{tag.ID}}); err != nil {
		t.Fatal(err)
	}
	if got := tagsOf(t, s, a.ID); !slices.Equal(got, []string{tag.ID}) {
		t.Errorf("tags: %v", got)
	}
}

func TestBadOrderIsRefusedWithASentence(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	many := slices.Repeat([]string{"x"}, 10_001)
	for name, refused := range map[string]struct {
		command string
		request any
		code    string
	}{
		"a tag without a name":        {"SaveTag", spaces.Tag{Name: " \t", Tone: 1}, fault.Invalid},
		"a long name":                 {"SaveTag", spaces.Tag{Name: strings.Repeat("ä", 41), Tone: 1}, fault.Invalid},
		"a name that is not seen":     {"SaveTag", spaces.Tag{Name: "\u200d\u0301", Tone: 1}, fault.Invalid},
		"a name that turns around":    {"SaveTag", spaces.Tag{Name: "a\u202eb", Tone: 1}, fault.Invalid},
		"a name with a NUL":           {"SaveTag", spaces.Tag{Name: "a\x00b", Tone: 1}, fault.Invalid},
		"a color that there isn't":    {"SaveTag", spaces.Tag{Name: "x", Tone: 9}, fault.Invalid},
		"an id with spaces":           {"SaveTag", spaces.Tag{ID: "a b", Name: "x", Tone: 1}, fault.Invalid},
		"no such tag":                 {"RemoveTag", spaces.TagRef{TagID: "gone"}, fault.NotFound},
		"a tag that isn't there":      {"TagSpaces", spaces.TagSpacesRequest{SpaceIDs: []string{"a"}, Add: []string{"gone"}}, fault.NotFound},
		"too many spaces to tag":      {"TagSpaces", spaces.TagSpacesRequest{SpaceIDs: many}, fault.Invalid},
		"too many spaces to pin":      {"PinSpaces", spaces.PinSpacesRequest{SpaceIDs: many, Pinned: true}, fault.Invalid},
		"too many projects":           {"OrderProjects", spaces.OrderProjectsRequest{Projects: many}, fault.Invalid},
		"a project that is no folder": {"OrderProjects", spaces.OrderProjectsRequest{Projects: []string{strings.Repeat("x", 5000)}}, fault.Invalid},
		"a space made by the wind":    {"CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, MadeBy: "wind"}, fault.Invalid},
	} {
		if _, err := servicetest.Call[map[string]any](t, s, refused.command, refused.request); fault.CodeOf(err) != refused.code || !strings.HasSuffix(err.Error(), ".") && !strings.Contains(err.Error(), ". ") && !strings.HasSuffix(err.Error(), ").") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{strings.Repeat("ä", 40), "🧵", "👩‍💻", "日本", "नमस्ते"} {
		if _, err := servicetest.Call[spaces.SpaceOrder](t, s, "SaveTag", spaces.Tag{Name: name, Tone: 8}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPinsAndProjectsAreOrdered(t *testing.T) {
	dir := t.TempDir()
	s := servicetest.Open(t, dir)
	a, b, c := space(t, s, spaces.CreateSpaceRequest{NoFolder: true}).ID, space(t, s, spaces.CreateSpaceRequest{NoFolder: true}).ID, space(t, s, spaces.CreateSpaceRequest{NoFolder: true}).ID
	for _, step := range []struct {
		req  spaces.PinSpacesRequest
		want []string
	}{
		{spaces.PinSpacesRequest{SpaceIDs: []string{a, b}, Pinned: true}, []string{a, b}},
		{spaces.PinSpacesRequest{SpaceIDs: []string{c}, Pinned: true, Before: b}, []string{a, c, b}},
		{spaces.PinSpacesRequest{SpaceIDs: []string{a}, Pinned: true}, []string{c, b, a}},
		{spaces.PinSpacesRequest{SpaceIDs: []string{b, "gone"}}, []string{c, a}},
	} {
		if view, err := servicetest.Call[spaces.SpaceOrder](t, s, "PinSpaces", step.req); err != nil || !slices.Equal(view.Pins, step.want) {
			t.Fatalf("%+v: %v, %v, want %v", step.req, view.Pins, err, step.want)
		}
	}
	want := []string{"/b", "/a"}
	if view, err := servicetest.Call[spaces.SpaceOrder](t, s, "OrderProjects", spaces.OrderProjectsRequest{Projects: want}); err != nil || !slices.Equal(view.Projects, want) {
		t.Errorf("%+v, %v", view, err)
	}
	boot, err := servicetest.Call[service.Bootstrap](t, s, "Bootstrap", nil)
	if err != nil || !slices.Equal(boot.Order.Pins, []string{c, a}) || !slices.Equal(boot.Order.Projects, want) {
		t.Errorf("%+v, %v", boot.Order, err)
	}
}

func TestMakerOfASpaceIsKept(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	sp := space(t, s, spaces.CreateSpaceRequest{NoFolder: true, MadeBy: "agent"})
	if sp.MadeBy != "agent" {
		t.Errorf("made by %q", sp.MadeBy)
	}
	kept, err := servicetest.Call[spaces.Space](t, s, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: sp.ID, Keep: true})
	if err != nil || kept.MadeBy != "user" {
		t.Errorf("made by %q, %v", kept.MadeBy, err)
	}
	if sp := space(t, s, spaces.CreateSpaceRequest{NoFolder: true}); sp.MadeBy != "user" {
		t.Errorf("made by %q", sp.MadeBy)
	}
}

// Spaces of older databases and imports have no project yet: it is looked up, and told.
func TestProjectIsLookedUpWhereItIsMissing(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "loom", "src")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "init", "-q", filepath.Join(dir, "loom"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := filepath.EvalSymlinks(filepath.Join(dir, "loom"))
	if err != nil {
		t.Fatal(err)
	}
	s := servicetest.Open(t, dir)
	events := s.Relay().Subscribe(relay.AppTopic)
	defer events.Close()
	for _, id := range []string{"first", "later"} {
		if _, err := s.Store().Spaces.Create(t.Context(), stored.Space{ID: id, Title: id, Folder: folder, AgentID: "guide", AgentName: "Guide"}); err != nil {
			t.Fatal(err)
		}
		if list, err := servicetest.Call[[]spaces.Space](t, s, "ListSpaces", spaces.ListSpacesRequest{}); err != nil || list[0].Project == "" {
			t.Fatalf("%+v, %v", list, err)
		}
		for found := false; !found; {
			batch, err := events.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range batch.Raw {
				found = found || strings.Contains(string(raw), `"project":"`+want+`"`) && strings.Contains(string(raw), `"id":"`+id+`"`)
			}
		}
	}
}

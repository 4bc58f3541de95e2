package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// TestPinsKeepTheirOrder pins, moves and unpins at random, and compares the result with a plain list.
func TestPinsKeepTheirOrder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	ids := []string{"a", "b", "c", "d", "e", "f"}
	for _, id := range ids {
		newSpace(t, s, id)
	}
	r := rand.New(rand.NewPCG(13, 1))
	want := []string{}
	for step := range 400 {
		some := []string{}
		for range 1 + r.IntN(3) {
			if id := ids[r.IntN(len(ids))]; !slices.Contains(some, id) {
				some = append(some, id)
			}
		}
		var got []string
		var err error
		what := fmt.Sprintf("step %d: unpin %v", step, some)
		without := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(some, id) })
		if r.IntN(3) == 0 {
			want = without
			got, err = s.Order.Unpin(ctx, some)
		} else {
			before := append(slices.Clone(ids), "", "gone")[r.IntN(len(ids)+2)]
			what = fmt.Sprintf("step %d: pin %v before %q", step, some, before)
			at := slices.Index(without, before)
			if at < 0 {
				at = len(without)
			}
			want = slices.Insert(without, at, some...)
			got, err = s.Order.Pin(ctx, append(some, "gone"), before)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	if _, err := s.Order.Pin(ctx, ids, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Spaces.Delete(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.PurgeSpace(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, dir)
	if got, err := s.Order.Pins(ctx); err != nil || strings.Join(got, "") != "adef" {
		t.Errorf("after a start: %v %v", got, err)
	}
	if _, err := s.Spaces.Restore(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Order.Pins(ctx); err != nil || strings.Join(got, "") != "abdef" {
		t.Errorf("a restored space lost its pin: %v %v", got, err)
	}
}

func TestTagsAreUniqueAndLeaveWithTheirSpaces(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	for _, id := range []string{"a", "b", "c"} {
		newSpace(t, s, id)
	}
	red, err := s.Tags.Save(ctx, spaces.Tag{Name: "Release", Tone: 1})
	if err != nil {
		t.Fatal(err)
	}
	blue, err := s.Tags.Save(ctx, spaces.Tag{Name: "Später", Tone: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tags.Save(ctx, spaces.Tag{Name: "SPÄTER", Tone: 3}); CodeOf(err) != db.CodeConflict {
		t.Errorf("a name in another case: %v", err)
	}
	if _, err := s.Tags.Save(ctx, spaces.Tag{ID: blue.ID, Name: "später", Tone: 4}); err != nil {
		t.Errorf("its own name in another case: %v", err)
	}
	changed, err := s.Tags.Set(ctx, []string{"a", "b", "gone"}, []string{red.ID, blue.ID}, nil)
	if err != nil || !slices.Equal(changed, []string{"a", "b"}) {
		t.Errorf("set: %v %v", changed, err)
	}
	if changed, err := s.Tags.Set(ctx, []string{"a", "c"}, []string{red.ID}, []string{blue.ID}); err != nil || !slices.Equal(changed, []string{"c", "a"}) {
		t.Errorf("set again: %v %v", changed, err)
	}
	if _, err := s.Tags.Set(ctx, []string{"c"}, []string{blue.ID, "gone"}, nil); CodeOf(err) != CodeNotFound {
		t.Errorf("a tag that does not exist: %v", err)
	}
	tagsOf := func(id string) string {
		t.Helper()
		sp, err := s.Spaces.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer(red.ID, "red", blue.ID, "blue").Replace(strings.Join(sp.Tags, " "))
	}
	if got := []string{tagsOf("a"), tagsOf("b"), tagsOf("c")}; !slices.Equal(got, []string{"red", "red blue", "red"}) {
		t.Errorf("tags: %v", got)
	}
	branch, err := s.BranchSpace(ctx, Branch{SpaceID: "b"})
	if err != nil || len(branch.Tags) != 2 {
		t.Errorf("the branch has %v, %v", branch.Tags, err)
	}
	if err := s.PurgeSpace(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	had, err := s.Tags.Remove(ctx, red.ID)
	if err != nil || !slices.Equal(had, []string{"a", "b", branch.ID}) {
		t.Errorf("it was on %v, %v", had, err)
	}
	if _, err := s.Tags.Remove(ctx, red.ID); CodeOf(err) != CodeNotFound {
		t.Errorf("removed twice: %v", err)
	}
	if got := tagsOf("b"); got != "blue" {
		t.Errorf("tags: %v", got)
	}
	for n := range spaces.MaxTags {
		if _, err = s.Tags.Save(ctx, spaces.Tag{Name: fmt.Sprint("tag ", n), Tone: 1}); err != nil {
			break
		}
	}
	if CodeOf(err) != "too_many" {
		t.Errorf("the %d. tag: %v", spaces.MaxTags+1, err)
	}
}

func TestEditOfTheDraftThatIsSavedWins(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	save := func(text string, ago, over int64) spaces.Draft {
		t.Helper()
		got, _, err := s.Drafts.Save(ctx, spaces.Draft{SpaceID: "a", Text: text}, ago, over)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	sent := save("", 0, 0)
	// This edit seems older, because the previous request took longer.
	if got := save("next", 1000, 0); got.Text != "" {
		t.Errorf("an older edit of something else was saved: %q", got.Text)
	}
	next := save("next", 1000, sent.EditedAt)
	if next.Text != "next" || next.EditedAt <= sent.EditedAt {
		t.Errorf("%q at %d, which was an edit of what was saved at %d", next.Text, next.EditedAt, sent.EditedAt)
	}
	if got := save("of what is gone", 1000, sent.EditedAt); got.Text != "next" {
		t.Errorf("an older edit of an older draft was saved: %q", got.Text)
	}
}

func TestLastEditOfADraftWins(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	newSpace(t, s, "a")
	save := func(d spaces.Draft, ago int64, wantText string, wantTurned bool) {
		t.Helper()
		got, turned, err := s.Drafts.Save(ctx, d, ago, 0)
		if err != nil || got.Text != wantText || turned != wantTurned {
			t.Errorf("save %+v: %+v %v %v, want %q %v", d, got, turned, err, wantText, wantTurned)
		}
		sp, err := s.Spaces.Get(ctx, "a")
		if stored, _ := s.Drafts.Get(ctx, "a"); err != nil || sp.Draft != stored.Filled() {
			t.Errorf("the space says %v, %v", sp.Draft, err)
		}
	}
	const minute = 60_000
	save(spaces.Draft{SpaceID: "a", Text: "of an earlier version"}, 1<<60, "of an earlier version", true)
	save(spaces.Draft{SpaceID: "a", Text: "one"}, 2*minute, "one", false)
	save(spaces.Draft{SpaceID: "a", Text: "two"}, minute, "two", false)
	save(spaces.Draft{SpaceID: "a", Text: "of an older edit"}, 3*minute, "two", false)
	save(spaces.Draft{SpaceID: "a", Text: "of an earlier version"}, 1<<60, "two", false)
	save(spaces.Draft{SpaceID: "a", More: []byte("{}")}, 0, "", false)
	save(spaces.Draft{SpaceID: "a"}, 0, "", true)
	save(spaces.Draft{SpaceID: "a", Text: "of an older edit"}, minute, "", false)
	save(spaces.Draft{SpaceID: "a", Text: "of the future"}, -minute, "of the future", true)
	save(spaces.Draft{SpaceID: "a", Text: "three"}, 0, "three", false)
	if _, _, err := s.Drafts.Save(ctx, spaces.Draft{Text: "in the form"}, 0, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Drafts.Save(ctx, spaces.Draft{SpaceID: "gone", Text: "x"}, 0, 0); CodeOf(err) != CodeNotFound {
		t.Errorf("of no space: %v", err)
	}
	branch, err := s.BranchSpace(ctx, Branch{SpaceID: "a"})
	if err != nil || branch.Draft {
		t.Errorf("the draft was copied: %v, %v", branch.Draft, err)
	}
	if err := s.Spaces.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, dir)
	if sp, err := s.Spaces.Restore(ctx, "a"); err != nil || !sp.Draft {
		t.Errorf("a restored space lost its draft: %v", err)
	}
	if d, err := s.Drafts.Get(ctx, "a"); err != nil || d.Text != "three" {
		t.Errorf("after a start: %+v %v", d, err)
	}
	if d, err := s.Drafts.Get(ctx, ""); err != nil || d.Text != "in the form" {
		t.Errorf("the form after a start: %+v %v", d, err)
	}
	if err := s.PurgeSpace(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	newSpace(t, s, "b") // may get the sid of the purged one
	if d, err := s.Drafts.Get(ctx, "b"); err != nil || d.Filled() {
		t.Errorf("the draft of a purged space is in another one: %+v %v", d, err)
	}
}

func TestProjectsOfFolders(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	for _, id := range []string{"a", "b", "c"} {
		newSpace(t, s, id)
	}
	other := "/home/y"
	if _, err := s.Spaces.Update(ctx, "c", spaces.Change{Folder: &other}); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Spaces.SetProject(ctx, "/home/x", "/home"); err != nil || !slices.Equal(changed, []string{"a", "b"}) {
		t.Errorf("changed: %v %v", changed, err)
	}
	if changed, err := s.Spaces.SetProject(ctx, "/home/x", "/home"); err != nil || len(changed) > 0 {
		t.Errorf("changed again: %v %v", changed, err)
	}
	if sp, err := s.Spaces.Update(ctx, "b", spaces.Change{Folder: &other}); err != nil || sp.Project != "" {
		t.Errorf("in another folder it is in %q, %v", sp.Project, err)
	}
	folders, err := s.Spaces.Folders(ctx)
	if err != nil || len(folders) != 2 || folders["/home/x"] != "/home" || folders["/home/y"] != "" {
		t.Errorf("folders: %v %v", folders, err)
	}
	if err := s.Order.SetProjects(ctx, []string{"/b", "/a", "/b", ""}); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Order.Projects(ctx); err != nil || !slices.Equal(list, []string{"/b", "/a", ""}) {
		t.Errorf("order: %q %v", list, err)
	}
}

// TestSpacesAreListedInTwoParts reads the first spaces and then the others, which together are all spaces.
func TestSpacesAreListedInTwoParts(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	for n := range 40 {
		sp := spaces.Space{ID: fmt.Sprint("s", n), Title: "x", Folder: "/", LastActivity: int64(1 + n/5), Archived: n%7 == 0}
		if _, err := s.Spaces.Create(ctx, sp); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Spaces.List(ctx, spaces.Filter{})
	if err != nil || len(all) != 34 {
		t.Fatalf("%d spaces, %v", len(all), err)
	}
	for limit := 1; limit < 40; limit++ {
		first, err := s.Spaces.List(ctx, spaces.Filter{Limit: limit})
		if err != nil || len(first) != min(limit, len(all)) {
			t.Fatalf("limit %d: %d spaces, %v", limit, len(first), err)
		}
		rest, err := s.Spaces.List(ctx, spaces.Filter{Until: first[len(first)-1].LastActivity})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, sp := range append(first, rest...) {
			if len(sp.Members) != 1 || i < len(first) && sp.ID != all[i].ID {
				t.Fatalf("limit %d: space %d is %s with %d members", limit, i, sp.ID, len(sp.Members))
			}
			seen[sp.ID] = true
		}
		if len(seen) != len(all) {
			t.Errorf("limit %d: %d spaces in both parts", limit, len(seen))
		}
	}
	if got, err := s.Spaces.List(ctx, spaces.Filter{Query: "x", Limit: 3}); err != nil || len(got) != 3 {
		t.Errorf("with words: %d, %v", len(got), err)
	}
}

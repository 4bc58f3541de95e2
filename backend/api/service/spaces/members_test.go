package spaces_test

import (
	"path/filepath"
	"testing"

	"weft/backend/api/service/ref"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
)

// Invalid members are refused with a sentence, presets are saved, and a space without a folder gets a new one.
func TestMembers(t *testing.T) {
	dir := t.TempDir()
	s := servicetest.Open(t, dir)
	team := []spaces.MemberInput{{AgentID: "guide"}, {AgentID: "guide", Role: " Reviews. "}, {Name: "Größe_2", AgentID: "guide", Speaks: "tool", Reads: "joined"}}
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Members: team})
	if err != nil {
		t.Fatal(err)
	}
	if len(sp.Members) != 3 || !sp.Members[0].Default || sp.Members[0].ID != "main" || sp.Members[1].Name == sp.Members[0].Name || sp.Members[1].Role != "Reviews." || sp.Members[2].Speaks != "tool" {
		t.Errorf("%+v", sp.Members)
	}
	if !sp.NoFolder || filepath.Dir(sp.Folder) != filepath.Join(dir, "data", "spaces") {
		t.Errorf("the folder is %s", sp.Folder)
	}
	for name, list := range map[string][]spaces.MemberInput{
		"two of one name":   {{Name: "A", AgentID: "guide"}, {Name: "a", AgentID: "guide"}},
		"a name of words":   {{Name: "A B", AgentID: "guide"}},
		"no such agent":     {{Name: "A", AgentID: "nobody"}},
		"speaks otherwise":  {{Name: "A", AgentID: "guide", Speaks: "loud"}},
		"reads otherwise":   {{Name: "A", AgentID: "guide", Reads: "some"}},
		"a role of a novel": {{Name: "A", AgentID: "guide", Role: string(make([]byte, 9000)) + "x"}},
	} {
		if _, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Members: list}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if list, err := servicetest.Call[[]spaces.MemberPreset](t, s, "SaveMemberPreset", spaces.MemberPreset{Name: "Review", Members: team}); err != nil || len(list) != 1 || len(list[0].Members) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := servicetest.Call[[]spaces.MemberPreset](t, s, "SaveMemberPreset", spaces.MemberPreset{Name: "review", Members: team[:1]}); err != nil || len(list) != 1 || len(list[0].Members) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := servicetest.Call[[]spaces.MemberPreset](t, s, "RemoveMemberPreset", spaces.MemberPresetRef{Name: "REVIEW"}); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	for range 2 {
		if sp, err = servicetest.Call[spaces.Space](t, s, "RemoveMember", ref.MemberRef{SpaceID: sp.ID, MemberID: sp.Members[0].ID}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := servicetest.Call[spaces.Space](t, s, "RemoveMember", ref.MemberRef{SpaceID: sp.ID, MemberID: sp.Members[0].ID}); err == nil {
		t.Error("the last member could be removed")
	}
}

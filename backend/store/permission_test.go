package store

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"weft/backend/transcript"
)

func TestPermissionRules(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	a := PermissionRule{ID: "a", Effect: "allow", Scope: "everywhere", Command: "git status", Enabled: true}
	b := PermissionRule{ID: "b", Effect: "reject", Scope: "folder", Folder: "/x", Kind: "edit", Path: "src/**", AgentID: "robin"}
	if err := s.PutPermissionRules(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if err := s.AddDecision(t.Context(), Decision{At: 7, By: "rule", RuleID: "a", Outcome: "allowed"}); err != nil {
		t.Fatal(err)
	}
	a.Command, a.Used = "git log", 99
	if err := s.PutPermissionRules(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	bad := PermissionRule{ID: "c", Effect: "perhaps", Scope: "everywhere"}
	if err := s.PutPermissionRules(t.Context(), PermissionRule{ID: "d", Effect: "allow", Scope: "everywhere"}, bad); err == nil {
		t.Error("a rule that is none was stored")
	}
	closeStore(t, s)
	s = open(t, dir, Options{})
	list, err := s.PermissionRules(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	b.CreatedAt = list[0].CreatedAt
	if !reflect.DeepEqual(list[0], b) || list[1].Command != "git log" || list[1].Used != 1 || list[1].LastUsed != 7 {
		t.Errorf("%+v", list)
	}
	if err := s.RemovePermissionRule(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if err := s.RemovePermissionRule(t.Context(), "a"); !errors.Is(err, &Error{Code: CodeNotFound}) {
		t.Errorf("twice: %v", err)
	}
}

func TestDecisionsAreBoundedSearchedAndPaged(t *testing.T) {
	s := open(t, t.TempDir(), Options{MaxDecisions: 50})
	sp, err := s.CreateSpace(t.Context(), Space{Title: "Apples", Folder: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	var batch []Decision
	for i := range 120 {
		outcome := "allowed"
		if i%10 == 0 {
			outcome = "refused"
		}
		batch = append(batch, Decision{At: int64(i), SpaceID: sp.ID, AgentName: "Robin", Kind: "execute", Title: "t", About: fmt.Sprintf("Make STEP-%d Ünter", i), Outcome: outcome, By: "person"})
	}
	batch = append(batch, Decision{SpaceID: "gone", About: strings.Repeat("é", 1<<16) + "\x00\xff", Outcome: "lost", By: "lost"})
	// In the transaction of the events that tell them.
	body := &transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent}
	if _, err := s.Append(t.Context(), Append{SpaceID: sp.ID, At: 1, Bodies: []transcript.Body{body}, Decisions: batch}); err != nil {
		t.Fatal(err)
	}
	about := func(f DecisionFilter) (out []string, more bool) {
		list, more, err := s.Decisions(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			out = append(out, d.About)
			if d.SpaceID == sp.ID && d.Space != "Apples" {
				t.Errorf("the space is called %q", d.Space)
			}
		}
		return out, more
	}
	all, more := about(DecisionFilter{Limit: 500})
	if len(all) != 50 || more || all[49] != "Make STEP-71 Ünter" || len(all[0]) > maxDecisionAbout+8 {
		t.Errorf("%d are kept, more %v, the oldest %q", len(all), more, all[len(all)-1])
	}
	if got, more := about(DecisionFilter{Query: "ünter step-8", Outcome: "refused", Limit: 5}); len(got) != 1 || more {
		t.Errorf("found %q, more %v", got, more)
	}
	if got, more := about(DecisionFilter{SpaceID: sp.ID, Limit: 10}); len(got) != 10 || !more || got[0] != "Make STEP-119 Ünter" {
		t.Errorf("of the space: %q, more %v", got, more)
	}
	list, _, err := s.Decisions(t.Context(), DecisionFilter{SpaceID: sp.ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got, more := about(DecisionFilter{SpaceID: sp.ID, Limit: 100, Before: list[9].N}); len(got) != 39 || more || got[0] != "Make STEP-109 Ünter" {
		t.Errorf("the next page has %d, more %v: %q", len(got), more, got[:1])
	}
	if got, _ := about(DecisionFilter{SpaceID: "gone", Limit: 10}); len(got) != 1 || strings.Contains(got[0], "\x00") {
		t.Errorf("of a space that is gone: %d", len(got))
	}
}

// TestOldDatabasesGetPermissions opens a database as the first version made it.
func TestOldDatabasesGetPermissions(t *testing.T) {
	dir := t.TempDir()
	all := migrations
	migrations = migrations[:1]
	c, err := dial((&Store{dir: dir}).path(), "rwc")
	if err == nil {
		err = errors.Join(applyMigrations(c, migrations, 0),
			c.exec("INSERT INTO space (id, title, folder, agent_id, agent_name, created_at, last_activity, epoch) VALUES ('old', 'Old', '/x', 'a', 'A', 1, 1, 5)"), c.close())
	}
	migrations = all
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	sp, err := s.Space(t.Context(), "old")
	if err != nil || sp.Permissions != "rules" {
		t.Errorf("%+v, %v", sp, err)
	}
	mode := "read-only"
	if sp, err = s.UpdateSpace(t.Context(), "old", SpaceChange{Permissions: &mode}); err != nil || sp.Permissions != mode {
		t.Errorf("%+v, %v", sp, err)
	}
}

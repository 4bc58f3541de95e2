package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/permissions"
	"weft/backend/store/schema"
	"weft/backend/store/spaces"
)

func TestRulesAreStoredCountedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	a := permissions.Rule{ID: "a", Effect: "allow", Scope: "everywhere", Command: "git status", Enabled: true}
	b := permissions.Rule{ID: "b", Effect: "reject", Scope: "folder", Folder: "/x", Kind: "edit", Path: "src/**", AgentID: "robin"}
	if err := s.Rules.Put(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Change(t.Context(), "record", func(c *db.Conn) error {
		return permissions.Record(c, []permissions.Decision{{At: 7, By: "rule", RuleID: "a", Outcome: "allowed"}}, 0)
	}); err != nil {
		t.Fatal(err)
	}
	a.Command, a.Used = "git log", 99
	if err := s.Rules.Put(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	bad := permissions.Rule{ID: "c", Effect: "perhaps", Scope: "everywhere"}
	if err := s.Rules.Put(t.Context(), permissions.Rule{ID: "d", Effect: "allow", Scope: "everywhere"}, bad); err == nil {
		t.Error("a rule that is none was stored")
	}
	closeStore(t, s)
	s = open(t, dir, Options{})
	list, err := s.Rules.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	b.CreatedAt = list[0].CreatedAt
	if !reflect.DeepEqual(list[0], b) || list[1].Command != "git log" || list[1].Used != 1 || list[1].LastUsed != 7 {
		t.Errorf("%+v", list)
	}
	if err := s.Rules.Remove(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if err := s.Rules.Remove(t.Context(), "a"); !errors.Is(err, &Error{Code: CodeNotFound}) {
		t.Errorf("twice: %v", err)
	}
}

func TestDecisionsAreBoundedSearchedAndPaged(t *testing.T) {
	s := open(t, t.TempDir(), Options{MaxDecisions: 50})
	sp, err := s.Spaces.Create(t.Context(), spaces.Space{Title: "Apples", Folder: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	var batch []permissions.Decision
	for i := range 120 {
		outcome := "allowed"
		if i%10 == 0 {
			outcome = "refused"
		}
		batch = append(batch, permissions.Decision{At: int64(i), SpaceID: sp.ID, AgentName: "Robin", Kind: "execute", Title: "t", About: fmt.Sprintf("Make STEP-%d Ünter", i), Outcome: outcome, By: "person"})
	}
	batch = append(batch, permissions.Decision{SpaceID: "gone", About: strings.Repeat("é", 1<<16) + "\x00\xff", Outcome: "lost", By: "lost"})
	// They are stored in the same transaction as their events.
	body := &transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent}
	if _, err := s.Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1, Bodies: []transcript.Body{body}, Decisions: batch}); err != nil {
		t.Fatal(err)
	}
	about := func(f permissions.Filter) (out []string, more bool) {
		list, more, err := s.Decisions.List(t.Context(), f)
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
	all, more := about(permissions.Filter{Limit: 500})
	if len(all) != 50 || more || all[49] != "Make STEP-71 Ünter" || len(all[0]) > 4<<10+8 {
		t.Errorf("%d are kept, more %v, the oldest %q", len(all), more, all[len(all)-1])
	}
	if got, more := about(permissions.Filter{Query: "ünter step-8", Outcome: "refused", Limit: 5}); len(got) != 1 || more {
		t.Errorf("found %q, more %v", got, more)
	}
	if got, more := about(permissions.Filter{SpaceID: sp.ID, Limit: 10}); len(got) != 10 || !more || got[0] != "Make STEP-119 Ünter" {
		t.Errorf("of the space: %q, more %v", got, more)
	}
	list, _, err := s.Decisions.List(t.Context(), permissions.Filter{SpaceID: sp.ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got, more := about(permissions.Filter{SpaceID: sp.ID, Limit: 100, Before: list[9].N}); len(got) != 39 || more || got[0] != "Make STEP-109 Ünter" {
		t.Errorf("the next page has %d, more %v: %q", len(got), more, got[:1])
	}
	if got, _ := about(permissions.Filter{SpaceID: "gone", Limit: 10}); len(got) != 1 || strings.Contains(got[0], "\x00") {
		t.Errorf("of a deleted space: %d", len(got))
	}
}

// TestDatabaseOfFirstVersionIsMigrated opens a database that the first version created.
func TestDatabaseOfFirstVersionIsMigrated(t *testing.T) {
	dir := t.TempDir()
	c, err := db.Dial(filepath.Join(dir, "weft.db"), db.Create)
	if err == nil {
		err = errors.Join(schema.Apply(c, schema.Migrations()[:1], 0),
			c.Exec("INSERT INTO space (id, title, folder, agent_id, agent_name, created_at, last_activity, epoch) VALUES ('old', 'Old', '/x', 'a', 'A', 1, 1, 5)"), c.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	sp, err := s.Spaces.Get(t.Context(), "old")
	if err != nil || sp.Permissions != "rules" {
		t.Errorf("%+v, %v", sp, err)
	}
	mode := "read-only"
	if sp, err = s.Spaces.Update(t.Context(), "old", spaces.Change{Permissions: &mode}); err != nil || sp.Permissions != mode {
		t.Errorf("%+v, %v", sp, err)
	}
}

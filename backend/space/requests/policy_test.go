package requests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
)

// spaceWith is the folder of a space with a file, and where it is.
func spaceWith(t *testing.T) permission.Place {
	t.Helper()
	at := permission.Place{SpaceID: "s", Folder: t.TempDir(), AgentID: "a"}
	if err := os.WriteFile(filepath.Join(at.Folder, "a.txt"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// operation makes the request for an operation of Weft's on a path, or with a command.
func operation(at permission.Place, kind, what string) *Permission {
	o := &Operation{Action: actions.Action{Kind: kind}, Call: permission.Call{Kind: kind, Title: "Do it"}}
	if kind == actions.Execute {
		o.Runs = []actions.Run{{Command: actions.CommandKey(what, nil), Dir: at.Folder}}
		o.Call.Input, _ = json.Marshal(map[string]string{"command": what})
	} else {
		path := actions.Path(at.Folder, what)
		o.Files, o.Call.Paths = []string{path}, []string{path}
	}
	if kind == actions.Edit {
		o.Changes = []actions.Change{{Path: o.Files[0], Old: "one", New: "two"}}
		o.Call.Diffs = o.Files
	}
	a := &Permission{Options: ownOptions, Call: o.Call, Operation: o, Action: &o.Action}
	a.Describe(at)
	return a
}

// request makes the same as a request of the agent's own.
func request(at permission.Place, kind, what string) *Permission {
	a := operation(at, kind, what)
	a.ID, a.Operation = "ask", nil
	return a
}

// verdict is how a request ends, in a word.
func verdict(r transcript.Resolution, ok bool) string {
	switch {
	case !ok:
		return "asked"
	case Refused(r) == nil:
		return "allowed by " + r.By.Who
	}
	return "refused by " + r.By.Who
}

// The table of decision 0017.
func TestRequestsAreDecidedByModeAndTrust(t *testing.T) {
	t.Parallel()
	at := spaceWith(t)
	const ask, rules, readOnly = permission.AskAlways, permission.FollowRules, permission.ReadOnly
	for _, c := range []struct {
		a     func() *Permission
		mode  permission.Mode
		trust string
		want  string
	}{
		{func() *Permission { return operation(at, actions.Read, "a.txt") }, ask, "", "asked"},
		{func() *Permission { return operation(at, actions.Read, "a.txt") }, rules, "", "allowed by default"},
		{func() *Permission { return operation(at, actions.Read, "a.txt") }, readOnly, "", "allowed by default"},
		{func() *Permission { return operation(at, actions.Read, "/etc/passwd") }, ask, "", "allowed by default"}, // and is not read
		{func() *Permission { return operation(at, actions.Edit, "a.txt") }, ask, "Yolo", "asked"},
		{func() *Permission { return operation(at, actions.Edit, "a.txt") }, rules, "", "asked"},
		{func() *Permission { return operation(at, actions.Edit, "a.txt") }, rules, "Yolo", "allowed by agent_mode"},
		{func() *Permission { return operation(at, actions.Edit, ".git/config") }, rules, "Yolo", "asked"},
		{func() *Permission { return operation(at, actions.Edit, "/etc/passwd") }, rules, "Yolo", "asked"},
		{func() *Permission { return operation(at, actions.Edit, "a.txt") }, readOnly, "Yolo", "refused by mode"},
		{func() *Permission { return operation(at, actions.Execute, "make") }, ask, "Yolo", "asked"},
		{func() *Permission { return operation(at, actions.Execute, "make") }, rules, "", "asked"},
		{func() *Permission { return operation(at, actions.Execute, "make") }, rules, "Yolo", "allowed by agent_mode"},
		{func() *Permission { return operation(at, actions.Execute, "make") }, readOnly, "Yolo", "refused by mode"},
		{func() *Permission { return request(at, actions.Edit, "a.txt") }, rules, "Yolo", "asked"},
		{func() *Permission { return request(at, actions.Edit, "a.txt") }, readOnly, "", "refused by mode"},
		{func() *Permission { return request(at, actions.Read, "a.txt") }, rules, "", "asked"},
	} {
		p := &Policy{Place: at, Rules: permission.NewSet(nil), Mode: c.mode, SpaceMode: c.mode, Trusts: func(string) string { return c.trust }}
		a := c.a()
		if got := verdict(p.Judge(a)); got != c.want {
			t.Errorf("%s %v with %s %q: %s, want %s", a.Call.Kind, a.Call.Paths, c.mode, c.trust, got, c.want)
		}
	}
}

// Whatever was answered before and however the agent is trusted: the mode and the rules come first, no change is
// allowed unless someone allowed it, and an answer of the turn is used once.
func TestPolicyAllowsNothingByItself(t *testing.T) {
	t.Parallel()
	at := spaceWith(t)
	allowed, asBefore := 0, 0
	for n := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
		some := func() *Permission {
			kind := pick(actions.Edit, actions.Execute)
			what := pick("a.txt", "b.txt")
			if kind == actions.Execute {
				what = pick("make", "rm a.txt")
			}
			if rnd.IntN(2) == 0 {
				return request(at, kind, what)
			}
			return operation(at, kind, what)
		}
		answers, yes := &actions.Answers{}, 0
		for range rnd.IntN(3) {
			a := some()
			r, _ := a.Answered(permission.Effect(pick(string(permission.Allow), string(permission.Reject))), nil)
			if answer, ok := a.Answer(r); ok {
				answers.Remember(answer)
				if answer.Allow {
					yes++
				}
			}
		}
		mode := []permission.Mode{permission.FollowRules, permission.AskAlways, permission.ReadOnly}[rnd.IntN(3)]
		p := &Policy{Place: at, Rules: permission.NewSet(nil), Mode: mode, SpaceMode: mode, Answers: answers, Trusts: func(string) string { return "" }}
		if rnd.IntN(4) == 0 {
			p.Answers = nil
		}
		said := 0
		for range 1 + rnd.IntN(4) {
			a := some()
			r, ok := p.Judge(a)
			why := fmt.Sprintf("seed %d, case %d: %s %s with %s: %s", *seedFlag, n, a.Call.Kind, a.About.About(), mode, verdict(r, ok))
			switch {
			case mode == permission.ReadOnly:
				if !ok || r.By.Who != "mode" || Refused(r) == nil {
					t.Fatal(why)
				}
			case ok:
				asBefore++
				if p.Answers == nil || r.By.Who != "answered" {
					t.Fatal(why)
				}
				if r.By.Effect == string(permission.Allow) {
					allowed, said = allowed+1, said+1
				}
			}
		}
		if said > yes {
			t.Fatalf("seed %d, case %d: %d were allowed after %d yes", *seedFlag, n, said, yes)
		}
	}
	if allowed < 100 || asBefore < 200 {
		t.Errorf("only %d were allowed, %d answered as before", allowed, asBefore)
	}
}

func TestDecisionNamesWhoDecided(t *testing.T) {
	t.Parallel()
	p := &Policy{SpaceMode: permission.FollowRules, AskedBy: "Reviewer"}
	rule := &permission.Rule{ID: "r", Kind: "edit", Path: "a.txt"}
	if by := p.By(permission.Decision{Verdict: permission.Rejected, Rule: rule}); by.Who != "rule" || by.RuleID != "r" || by.Path != "a.txt" || by.Effect != "reject" {
		t.Errorf("%+v", by)
	}
	if by := p.By(permission.Decision{Verdict: permission.Rejected, Mode: permission.FollowRules}); by.Who != "mode" || by.AskedBy != "" {
		t.Errorf("%+v", by)
	}
	if by := p.By(permission.Decision{Verdict: permission.Rejected, Mode: permission.ReadOnly}); by.AskedBy != "Reviewer" {
		t.Errorf("%+v", by)
	}
}

// An allowed operation isn't carried out if the file, the rules or the mode have changed since.
func TestAllowedOperationIsCheckedAgain(t *testing.T) {
	t.Parallel()
	at := spaceWith(t)
	a := operation(at, actions.Edit, "a.txt")
	p := &Policy{Place: at, Rules: permission.NewSet(nil), Mode: permission.FollowRules}
	if err := p.Still(a, false); err != nil {
		t.Error(err)
	}
	if err := p.Still(a, true); err == nil {
		t.Error("a file with another text is written")
	}
	p.Mode = permission.ReadOnly
	if err := p.Still(a, false); err == nil {
		t.Error("a file is written in a space that is read-only by now")
	}
	p.Mode = permission.FollowRules
	if err := os.Remove(filepath.Join(at.Folder, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(at.Folder, "a.txt")); err != nil {
		t.Skip(err)
	}
	if err := p.Still(a, false); err == nil {
		t.Error("a link that has taken the place of the file is written through")
	}
}

// The history says how each request ended, and by whom.
func TestHistoryOfRequests(t *testing.T) {
	t.Parallel()
	a := &Permission{
		Options: []transcript.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}, {ID: "n", Name: "No", Kind: "reject_always"}, {ID: "o", Name: "Other", Kind: "later"}},
		Call:    permission.Call{Title: "Do it", Kind: "execute", Input: jsontext.Value(`{"command":"make"}`)},
	}
	a.Describe(permission.Place{Folder: t.TempDir()})
	selected := func(id string, by *transcript.By) transcript.Resolution {
		return transcript.Resolution{Outcome: "selected", OptionID: id, By: by}
	}
	for _, c := range []struct {
		how                       transcript.Resolution
		outcome, by, option, rule string
	}{
		{selected("y", nil), "allowed", "person", "Yes", ""},
		{selected("n", nil), "refused", "person", "No", ""},
		{selected("o", nil), "answered", "person", "Other", ""},
		{transcript.Resolution{Outcome: "cancelled"}, "cancelled", "person", "", ""},
		{selected("y", &transcript.By{Who: "rule", Effect: "allow", RuleID: "r", Kind: "execute", Command: "make"}), "allowed", "rule", "Yes", permission.Rule{Kind: "execute", Command: "make"}.About()},
		{transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "mode", Effect: "reject", Mode: "read"}}, "refused", "mode", "", "read"},
		{selected("y", &transcript.By{Who: "agent_mode", Effect: "allow", Mode: "Yolo"}), "allowed", "agentMode", "Yes", "Yolo"},
		{selected("y", &transcript.By{Who: "answered", Effect: "allow"}), "allowed", "answered", "Yes", ""},
		{selected("y", &transcript.By{Who: "own", Effect: "allow"}), "allowed", "own", "Yes", ""},
		{Withdrawn, "cancelled", "agent", "", ""},
		{Stopped, "cancelled", "cancelled", "", ""},
		{Exited, "lost", "lost", "", ""},
		{Shut, "lost", "lost", "", ""},
		{transcript.Resolution{Outcome: transcript.OutcomeUnasked, By: &transcript.By{Who: "mode", Effect: "reject", Mode: "read"}}, "unasked", "mode", "", "read"},
	} {
		d := a.Decision(c.how)
		if d.Outcome != c.outcome || d.By != c.by || d.Option != c.option || d.Rule != c.rule || d.About != "make" || d.Title != "Do it" {
			t.Errorf("%+v is kept as %+v", c.how, d)
		}
	}
}

// Open requests are listed in the order in which they came, and operations that wait are bounded.
func TestOpenPermissions(t *testing.T) {
	t.Parallel()
	var p openPermissions
	for i := range 50 {
		p.Add(&Permission{ID: fmt.Sprint(99 - i), Tool: fmt.Sprint("call", i)})
	}
	for i := range 50 {
		if i%2 == 0 {
			p.End(p.Get(fmt.Sprint(99-i)), Stopped)
		}
	}
	list := p.List()
	for i, a := range list {
		if a.ID != fmt.Sprint(98-2*i) || !p.IsOpen(a) {
			t.Fatalf("request %d is %s", i, a.ID)
		}
	}
	if p.Len() != 25 || p.AsksAbout("call0") || !p.AsksAbout("call1") || p.Get("99") != nil || p.Of(nil) != nil {
		t.Errorf("%d are open", p.Len())
	}
	o := &Operation{Size: 1 << 10}
	held := 0
	for p.Hold(o) {
		held++
	}
	if p.Release(o); held != maxOperations || !p.Hold(o) || p.Hold(o) {
		t.Errorf("%d operations are held", held)
	}
	var q openPermissions
	if large := (&Operation{Size: maxOperationBytes}); !q.Hold(large) || q.Hold(o) {
		t.Error("the bytes of operations are not bounded")
	}
}

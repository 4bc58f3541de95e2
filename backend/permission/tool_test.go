package permission

import "testing"

// Rules about a tool that Weft runs apply whatever its arguments are, but not to an agent's own tool of that name, and
// not in a space that always asks or is read-only.
func TestRulesAboutTools(t *testing.T) {
	place := Place{SpaceID: "s", Folder: t.TempDir(), AgentID: "a"}
	allow := func(r Rule) Rule {
		r.ID, r.Effect, r.Scope, r.Enabled = "allow", Allow, Everywhere, true
		return r
	}
	reject := func(r Rule) Rule {
		r = allow(r)
		r.ID, r.Effect = "reject", Reject
		return r
	}
	greet, tracker := allow(Rule{Tool: "greet"}), allow(Rule{Tool: "tracker/deleteIssue"})
	for _, c := range []struct {
		what  string
		call  Call
		rules []Rule
		mode  Mode
		want  Verdict
	}{
		{"its rule", Call{Kind: "other", Tool: "greet"}, []Rule{greet}, FollowRules, Allowed},
		{"one of a server", Call{Kind: "other", Tool: "tracker/deleteIssue"}, []Rule{tracker}, FollowRules, Allowed},
		{"another's", Call{Kind: "other", Tool: "deleteIssue"}, []Rule{tracker, greet}, FollowRules, Ask},
		{"an agent's own", Call{Kind: "other", Title: "greet"}, []Rule{greet}, FollowRules, Ask},
		{"outside", Call{Kind: "execute", Tool: "greet", Input: []byte(`{"command":["echo"],"cwd":"/"}`)}, []Rule{greet}, FollowRules, Allowed},
		{"outside, by its command", Call{Kind: "execute", Tool: "greet", Input: []byte(`{"command":["echo"],"cwd":"/"}`)}, []Rule{allow(Rule{Command: "echo"})}, FollowRules, Ask},
		{"by its command", Call{Kind: "execute", Tool: "greet", Input: []byte(`{"command":["echo","a"]}`)}, []Rule{allow(Rule{Command: "echo"})}, FollowRules, Allowed},
		{"a server's, by something called command", Call{Kind: "other", Tool: "greet", Input: []byte(`{"command":"echo"}`)}, []Rule{allow(Rule{Command: "echo"})}, FollowRules, Ask},
		{"a server's, refused by it", Call{Kind: "other", Tool: "greet", Input: []byte(`{"command":"echo"}`)}, []Rule{greet, reject(Rule{Command: "echo"})}, FollowRules, Rejected},
		{"by its kind", Call{Kind: "fetch", Tool: "greet"}, []Rule{allow(Rule{Kind: "fetch"})}, FollowRules, Allowed},
		{"refused", Call{Kind: "fetch", Tool: "greet"}, []Rule{allow(Rule{Kind: "fetch"}), reject(Rule{Tool: "greet"})}, FollowRules, Rejected},
		{"refused by its kind", Call{Kind: "fetch", Tool: "greet"}, []Rule{greet, reject(Rule{Kind: "fetch"})}, FollowRules, Rejected},
		{"asked always", Call{Kind: "fetch", Tool: "greet"}, []Rule{greet}, AskAlways, Ask},
		{"read-only", Call{Kind: "fetch", Tool: "greet"}, []Rule{greet}, ReadOnly, Rejected},
		{"switched off", Call{Kind: "fetch", Tool: "greet"}, []Rule{{ID: "x", Effect: Allow, Scope: Everywhere, Tool: "greet"}}, FollowRules, Ask},
		{"elsewhere", Call{Kind: "fetch", Tool: "greet"}, []Rule{{ID: "x", Effect: Allow, Scope: InSpace, SpaceID: "t", Tool: "greet", Enabled: true}}, FollowRules, Ask},
		{"another agent's", Call{Kind: "fetch", Tool: "greet"}, []Rule{{ID: "x", Effect: Allow, Scope: Everywhere, AgentID: "b", Tool: "greet", Enabled: true}}, FollowRules, Ask},
	} {
		if d := NewSet(c.rules).Decide(Describe(&c.call, place), c.mode); d.Verdict != c.want {
			t.Errorf("%s: %s, and not %s", c.what, d.Verdict, c.want)
		}
	}
	for _, r := range []Rule{{Tool: "a\nb"}, {Tool: "a", Kind: "fetch"}, {Tool: "a", Command: "b"}, {Tool: "a", Path: "b"}} {
		if _, err := allow(r).Clean(); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
}

package permission

import "testing"

func TestRejectRulesNeedPermissionRequests(t *testing.T) {
	t.Parallel()
	at := Place{SpaceID: "s", Folder: t.TempDir(), AgentID: "a"}
	for name, c := range map[string]struct {
		rule Rule
		want Needs
	}{
		"a command":              {Rule{Effect: Reject, Command: "rm"}, Needs{Commands: true}},
		"files":                  {Rule{Effect: Reject, Path: "src/**"}, Needs{true, true}},
		"files that are edited":  {Rule{Effect: Reject, Kind: "edit", Path: "src/**"}, Needs{true, true}},
		"files that are deleted": {Rule{Effect: Reject, Kind: "delete", Path: "src/**"}, Needs{Edits: true}},
		"files that are read":    {Rule{Effect: Reject, Kind: "read", Path: "src/**"}, Needs{}},
		"edits":                  {Rule{Effect: Reject, Kind: "edit"}, Needs{true, true}},
		"commands":               {Rule{Effect: Reject, Kind: "execute"}, Needs{Commands: true}},
		"fetching":               {Rule{Effect: Reject, Kind: "fetch"}, Needs{}},
		"a tool of Weft":         {Rule{Effect: Reject, Tool: "mail/send"}, Needs{}},
		"a rule that allows":     {Rule{Effect: Allow, Command: "rm"}, Needs{}},
		"another agent":          {Rule{Effect: Reject, Command: "rm", AgentID: "b"}, Needs{}},
		"another space":          {Rule{Effect: Reject, Command: "rm", Scope: InSpace, SpaceID: "t"}, Needs{}},
		"this space":             {Rule{Effect: Reject, Command: "rm", Scope: InSpace, SpaceID: "s"}, Needs{Commands: true}},
		"this folder":            {Rule{Effect: Reject, Command: "rm", Scope: InFolder, Folder: at.Folder}, Needs{Commands: true}},
	} {
		if c.rule.Scope == "" {
			c.rule.Scope = Everywhere
		}
		c.rule.Enabled = true
		got, rules := NewSet([]Rule{c.rule}).Needs(at)
		if got != c.want || len(rules) != 0 != (c.want != Needs{}) {
			t.Errorf("%s: %+v for %v, want %+v", name, got, rules, c.want)
		}
		c.rule.Enabled = false
		if got, _ := NewSet([]Rule{c.rule}).Needs(at); got != (Needs{}) {
			t.Errorf("%s, switched off: %+v", name, got)
		}
	}
	if got, _ := (*Set)(nil).Needs(at); got != (Needs{}) {
		t.Errorf("no rules need %+v", got)
	}
}

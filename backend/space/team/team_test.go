package team_test

import (
	"testing"

	"weft/backend/space/team"
)

func TestMembersAreFound(t *testing.T) {
	sp := team.Space{Members: []team.Member{
		{ID: "main", Name: "Ann", AgentID: "bee"}, {ID: "m2", Name: "Bob", AgentID: "bee"}, {ID: "m3", Name: "Cy", AgentID: "ant", Default: true},
	}}
	alone := team.Space{Members: sp.Members[:2]}
	for name, tc := range map[string]struct {
		find func() (team.Member, bool)
		want string // "": none
	}{
		"by id":                              {func() (team.Member, bool) { return sp.Member("m2") }, "m2"},
		"no such id":                         {func() (team.Member, bool) { return sp.Member("m9") }, ""},
		"the default one":                    {func() (team.Member, bool) { return sp.Member("") }, "m3"},
		"the first one, if none is":          {func() (team.Member, bool) { return alone.Member("") }, "main"},
		"nobody is there":                    {func() (team.Member, bool) { return (&team.Space{}).Member("") }, ""},
		"by name in another case":            {func() (team.Member, bool) { return sp.Named("bOB") }, "m2"},
		"no such name":                       {func() (team.Member, bool) { return sp.Named("Bo") }, ""},
		"the same agent and name":            {func() (team.Member, bool) { return sp.As("bee", "bob") }, "m2"},
		"the same agent with another name":   {func() (team.Member, bool) { return sp.As("bee", "Zoe") }, "main"},
		"another agent that has such a name": {func() (team.Member, bool) { return sp.As("wasp", "Bob") }, ""},
	} {
		if m, ok := tc.find(); m.ID != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q, %v", name, m.ID, ok)
		}
	}
}

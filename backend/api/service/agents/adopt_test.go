package agents

import (
	"maps"
	"slices"
	"testing"
)

func TestUpdateKeepsChangesOfTheUser(t *testing.T) {
	for name, c := range map[string]struct{ base, mine, next, want []string }{
		"untouched": {[]string{"--acp"}, []string{"--acp"}, []string{"acp"}, []string{"acp"}},
		"changed":   {[]string{"--acp"}, []string{"--acp", "-x"}, []string{"acp"}, []string{"--acp", "-x"}},
		"emptied":   {[]string{"--acp"}, nil, []string{"acp"}, nil},
		"none":      {nil, []string{}, []string{"acp"}, []string{"acp"}},
	} {
		if got := mergeArgs(c.base, c.mine, c.next); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	type env = map[string]string
	for name, c := range map[string]struct{ base, mine, next, want env }{
		"untouched":               {env{"A": "1"}, env{"A": "1"}, env{"A": "2"}, env{"A": "2"}},
		"changed":                 {env{"A": "1"}, env{"A": "mine"}, env{"A": "2"}, env{"A": "mine"}},
		"added by the user":       {env{}, env{"KEY": "x"}, env{"A": "2"}, env{"KEY": "x", "A": "2"}},
		"removed by the user":     {env{"A": "1"}, env{}, env{"A": "2"}, env{}},
		"no longer there":         {env{"A": "1", "B": "1"}, env{"A": "1", "B": "mine"}, env{}, env{"B": "mine"}},
		"new, and the user's too": {env{}, env{"A": "mine"}, env{"A": "2"}, env{"A": "mine"}},
		"nothing":                 {nil, nil, nil, env{}},
	} {
		if got := mergeEnv(c.base, c.mine, c.next); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

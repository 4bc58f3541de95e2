package agent

import (
	"maps"
	"os"
	"slices"
	"strings"

	"weft/backend/secret"
)

// environ puts the program's environment together; what comes later is stronger. Weft's own secrets are in it only
// where the program is to have them.
func (s Spec) environ(path, tag string) []string {
	env, secrets := secret.Split(os.Environ(), s.Hide)
	if s.Keys {
		env = append(append(env, secrets...), secret.Withheld()...)
	}
	env = append(env, "PATH="+path)
	env = append(env, pairs(s.Env)...)
	return unique(append(env, tagVariable+"="+tag))
}

// watcherEnviron is the environment of what is between Weft and the program: it has none of the program's.
func watcherEnviron(tag string) []string {
	return append(secret.Environ(), tagVariable+"="+tag)
}

// pairs are variables in the form of os.Environ, sorted; what cannot be one is left out.
func pairs(of map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if value := of[name]; name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// unique keeps the last of the values of each variable, in order.
func unique(env []string) []string {
	last := make(map[string]int, len(env))
	for i, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		last[name] = i
	}
	out := env[:0:0]
	for i, pair := range env {
		if name, _, _ := strings.Cut(pair, "="); last[name] == i {
			out = append(out, pair)
		}
	}
	return out
}

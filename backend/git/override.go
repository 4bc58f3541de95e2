package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/backend/git/repo"
)

// maxSettings limits how many settings of a repository are overridden. With more, git isn't run.
const maxSettings = 500

// Commands returns what the repository of dir would make git run, and a token that identifies these commands and the
// repository. Both are empty if there is nothing. Errors: [ErrUnclear].
func Commands(dir string) (list []repo.Command, token string, err error) {
	found, err := repo.Find(dir)
	if err == nil && found != nil {
		list, err = found.Commands()
	}
	if errors.Is(err, repo.ErrUnclear) {
		return nil, "", ErrUnclear
	}
	if err != nil || len(list) == 0 {
		return nil, "", err
	}
	return list, tokenOf(found, list), nil
}

func tokenOf(found *repo.Repository, list []repo.Command) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", found.Common)
	for _, c := range list {
		fmt.Fprintf(h, "%q %q", c.Key, c.Value)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ofRepository returns the settings that turn off what the repository defines. A filter that the user's configuration
// also defines is set to that definition.
func ofRepository(ctx context.Context, program, dir string, found *repo.Repository, opt Options) ([]setting, error) {
	entries, err := found.Config()
	if err != nil {
		return nil, ErrUnclear
	}
	commands, err := found.Commands()
	if err != nil {
		return nil, ErrUnclear
	}
	agreed := opt.Agreed != "" && opt.Agreed == tokenOf(found, commands)
	var list []setting
	filters := map[string][]string{} // the parts of filters that the repository defines, by filter
	for _, e := range entries {
		section, name, last := e.Split()
		switch use := e.Use(); {
		case section == "filter":
			if e.Key != "filter."+last {
				filters[name] = append(filters[name], last)
			}
		case section == "hook":
			list = append(list, setting{"hook." + name + ".enabled", "false"})
		case opt.Push && (use == repo.Network || section == "http"): // includes certificates, headers and cookies
			return nil, ErrConnects
		case use == repo.Network:
			// If the repository sets one of them, no helper is used.
			list = append(list, setting{"credential.helper", ""}, setting{e.Key, disabled(e.Key)})
		case use != repo.Never:
			list = append(list, setting{e.Key, disabled(e.Key)})
		}
	}
	if len(filters) > 0 && !agreed {
		users, err := userFilters(ctx, program, dir)
		if err != nil {
			return nil, err
		}
		for name, parts := range filters {
			list = append(list, filterOf(name, parts, users)...)
		}
	}
	// The fixed settings take precedence over the repository's.
	list = slices.DeleteFunc(list, func(s setting) bool {
		return slices.ContainsFunc(always, func(a setting) bool { return strings.EqualFold(a.key, s.key) })
	})
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.key, b.key) })
	list = slices.Compact(list)
	if len(list) > maxSettings {
		return nil, ErrUnclear
	}
	return list, nil
}

// disabled returns the value with which a setting names no program.
func disabled(key string) string {
	if strings.HasSuffix(key, ".helper") || strings.HasPrefix(key, "url.") || strings.HasPrefix(key, "protocol.") {
		return ""
	}
	return off
}

// filterOf returns the settings that replace the repository's parts of a filter by the user's definition, or by
// nothing if the user has none.
func filterOf(name string, parts []string, users map[string]string) []setting {
	prefix := "filter." + name + "."
	list := make([]setting, 0, 4)
	defined := false
	for _, part := range []string{"clean", "smudge", "process"} {
		value := users[prefix+part]
		defined = defined || value != ""
		if slices.Contains(parts, part) {
			list = append(list, setting{prefix + part, value})
		}
	}
	required := users[prefix+"required"]
	if !defined || required == "" {
		required = "false" // an undefined filter can't be required
	}
	return append(list, setting{prefix + "required", required})
}

// userFilters returns the filter settings of the user's and the system's configuration.
func userFilters(ctx context.Context, program, dir string) (map[string]string, error) {
	stdout, stderr := &limited{max: maxOutput}, &limited{max: maxStderr}
	cmd := command(ctx, program, dir, withSettings(inherited(), always), []string{"config", "--show-scope", "--includes", "-z", "--list"})
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return nil, ended(ctx, err, stderr)
	}
	if stdout.full {
		return nil, ErrUnclear
	}
	users := map[string]string{}
	fields := bytes.Split(stdout.buf.Bytes(), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		scope := string(fields[i])
		key, value, set := strings.Cut(string(fields[i+1]), "\n")
		if !set {
			value = "true"
		}
		if (scope == "system" || scope == "global") && strings.HasPrefix(key, "filter.") {
			users[key] = value
		}
	}
	return users, nil
}

package git

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"weft/backend/git/repo"
)

// setting is a setting for one call. It takes precedence over all configuration files.
type setting struct{ key, value string }

// off is the value for settings that must name a program: it does nothing and fails.
const off = "false"

// always are the settings of every call.
var always = []setting{
	{"safe.bareRepository", "explicit"},
	{"core.fsmonitor", ""},
	{"core.hooksPath", os.DevNull},
	{"core.pager", "cat"},
	{"core.editor", off},
	{"core.sshCommand", off},
	{"core.gitProxy", off},
	{"core.alternateRefsCommand", off},
	{"core.quotePath", "false"},
	{"sequence.editor", off},
	{"diff.external", off},
	{"gpg.program", off},
	{"gpg.openpgp.program", off},
	{"gpg.x509.program", off},
	{"gpg.ssh.program", off},
	{"gpg.ssh.defaultKeyCommand", off},
	{"log.showSignature", "false"},
	{"protocol.allow", "never"},
	{"protocol.ext.allow", "never"},
	{"protocol.file.allow", "never"},
	{"protocol.git.allow", "never"},
	{"protocol.http.allow", "never"},
	{"protocol.https.allow", "never"},
	{"protocol.ssh.allow", "never"},
	{"submodule.recurse", "false"},
	{"fetch.recurseSubmodules", "false"},
	{"status.submoduleSummary", "false"},
	{"maintenance.auto", "false"},
	{"gc.auto", "0"},
}

// inherited returns Weft's environment without variables that would affect git.
func inherited() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(v), "GIT_") {
			env = append(env, v)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat",
		"GIT_EDITOR="+off, "GIT_SEQUENCE_EDITOR="+off, "GIT_ASKPASS=true", "SSH_ASKPASS=true", "GCM_INTERACTIVE=never", "LC_ALL=C", "LANGUAGE=C")
}

// environment returns the environment for a call in dir, with the settings that turn off what the repository defines.
func environment(ctx context.Context, program, dir string, opt Options) ([]string, error) {
	list := slices.Clone(always)
	found, err := repo.Find(dir)
	switch {
	case errors.Is(err, repo.ErrUnclear):
		return nil, ErrUnclear
	case err != nil:
		return nil, &Error{Code: -1, Err: err}
	case found == nil: // git reports it itself
	case found.Bare():
		return nil, ErrBare
	default:
		own, err := ofRepository(ctx, program, dir, found, opt)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	env := inherited()
	if opt.Push {
		// No user can answer ssh.
		env = append(env, "GIT_ALLOW_PROTOCOL=https:http:ssh", "SSH_ASKPASS_REQUIRE=force")
		list = slices.DeleteFunc(list, func(s setting) bool { return s.key == "core.sshCommand" })
		return withSettings(env, list), nil
	}
	if !opt.Checkout || slices.ContainsFunc(list, func(s setting) bool { return s.key == "credential.helper" }) {
		list = append(list, setting{"credential.helper", ""})
		env = append(env, "GIT_SSH_COMMAND="+off)
	}
	return withSettings(env, list), nil
}

// withSettings adds settings to an environment. Unlike with -c, a key may contain any character.
func withSettings(env []string, list []setting) []string {
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(list)))
	for i, s := range list {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

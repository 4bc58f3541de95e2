package agent

import (
	"maps"
	"os"
	"slices"
	"strings"

	"weft/backend/settings/secret"
)

// ofParent are environment variables by which a program passes its own context to its child processes. Weft has them
// if it was started from an agent's terminal, a git hook or an npm script. An agent that inherited them would consider
// itself part of that program, or work on another repository.
var ofParent = map[string]bool{
	// Agents.
	"CLAUDECODE": true, "CLAUDE_CODE_ENTRYPOINT": true, "CLAUDE_CODE_SSE_PORT": true, "CLAUDE_CODE_SESSION_ID": true, "CLAUDE_CODE_CHILD_SESSION": true,
	"CLAUDE_CODE_EXECPATH": true, "CLAUDE_AGENT_SDK_VERSION": true, "CODEX_SANDBOX": true, "CODEX_SANDBOX_NETWORK_DISABLED": true, "CODEX_THREAD_ID": true,
	"CODEX_CI": true, "CODEX_INTERNAL_ORIGINATOR_OVERRIDE": true, "GEMINI_CLI": true, "GEMINI_CLI_IDE_SERVER_PORT": true, "QWEN_CODE": true,
	"OPENCODE": true, "OPENCODE_PID": true, "CURSOR_AGENT": true, "CURSOR_TRACE_ID": true, "CLINE_ACTIVE": true, "GOOSE_TERMINAL": true,
	"AMP_CURRENT_THREAD_ID": true, "AI_AGENT": true, "AGENT": true,
	// Node and programs that start it.
	"NODE_OPTIONS": true, "NODE_CHANNEL_FD": true, "NODE_CHANNEL_SERIALIZATION_MODE": true, "NODE_UNIQUE_ID": true, "ELECTRON_RUN_AS_NODE": true,
	"VSCODE_INSPECTOR_OPTIONS": true, "NPM_COMMAND": true, "NPM_EXECPATH": true, "NPM_NODE_EXECPATH": true, "INIT_CWD": true,
	// Git: the output of "git rev-parse --local-env-vars", and the variables of hooks.
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true, "GIT_CONFIG_COUNT": true, "GIT_OBJECT_DIRECTORY": true,
	"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true, "GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true,
	"GIT_INTERNAL_SUPER_PREFIX": true, "GIT_NAMESPACE": true, "GIT_QUARANTINE_PATH": true, "GIT_PUSH_OPTION_COUNT": true, "GIT_REFLOG_ACTION": true,
	"GIT_AUTHOR_DATE": true, "GIT_COMMITTER_DATE": true, "GIT_EXEC_PATH": true,
}

// isOfParent reports whether a variable, in the form of os.Environ, is in [ofParent].
func isOfParent(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	name = strings.ToUpper(name)
	return ofParent[name] || strings.HasPrefix(name, "NPM_LIFECYCLE_") || strings.HasPrefix(name, "NPM_PACKAGE_") ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") || strings.HasPrefix(name, "GIT_PUSH_OPTION_")
}

// environ returns the environment of the program; later values take precedence. It contains Weft's own secrets only if
// the program may have them, and nothing of the program that started Weft.
func (s Spec) environ(path, tag string) []string {
	env, secrets := secret.Split(slices.DeleteFunc(os.Environ(), isOfParent), s.Hide)
	if s.Keys {
		env = append(append(env, secrets...), secret.Withheld()...)
	}
	env = append(env, "PATH="+path)
	env = append(env, pairs(s.Env)...)
	return unique(append(env, tagVariable+"="+tag))
}

// watcherEnviron returns the environment of the processes between Weft and the program. It contains none of the
// program's variables.
func watcherEnviron(tag string) []string {
	return append(secret.Environ(), tagVariable+"="+tag)
}

// pairs returns variables in the form of os.Environ, sorted. Invalid ones are skipped.
func pairs(of map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if value := of[name]; name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// unique keeps only the last value of each variable.
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

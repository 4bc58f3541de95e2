package permission

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// With a rule for `git status`, calls in the usual forms of agents are covered, and those with an unknown field, or
// one that changes what runs, aren't.
func TestFieldsOfCommands(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "cmd:git status"), rule(Reject, "cmd:rm")})
	for _, c := range []struct {
		input string
		want  Verdict
	}{
		// Usual forms.
		{`{"command":"git status","description":"Show it","timeout":120000,"run_in_background":false,"dangerouslyDisableSandbox":false}`, Allowed},
		{`{"command":"git status","command_description":"Show it"}`, Allowed},
		{`{"call_id":"c","turn_id":"1","command":["bash","-lc","git status"],"cwd":"DIR","reason":null,"parsed_cmd":[{"type":"unknown","cmd":"git status"}]}`, Allowed},
		{`{"call_id":"c","process_id":"7","command":["bash","-lc","git status"],"parsed_cmd":[],"source":"agent","interaction_input":null}`, Allowed},
		{`{"command":"git status","source":"make"}`, Ask},
		{`{"command":"git status","cwd":"DIR"}`, Allowed},
		{`{"command":["bash","-lc","git status"],"workdir":"DIR","timeout_ms":1000,"login":true,"with_escalated_permissions":false,"justification":"to see"}`, Allowed},
		{`{"cmd":"git status","workdir":"src","yield_time_ms":1000,"max_output_tokens":1,"tty":false,"shell":"/bin/zsh","login":true,"sandbox_permissions":"use_default"}`, Allowed},
		{`{"command":"git status","description":"x","dir_path":"src","is_background":false}`, Allowed},
		{`{"command":"git status","directory":"src","is_background":false,"timeout":1}`, Allowed},
		{`{"command":"git status","description":"x","timeout":1,"workdir":"src"}`, Allowed},
		{`{"command":"git status","description":"x","mode":"sync","initial_wait":30,"sessionId":"s"}`, Allowed},
		{`{"command":"git status","requires_approval":false,"timeout":3}`, Allowed},
		{`{"commands":["git status","git status -s"]}`, Allowed},
		{`{"commands":[{"command":"git status","cwd":"src"}]}`, Allowed},
		{`{"command":"git status","cd":"src"}`, Allowed},
		{`{"command":"git status","is_background":true,"explanation":"x","require_user_approval":true}`, Allowed},
		{`{"command":"git status","description":"x","timeout_ms":5}`, Allowed},
		{`{"command":"git status","env":{"CI":"1","NO_COLOR":"1"}}`, Allowed},
		{`{"command":"git status","env":[{"name":"CI","value":"1"}]}`, Allowed},
		{`{"command":"git status","env":["CI=1"],"stdin":null}`, Allowed},
		// Fields that change what runs.
		{`{"command":"git status","env":{"PATH":"/tmp"}}`, Ask},
		{`{"command":"git status","environment":{"GIT_SSH_COMMAND":"make"}}`, Ask},
		{`{"command":"git status","env":[{"name":"LD_PRELOAD","value":"x"}]}`, Ask},
		{`{"command":"git status","env":["CI=1","GIT_PAGER=make"]}`, Ask},
		{`{"command":"git status","env":"PATH=/tmp"}`, Ask},
		{`{"command":"git status","env":7}`, Ask},
		{`{"command":"git status","variables":{"PATH":"/tmp"}}`, Ask},
		{`{"command":"git status","stdin":"make"}`, Ask},
		{`{"command":"git status","input":"make"}`, Ask},
		{`{"command":"git status","shell":"/tmp/zsh"}`, Ask},
		{`{"command":"git status","shell":"python3"}`, Ask},
		{`{"command":"git status","shell":"bash --rcfile x"}`, Ask},
		{`{"command":"git status","executable":"/tmp/x"}`, Ask},
		{`{"command":"git status","interpreter":"/tmp/x"}`, Ask},
		{`{"command":"git status","host":"prod"}`, Ask},
		{`{"command":"git status","container":"x"}`, Ask},
		{`{"command":"git status","user":"root"}`, Ask},
		{`{"command":"git status","path":"/tmp"}`, Ask},
		{`{"command":"git status","url":"https://example.com"}`, Ask},
		{`{"command":"git status","prefix":"make;"}`, Ask},
		{`{"command":"git status","options":{"shell":"/tmp/x"}}`, Ask},
		{`{"command":"git status","something":null}`, Ask},
		{`{"command":"git status","description":{"command":"make"}}`, Ask},
		{`{"command":"git status","timeout":{"x":1}}`, Ask},
		{`{"command":"git status","is_input":true}`, Ask},
		{`{"command":"make","command":"git status"}`, Ask},
		{`{"command":"git status","command":"git status"}`, Ask},
		{`{"command":"git status","env":{"CI":"1"},"environment":{"CI":"2"}}`, Ask},
		{`{"commands":["git status","make"]}`, Ask},
		{`{"commands":[{"command":"git status"},{"command":"make"}]}`, Ask},
		{`{"commands":[{"command":"git status","env":{"PATH":"x"}}]}`, Ask},
		{`{"commands":[{"command":"git status","cwd":"/"}]}`, Ask},
		{`{"commands":[{"command":"git status"},7]}`, Ask},
		{`{"request":{"command":"git status"}}`, Ask},
		{`{"request":{"commands":["git status"]}}`, Ask},
		{`{"commands":[{"commands":[]}]}`, Ask},
		{`{"commands":["git status"],"shell":"/tmp/x"}`, Ask},
		// Fields that escalate rights.
		{`{"command":"git status","dangerouslyDisableSandbox":true}`, Ask},
		{`{"command":"git status","Dangerously-Disable_Sandbox":"true"}`, Ask},
		{`{"command":"git status","with_escalated_permissions":true}`, Ask},
		{`{"command":"git status","sandbox_permissions":"require_escalated"}`, Ask},
		{`{"command":"git status","sandbox_permissions":"with_additional_permissions"}`, Ask},
		{`{"command":"git status","additionalPermissions":{"network":{"enabled":true}}}`, Ask},
		{`{"command":"git status","sandbox":false}`, Ask},
		{`{"command":"git status","sandbox":null}`, Ask},
		{`{"command":"git status","sandbox":"danger-full-access"}`, Ask},
		{`{"command":"git status","sudo":true}`, Ask},
		{`{"command":"git status","mode":"bypassPermissions"}`, Ask},
		// Rejected at any position.
		{`{"command":"git status","command":"rm x"}`, Rejected},
		{`{"command":"rm x","command":"git status"}`, Rejected},
		{`{"commands":[{"command":"git status"},{"command":"rm x"}]}`, Rejected},
		{`{"input":{"command":"rm x"}}`, Rejected},
		{`{"steps":[{"run":{"cmd":["rm","x"]}}]}`, Rejected},
	} {
		input := strings.ReplaceAll(c.input, "DIR", dir)
		sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(input)}, Place{Folder: dir})
		if got := set.Decide(sub, FollowRules); got.Verdict != c.want {
			t.Errorf("%s: %s, want %s (unclear %q)", c.input, got.Verdict, c.want, sub.Unclear)
		}
	}
}

// No rule about commands or kinds allows a call that escalates rights.
func TestEscalatedRightsAreAskedAbout(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:execute"), rule(Allow, "kind:edit"), rule(Allow, "kind:other")})
	for _, input := range []string{`{"command":"git status","dangerouslyDisableSandbox":true}`, `{"path":"src/a.go","bypass_checks":true}`, `{"x":[{"sudo":true}]}`} {
		for _, kind := range []string{"execute", "edit", "other"} {
			sub := Describe(&Call{Kind: kind, Input: jsontext.Value(input)}, Place{Folder: dir})
			if got := set.Decide(sub, FollowRules); got.Verdict != Ask || sub.Unclear != "raises" {
				t.Errorf("%s %s: %s (unclear %q)", kind, input, got.Verdict, sub.Unclear)
			}
		}
	}
}

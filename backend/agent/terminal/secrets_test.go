//go:build unix

package terminal

import (
	"os"
	"strings"
	"testing"

	"weft/backend/settings/secret"
)

// An agent's command sees none of the keys that Weft was started with, neither in its own environment nor in its
// supervisor's.
func TestCommandsSeeNoKeys(t *testing.T) {
	const value = "sk-ant-weft-0123456789"
	for _, name := range []string{"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_OWN_SECRET"} {
		t.Setenv(name, value)
	}
	t.Setenv("SSH_AUTH_SOCK", "/run/agent.sock")
	text, exit := start(t, sh(`env; tr '\0' '\n' < /proc/$PPID/environ`)).wait(t)
	if strings.Contains(text, value) {
		t.Errorf("the command saw a key (%v):\n%s", exit, text)
	}
	if !strings.Contains(text, "SSH_AUTH_SOCK=/run/agent.sock") || !strings.Contains(text, "HOME="+os.Getenv("HOME")) {
		t.Errorf("what commands need is missing:\n%s", text)
	}
}

// The output of a command contains no known secret, wherever it is split.
func TestOutputHasNoSecrets(t *testing.T) {
	const value = "sk-ant-known-0123456789"
	hide := &secret.Redactor{}
	hide.Add(value)
	spec := sh(`for i in 0 1 2; do printf 'key=%s ' "sk-ant-kno"; done; printf 'key=sk-ant-kn'; sleep 0.3; printf 'own-0123456789.'; printf sk-ant`)
	spec.Hide = hide
	term := start(t, spec)
	text, _ := term.wait(t)
	if want := strings.Repeat("key=sk-ant-kno ", 3) + "key=" + secret.Hidden + ".sk-ant"; text != want {
		t.Errorf("%q\nwant %q", text, want)
	}
	if shown, _ := term.From(0, 1000); strings.Contains(shown, value) {
		t.Errorf("the shown output is %q", shown)
	}
}

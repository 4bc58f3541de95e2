package builtin

import (
	"context"
	"strings"
	"testing"

	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// To sign in, a client runs the agent with its usual arguments and appends those of the sign-in method.
func TestLoginFollowsTheAgentsArguments(t *testing.T) {
	for _, args := range [][]string{
		{"login"},
		{"--provider", "anthropic", "--model", "x", "login"},
		{"--provider", "anthropic", "logout"},
	} {
		var out, complaints strings.Builder
		// Without --provider, neither command accesses the keychain.
		code := Main(context.Background(), args, strings.NewReader(""), &out, &complaints)
		if code != 2 || !strings.Contains(complaints.String(), "choose a provider with --provider") {
			t.Errorf("%q: %d, %s", args, code, complaints.String())
		}
	}
	var complaints strings.Builder
	if code := Main(context.Background(), []string{"--provider", "guide", "signin"}, strings.NewReader(""), &complaints, &complaints); code != 2 || !strings.Contains(complaints.String(), `unexpected argument "signin"`) {
		t.Errorf("%d, %s", code, complaints.String())
	}
}

func TestKeychainIsNotAskedForAnotherProvider(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	p, _ := provider.ByID(provider.OpenAI)
	k := newKeys(p, &secret.Redactor{})
	k.elsewhere = true
	if key := k.get(context.Background()); key != "" || k.asked {
		t.Errorf("%q, asked %v", key, k.asked)
	}
	if ways := k.waysToSignIn(); len(ways) != 1 || ways[0].EnvVar == nil {
		t.Errorf("%+v", ways)
	}
	t.Setenv("OPENAI_API_KEY", "given-for-this")
	k = newKeys(p, &secret.Redactor{})
	k.elsewhere = true
	if key := k.get(context.Background()); key != "given-for-this" {
		t.Errorf("%q", key)
	}
}

package sessionservers

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

func TestServersWithSecrets(t *testing.T) {
	asked := []string{}
	locked := &secret.Error{Code: secret.CodeLocked, Message: "The keychain is locked."}
	kept := map[string]string{"file:a": "value-a", "file:b": "two\nlines"}
	read := secret.Reader(t.Context(), func(_ context.Context, ref string) (string, error) {
		asked = append(asked, ref)
		if value, ok := kept[ref]; ok {
			return value, nil
		}
		if strings.HasPrefix(ref, "keychain:") {
			return "", locked
		}
		return "", &secret.Error{Code: secret.CodeMissing, Message: "It isn't there."}
	})
	list := []settings.MCPServer{
		{Name: "one", Type: "stdio", Command: "x", Env: map[string]string{"P": "plain"}, SecretEnv: map[string]string{"S": "file:a"}},
		{Name: "two", Type: "stdio", Command: "x", SecretEnv: map[string]string{"S": "keychain:x"}},
		{Name: "three", Type: "http", URL: "http://x", SecretHeaders: map[string]string{"H": "keychain:y"}},
		{Name: "four", Type: "http", URL: "http://x", SecretHeaders: map[string]string{"H": "file:b"}},
		{Name: "five", Type: "sse", URL: "http://x", SecretHeaders: map[string]string{"H": "file:gone"}},
		{Name: "six", Type: "sse", URL: "http://x", SecretHeaders: map[string]string{"H": "file:a"}},
	}
	out, handed := Convert(list, acp.AgentCapabilities{MCPHTTP: true, MCPSSE: true}, true, read)
	var names []string
	for _, h := range handed {
		switch {
		case h.Handed:
			names = append(names, h.Name)
		case h.Why != "secret" || h.Problem == "" || strings.Contains(h.Problem, "lines"):
			t.Errorf("%+v", h)
		}
	}
	if !slices.Equal(names, []string{"one", "six"}) || len(out) != 2 {
		t.Errorf("handed: %v", names)
	}
	if env := out[0].Stdio.Env; len(env) != 2 || env[1].Value != "value-a" {
		t.Errorf("%+v", env)
	}
	// If the keychain fails to open once, it isn't tried for every server.
	if want := []string{"file:a", "keychain:x", "file:b", "file:gone", "file:a"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for %v", asked)
	}
}

package sessionservers

import (
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// A server with a secret that was left out of a backup isn't handed to an agent; the reason asks for the secret.
func TestServerWithAMissingSecretIsNotHandedOver(t *testing.T) {
	t.Parallel()
	store := secret.Open(secret.Options{Dir: t.TempDir()})
	read := func(ref string) (string, error) { return store.Get(t.Context(), secret.Ref(ref)) }
	for name, m := range map[string]settings.MCPServer{
		"reference": {Name: "m", Type: "stdio", Command: "x", SecretEnv: map[string]string{"TOKEN": string(secret.MissingRef)}},
		"argument":  {Name: "m", Type: "stdio", Command: "x", Args: []string{"--token=" + secret.Missing}},
		"variable":  {Name: "m", Type: "stdio", Command: "x", Env: map[string]string{"URL": "https://u:" + secret.Missing + "@h"}},
		"address":   {Name: "m", Type: "http", URL: "https://h?token=" + secret.Missing},
		"header":    {Name: "m", Type: "http", URL: "https://h", SecretHeaders: map[string]string{"Authorization": string(secret.MissingRef)}},
	} {
		out, handed := Convert([]settings.MCPServer{m}, acp.AgentCapabilities{MCPHTTP: true}, false, read)
		if len(out) != 0 || len(handed) != 1 || handed[0].Why != "secret" || !strings.Contains(handed[0].Problem, "left out of the restored backup. Enter it again in Settings") {
			t.Errorf("%s: %+v, %+v", name, out, handed)
		}
	}
}

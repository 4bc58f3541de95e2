package builtin

import (
	"os"
	"testing"

	"weft/backend/llm/provider"
)

// The agent must not use keys from the environment of whoever runs the tests.
func TestMain(m *testing.M) {
	for _, p := range provider.All() {
		for _, name := range p.KeyVariables() {
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

package builtin

import (
	"os"
	"testing"

	"weft/backend/llm/provider"
)

// Keys in the environment of whoever runs the tests would be the agent's own.
func TestMain(m *testing.M) {
	for _, p := range provider.All() {
		for _, name := range p.KeyVariables() {
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

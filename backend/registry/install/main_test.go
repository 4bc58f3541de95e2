package install

import (
	"os"
	"testing"

	"weft/backend/agent"
)

// The test binary is also the supervisor that npm and uv run under.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		os.Exit(agent.SuperviseMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

package install

import (
	"testing"

	"weft/backend/agent/agenttest"
)

// The test binary is also the supervisor that npm and uv run under.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

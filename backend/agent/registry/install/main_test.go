package install

import (
	"testing"

	"weft/backend/agent/agenttest"
)

// The test binary also acts as the supervisor of npm and uv.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

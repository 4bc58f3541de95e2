package service

import (
	"context"
	"os"
	"testing"

	"weft/backend/agent/agenttest"
	"weft/backend/builtin"
)

// The test binary is also the built-in agent, which lists models.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func([]string){"agent": func(args []string) {
		os.Exit(builtin.Main(context.Background(), args, os.Stdin, os.Stdout, os.Stderr))
	}})
}

// Package agenttest runs the tests of packages that start programs under Weft's supervisor, and serves their agents.
package agenttest

import (
	"os"
	"testing"

	"weft/backend/agent"
)

// Main runs the tests of a package, and exits. The test binary is also what the tests start: weft-supervise if its
// first argument is "supervise", or one of programs by its name. A program gets the arguments after its name, and exits
// with 0 when it returns. The user's login shell isn't asked for its environment.
func Main(m *testing.M, programs map[string]func(args []string)) {
	if len(os.Args) > 1 {
		if os.Args[1] == "supervise" {
			os.Exit(agent.SuperviseMain(os.Args[2:]))
		}
		if program := programs[os.Args[1]]; program != nil {
			program(os.Args[2:])
			os.Exit(0)
		}
	}
	if err := os.Setenv("SHELL", "/bin/false"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Package agenttest runs the tests of packages that start programs under Weft's supervisor.
package agenttest

import (
	"os"
	"testing"

	"weft/backend/agent"
)

// Main runs the tests of a package, and exits. The test binary is also the programs that the tests start: weft-supervise where its first argument
// is "supervise", and those of programs by their names, which get the arguments behind that and exit with 0 when they return. The user's login shell is not
// asked for its environment.
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

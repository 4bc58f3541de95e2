//go:build unix

package agent

import (
	"os"
	"testing"
)

// The test binary is also the supervisor and every kind of agent that the tests
// need: its first argument says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(SuperviseMain(os.Args[2:]))
		case "test-app":
			appMain(os.Args[2:])
		}
		if run := fakes[os.Args[1]]; run != nil {
			run()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

//go:build linux

package systemtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// weftProgram is this test binary as Weft; scriptedProgram is it as everything that Weft starts: scripted agents, MCP servers.
var weftProgram, scriptedProgram = os.Args[0], os.Args[0]

// buildPrograms gives the programs that Weft starts without the race detector, which makes each of their starts take four times as long and
// looks at nothing of Weft: Weft itself stays under it. The directory is for the caller to remove.
func buildPrograms() (dir string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	// Beside this binary, because a file system can't be left with a link.
	if dir, err = os.MkdirTemp(filepath.Dir(exe), "programs-"); err != nil {
		return "", err
	}
	// Weft looks for its supervisor and its own agent beside itself.
	weft := filepath.Join(dir, "weft")
	if err := os.Link(exe, weft); err != nil {
		return dir, err
	}
	scripted := filepath.Join(dir, "scripted")
	for _, args := range [][]string{
		{"build", "-o", dir, "weft/backend/agent/weft-supervise", "weft/backend/builtin/weft-agent"},
		{"test", "-c", "-o", scripted, "weft/backend/systemtest"},
	} {
		cmd := exec.Command("go", args...) //nolint:noctx // the tests wait for it
		if said, err := cmd.CombinedOutput(); err != nil {
			return dir, errors.Join(fmt.Errorf("go %s: %w", args[0], err), errors.New(string(said)))
		}
	}
	weftProgram, scriptedProgram, supervisor = weft, scripted, "weft --"
	return dir, nil
}
